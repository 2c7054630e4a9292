package llama

import (
	"fmt"
	"sort"

	"logitscope/models"
	"logitscope/models/gguf"
)

// A Description is what a file says about a model, as JSON has it.
type Description struct {
	Architecture    string      `json:"architecture"`
	Name            string      `json:"name"`
	License         string      `json:"license"`
	Parameters      int64       `json:"parameters"`
	FileBytes       int64       `json:"file_bytes"`
	Files           int         `json:"files"`
	Context         int         `json:"context"`       // the model's own limit
	OriginalContext int         `json:"rope_original"` // before rope scaling; 0 without rotary embeddings
	Vocabulary      int         `json:"vocabulary"`
	Layers          int         `json:"layers"`
	Embedding       int         `json:"embedding"`
	Heads           int         `json:"heads"` // of the first layer, here and below
	KVHeads         int         `json:"kv_heads"`
	HeadSize        int         `json:"head_size"`
	FeedForward     int         `json:"feed_forward"`
	Experts         int         `json:"experts"`      // 0 if the MLP is a single one
	ExpertsUsed     int         `json:"experts_used"` // by each token
	ExpertForward   int         `json:"expert_feed_forward"`
	SharedForward   int         `json:"shared_expert_feed_forward"`
	Rope            string      `json:"rope"` // none, linear or yarn scaling, or longrope; empty without rotary embeddings
	RopeBase        float64     `json:"rope_base"`
	RopeFactor      float64     `json:"rope_factor"`
	RopeDims        int         `json:"rope_dims"`
	Window          int         `json:"window"`        // positions that windowed layers see; 0 without them
	WindowLayers    int         `json:"window_layers"` // number of them
	TiedOutput      bool        `json:"tied_output"`   // the output matrix is the token embedding
	Arithmetic      string      `json:"arith"`
	KVType          string      `json:"kv_type"`
	FlashAttention  bool        `json:"flash_attn"`
	KVBytesPerToken int64       `json:"kv_bytes_per_token"`
	Tensors         []TensorMix `json:"tensors"`
}

// TensorMix is what a file holds of one tensor type.
type TensorMix struct {
	Type  string `json:"type"` // as ggml spells it, such as "Q8_0"
	Count int    `json:"count"`
	Elems uint64 `json:"elements"`
	Bytes uint64 `json:"bytes"`
}

// Describe returns what is known about the model.
func (m *Model) Describe() Description {
	c := m.cfg
	d := Description{
		Architecture: c.arch.name, Name: m.info.Name, License: m.info.License, Parameters: m.info.Params,
		FileBytes: int64(m.file.Size), Files: len(m.file.Parts),
		Context: c.contextLen, OriginalContext: c.ropeOrig, Vocabulary: c.vocab,
		Layers: c.layers, Embedding: c.embed, Heads: c.heads[0], KVHeads: c.kvHeads[0], HeadSize: c.keyLen,
		FeedForward: c.ff[0], Experts: c.experts, ExpertsUsed: c.expertsUsed, ExpertForward: c.expertFF, SharedForward: c.sharedFF,
		Rope: c.ropeName(), RopeBase: c.ropeBase, RopeFactor: c.ropeFactor, RopeDims: c.ropeDims,
		TiedOutput: m.w.tied, Arithmetic: m.info.Arithmetic.Name, KVType: m.info.Arithmetic.KVType, FlashAttention: m.info.Arithmetic.FlashAttention, KVBytesPerToken: m.store.bytes() / pageLen,
		Tensors: tensorMix(m.file),
	}
	for _, w := range c.windowed {
		if w {
			d.Window = c.window
			d.WindowLayers++
		}
	}
	return d
}

// Facts describes the model line by line: see [models.Describer].
func (m *Model) Facts() []models.Fact {
	d := m.Describe()
	var facts []models.Fact
	add := func(name, format string, args ...any) {
		facts = append(facts, models.Fact{Name: name, Value: fmt.Sprintf(format, args...)})
	}
	files := "1 file"
	if d.Files > 1 {
		files = fmt.Sprintf("%d files", d.Files)
	}
	add("file", "%s in %s", models.Bytes(d.FileBytes), files)
	name := "tensors"
	for _, t := range d.Tensors {
		add(name, "%s: %d tensors, %s", t.Type, t.Count, models.Bytes(int64(t.Bytes)))
		name = " "
	}
	add("layers", "%d of width %d, feed-forward %d", d.Layers, d.Embedding, d.FeedForward)
	add("attention", "%d heads of %d, %d KV heads", d.Heads, d.HeadSize, d.KVHeads)
	if d.Experts > 0 {
		add("experts", "%d of %d a token", d.ExpertsUsed, d.Experts)
	}
	if d.Window > 0 {
		add("window", "%d tokens in %d layers", d.Window, d.WindowLayers)
	}
	if d.Rope != "" {
		add("rope", "base %g, scaling %s, factor %g", d.RopeBase, d.Rope, d.RopeFactor)
	}
	arith := d.Arithmetic
	if d.FlashAttention {
		arith += ", flash attention"
	}
	add("arithmetic", "%s", arith)
	n := m.info.ContextLen
	add("KV cache", "%s at %s tokens in %s", models.Bytes(m.KVBytes(n)), models.Commas(int64(n)), d.KVType)
	return facts
}

// KVBytes returns what a cache of a number of tokens takes.
func (m *Model) KVBytes(tokens int) int64 {
	pages := (int64(tokens) + pageLen - 1) / pageLen
	return pages * m.store.bytes()
}

func (c *config) ropeName() string {
	switch {
	case c.arch.rotary == noRotary:
		return ""
	case c.longRope && c.divided:
		return "longrope"
	case c.scaling == yarnScaling:
		return "yarn"
	case c.divided:
		return "llama3"
	case c.ropeFactor != 1:
		return "linear"
	}
	return "none"
}

// tensorMix sums up the tensors of each type, most elements first.
func tensorMix(f *gguf.File) []TensorMix {
	at := make(map[gguf.Type]int)
	var mix []TensorMix
	for i := range f.Tensors {
		t := &f.Tensors[i]
		k, ok := at[t.Type]
		if !ok {
			k = len(mix)
			at[t.Type] = k
			mix = append(mix, TensorMix{Type: t.Type.String()})
		}
		mix[k].Count++
		mix[k].Elems += t.Elems()
		mix[k].Bytes += uint64(len(t.Data))
	}
	sort.SliceStable(mix, func(i, j int) bool { return mix[i].Elems > mix[j].Elems })
	return mix
}
