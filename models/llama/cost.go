package llama

import (
	"strings"

	"logitscope/models"
)

var _ models.Coster = (*Model)(nil)

// Costs implements [models.Coster].
func (m *Model) Costs() models.Costs {
	c := models.Costs{
		Anatomy: m.Anatomy(), KeySize: m.cfg.keyLen, ValueSize: m.cfg.valueLen, NumberBytes: int(m.store.kv.bytes()), PassTokens: chunkLen,
		Experts: m.cfg.experts, ExpertsUsed: m.cfg.expertsUsed,
	}
	for i := range m.file.Tensors {
		t := &m.file.Tensors[i]
		c.Weights += int64(t.Elems())
		c.WeightBytes += int64(len(t.Data))
		if strings.Contains(t.Name, "_exps.") { // a stack of experts, in every architecture
			c.ExpertWeights += int64(t.Elems())
			c.ExpertWeightBytes += int64(len(t.Data))
		}
	}
	return c
}
