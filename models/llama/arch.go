package llama

import (
	"fmt"
	"sort"
	"strings"
)

// An arch describes one architecture over the parts that all share. What a
// file says in its metadata is in [config]; what an architecture means
// without saying so is here.
type arch struct {
	name string

	norm      normKind
	noPreNorm bool   // attention and MLP read the residual stream as it is
	postNorm  bool   // their outputs are normalised before they are added
	ffnNorm   string // tensor of the norm before the MLP; empty means "ffn_norm"

	rotary        rotary
	partialRotary bool // rope.dimension_count may be less than the head size
	yarnLog       bool // rope.scaling.yarn_log_multiplier tempers YaRN's magnitude
	qkNorm        qkNorm

	fused                     bool // attn_qkv may hold Q, K and V, and, if gated, ffn_up gate and up
	qkvBias, outBias, mlpBias need

	act      activation
	plainMLP bool // no gate

	experts need
	routing routing

	learnedPositions bool

	// setup reads what only this architecture has; nil if there is nothing.
	setup func(c *config, r *metaReader)
}

type normKind uint8

const (
	rms       normKind = iota // RMSNorm
	layerNorm                 // LayerNorm with an optional bias
)

// rotary is which elements of a head rotary position embeddings turn together.
type rotary uint8

const (
	noRotary    rotary = iota
	interleaved        // 2i and 2i+1; ggml's "norm"
	halves             // i and i+n/2; ggml's "neox"
)

type qkNorm uint8

const (
	noQKNorm  qkNorm = iota
	perHead          // every head by itself, one weight for all
	fullWidth        // all heads together
)

type activation uint8

const (
	silu activation = iota
	gelu
	clampedSwiglu // gpt-oss
)

// routing is how the experts of a token are weighed.
type routing uint8

const (
	renormalised  routing = iota // softmax over all, divided by the sum of the chosen
	unnormalised                 // softmax over all
	softmaxChosen                // softmax over the chosen
)

// need says whether a file must have a tensor.
type need uint8

const (
	absent need = iota
	optional
	required
)

// archs lists the architectures, after llama.cpp's definition of each. To add
// one is to add a line, a setup function if it reads keys of its own, and its
// golden logits; a part that none here has goes to the layer it belongs to.
var archs = []arch{
	{name: "llama", rotary: interleaved, qkvBias: optional, outBias: optional, mlpBias: optional, experts: optional},
	{name: "mistral3", rotary: interleaved, partialRotary: true, yarnLog: true, qkvBias: optional, outBias: optional, mlpBias: optional, experts: optional, setup: setupMistral3},
	{name: "qwen2", rotary: halves, partialRotary: true, qkvBias: optional, outBias: optional},
	{name: "qwen2moe", rotary: halves, partialRotary: true, qkvBias: optional, experts: required, routing: unnormalised, setup: setupSharedExpert},
	{name: "qwen3", rotary: halves, partialRotary: true, qkNorm: perHead, qkvBias: optional},
	{name: "qwen3moe", rotary: halves, partialRotary: true, qkNorm: perHead, qkvBias: optional, experts: required},
	{name: "gemma", rotary: halves, partialRotary: true, act: gelu, setup: setupGemma},
	{name: "gemma2", rotary: halves, partialRotary: true, act: gelu, postNorm: true, setup: setupGemma2},
	{name: "gemma3", rotary: halves, partialRotary: true, act: gelu, postNorm: true, qkNorm: perHead, setup: setupGemma3},
	{name: "phi3", rotary: halves, partialRotary: true, fused: true, qkvBias: optional, setup: setupPhi3},
	{name: "gpt2", norm: layerNorm, fused: true, qkvBias: required, outBias: required, mlpBias: required, act: gelu, plainMLP: true, learnedPositions: true},
	{name: "starcoder2", norm: layerNorm, rotary: halves, partialRotary: true, qkvBias: optional, outBias: optional, mlpBias: optional, act: gelu, plainMLP: true},
	{name: "smollm3", rotary: interleaved, partialRotary: true, qkvBias: optional, outBias: optional, mlpBias: optional, setup: setupSmolLM3},
	{name: "granite", rotary: interleaved, partialRotary: true, qkvBias: optional, outBias: optional, mlpBias: optional, setup: setupGranite},
	{name: "olmo2", rotary: halves, partialRotary: true, noPreNorm: true, postNorm: true, qkNorm: fullWidth, setup: setupOlmo2},
	{name: "gpt-oss", rotary: halves, partialRotary: true, ffnNorm: "post_attention_norm", qkvBias: required, outBias: required, mlpBias: required,
		act: clampedSwiglu, experts: required, routing: softmaxChosen, setup: setupGPTOSS},
}

// architectures returns the names of the architectures that can run, as files
// spell them in general.architecture, sorted.
func architectures() []string {
	names := make([]string, len(archs))
	for i := range archs {
		names[i] = archs[i].name
	}
	sort.Strings(names)
	return names
}

func findArch(name string) (*arch, error) {
	for i := range archs {
		if archs[i].name == name {
			return &archs[i], nil
		}
	}
	return nil, fmt.Errorf("is %q; known are %s", clip(name), strings.Join(architectures(), ", "))
}

// clip shortens a name from a file for an error.
func clip(s string) string {
	const longest = 64
	if len(s) > longest {
		return s[:longest] + "…"
	}
	return s
}

func setupMistral3(c *config, r *metaReader) {
	c.tempScale = r.float("attention.temperature_scale", 0)
	c.tempOrig = c.ropeOrig
}

func setupSharedExpert(c *config, r *metaReader) {
	c.sharedFF = r.count("expert_shared_feed_forward_length", c.ff[0], maxWidth)
}

func setupGemma(c *config, _ *metaReader) {
	c.embedScale = sqrt32(c.embed)
}

// Gemma 2 and 3 come in one size each that divides the scores by the width
// of the model over its heads, and is known by its number of layers.
const (
	gemma2Layers27B = 46
	gemma3Layers27B = 62
)

func setupGemma2(c *config, r *metaReader) {
	c.embedScale = sqrt32(c.embed)
	c.attnCap = r.positive("attn_logit_softcapping", 50)
	c.finalCap = r.positive("final_logit_softcapping", 30)
	c.window = r.count("attention.sliding_window", 4096, maxContext)
	c.windowed = r.windowPattern(c, 2)
	c.windowBase = r.ropeBase("rope.freq_base_swa", c.ropeBase)
	if c.layers == gemma2Layers27B {
		c.attnScale = 1 / sqrt32(c.embed/c.heads[0])
	}
}

func setupGemma3(c *config, r *metaReader) {
	c.embedScale = sqrt32(c.embed)
	c.finalCap = r.float("final_logit_softcapping", 0)
	c.window = r.count("attention.sliding_window", 0, maxContext)
	if c.window > 0 {
		c.windowed = r.windowPattern(c, 6)
	}
	c.windowPlain = true
	c.windowBase = r.ropeBase("rope.freq_base_swa", 10000)
	if c.layers == gemma3Layers27B {
		c.attnScale = 1 / sqrt32(c.embed/c.heads[0])
	}
}

func setupPhi3(c *config, _ *metaReader) {
	c.longRope = true
}

// smolLM3NoRopeStep is the distance of the layers without position embedding.
const smolLM3NoRopeStep = 4

func setupSmolLM3(c *config, _ *metaReader) {
	for l := range c.noRope {
		c.noRope[l] = (l+1)%smolLM3NoRopeStep == 0
	}
}

func setupGranite(c *config, r *metaReader) {
	c.embedScale = r.float("embedding_scale", 0)
	c.residualScale = r.float("residual_scale", 0)
	c.logitDivisor = r.needFloat("logit_scale")
	if s := r.float("attention.scale", 0); s != 0 {
		c.attnScale = s
	}
	if !r.boolean("rope.scaling.finetuned", true) {
		for l := range c.noRope {
			c.noRope[l] = true
		}
	}
}

// setupOlmo2 covers Olmo 3 too, which is Olmo 2 with windows.
func setupOlmo2(c *config, r *metaReader) {
	c.window = r.count("attention.sliding_window", 0, maxContext)
	if c.window > 0 {
		c.windowed = r.windowPattern(c, 4)
		c.windowPlain, c.windowBare = true, true
		c.windowBase = c.ropeBase
	}
}

func setupGPTOSS(c *config, r *metaReader) {
	c.sinks = true
	c.window = r.count("attention.sliding_window", 0, maxContext)
	if c.window == 0 {
		r.fail("attention.sliding_window", "is missing or 0")
	}
	c.windowed = r.windowPattern(c, 2)
	c.windowBase = r.ropeBase("rope.freq_base_swa", c.ropeBase)
}
