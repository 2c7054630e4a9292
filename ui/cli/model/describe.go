package model

import (
	"math"
	"strconv"
	"strings"

	"logitscope/models"
	"logitscope/models/llama"
)

// factsJSON is what models info --json prints.
func factsJSON(m models.Model, facts []models.Fact) any {
	if l, ok := m.(*llama.Model); ok {
		info := m.Info()
		return struct {
			llama.Description
			RunContext   int            `json:"run_context"`
			KVBytes      int64          `json:"kv_bytes"`
			EOG          []int32        `json:"eog"`
			ChatTemplate string         `json:"chat_template,omitempty"`
			Defaults     map[string]any `json:"sampling_defaults,omitempty"`
			Note         string         `json:"note,omitempty"`
		}{l.Describe(), info.ContextLen, l.KVBytes(info.ContextLen), m.Vocab().EOG(), info.ChatTemplate, info.Defaults, info.Note}
	}
	out := make(map[string]any, len(facts)+1)
	for _, f := range facts {
		out[strings.ReplaceAll(f.Name, " ", "_")] = f.Value
	}
	if _, remote := m.(models.Meter); remote {
		out["capabilities"] = capabilitiesOf(m.Info())
	}
	return out
}

// capabilities are what a server can do, for programs.
type capabilities struct {
	Stepwise     bool `json:"stepwise"`      // tokens are chosen here; else they can only be watched
	TokenIDs     bool `json:"token_ids"`     // it takes token ids; else text
	TopN         int  `json:"top_n"`         // most tokens that a row names; 0 is all
	Logits       bool `json:"logits"`        // rows are logits; else log-probabilities
	PromptScores bool `json:"prompt_scores"` // one request scores several positions
	Context      int  `json:"context"`       // tokens; 0 is unknown
	Vocabulary   int  `json:"vocabulary"`    // tokens; 0 is unknown
}

func capabilitiesOf(info models.Info) capabilities {
	c := capabilities{
		Stepwise: !info.Caps.ObserveOnly, TokenIDs: !info.Caps.TextOnly, TopN: info.Caps.TopN,
		Logits: !info.Caps.Normalised, PromptScores: info.Caps.PromptScores,
		Context: info.ContextLen, Vocabulary: info.VocabSize,
	}
	if info.Caps.ObserveOnly {
		c.Vocabulary = 0
	}
	return c
}

// appendNumber writes f as JSON: the shortest decimal that reads back as the
// same float32, null for what JSON has no number for.
func appendNumber(b []byte, f float32) []byte {
	if x := float64(f); math.IsNaN(x) || math.IsInf(x, 0) {
		return append(b, "null"...)
	}
	return strconv.AppendFloat(b, float64(f), 'g', -1, 32)
}
