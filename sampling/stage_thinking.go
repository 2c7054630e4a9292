package sampling

import (
	"logitscope/sampling/thinking"
)

// A thinkingStage closes a block of thinking when its budget of tokens is used
// up: it forces the tokens that end it.
type thinkingStage struct {
	next  func(prompt, output []int32) (id int32, ok bool)
	force func(r *step, id int32)
}

func (s *thinkingStage) apply(r *step) {
	if id, ok := s.next(r.in.Prompt, r.in.Output); ok {
		s.force(r, id)
	}
}

// thinkingVLLM forces as vLLM does.
func thinkingVLLM(b *thinking.Block) *thinkingStage { return &thinkingStage{b.VLLM, raise} }

// thinkingLlama forces as llama.cpp does.
func thinkingLlama(b *thinking.Block, message []int32, whole func(output []int32) bool) *thinkingStage {
	return &thinkingStage{func(prompt, output []int32) (int32, bool) { return b.Llama(message, whole, prompt, output) }, leave}
}

// raise gives the token a logit that no other has.
func raise(r *step, id int32) {
	if pos, ok := r.Position(id); ok {
		if i := r.Entry(pos); i >= 0 {
			r.Set(i, 1e9)
		}
	}
}

// leave leaves the token alone.
func leave(r *step, id int32) {
	(&forceStage{[]int32{id}, func(*Input) bool { return true }}).apply(r)
}

// control returns the tokens of a text that a model may have as one token.
func (b *Builder) control(key string) []int32 {
	text := b.Text(key)
	if b.v != nil {
		for id := range int32(b.v.Size()) {
			if b.v.HasPiece(id) && b.v.Piece(id) == text {
				return []int32{id}
			}
		}
	}
	return b.encode(key, text)
}

func buildThinking(b *Builder) (Action, string) {
	block := b.thinking()
	if block == nil {
		return nil, ""
	}
	return thinkingVLLM(block), b.Format("thinking_budget")
}

func buildThinkingLlama(b *Builder) (Action, string) {
	block := b.thinking()
	if block == nil {
		return nil, ""
	}
	var message []int32
	if text := b.Text("thinking_message"); text != "" {
		message = b.encode("thinking_message", text)
	}
	v := b.v
	whole := func(output []int32) bool { return thinking.EndsWhole(v.Piece, output) }
	return thinkingLlama(block, message, whole), b.Format("thinking_budget")
}

// thinking returns the block that has a budget, nil if none has.
func (b *Builder) thinking() *thinking.Block {
	n := b.Int("thinking_budget")
	if n < 0 {
		return nil
	}
	block := &thinking.Block{Budget: n, Start: b.control("thinking_start"), End: b.control("thinking_end")}
	if len(block.Start) == 0 || len(block.End) == 0 {
		return nil
	}
	return block
}

var (
	thinkingDef = &Stage{Name: "thinking", Keys: []string{"thinking_budget", "thinking_start", "thinking_end"},
		Build: buildThinking}
	thinkingLlamaDef = &Stage{Name: "thinking", Keys: []string{"thinking_budget", "thinking_start", "thinking_end", "thinking_message"},
		Build: buildThinkingLlama}
	thinkingLabDef = &Stage{Name: "thinking",
		Keys: []string{"thinking_budget", "thinking_start", "thinking_end", "thinking_message", "thinking_rules"},
		Build: func(b *Builder) (Action, string) {
			if b.Text("thinking_rules") == "llama.cpp" {
				return buildThinkingLlama(b)
			}
			return buildThinking(b)
		}}
)
