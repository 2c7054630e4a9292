package chat

import (
	"bytes"
	"strings"
)

// The marks around hidden reasoning in the texts of models that write it.
const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// Reasons reports whether a prompt leaves the model inside hidden reasoning,
// as templates do that begin it themselves.
func Reasons(prompt string) bool {
	open := strings.LastIndex(prompt, thinkOpen)
	return open >= 0 && !strings.Contains(prompt[open:], thinkClose)
}

// Reasoning returns where the hidden reasoning of a text begins and ends, its
// marks included, in bytes; both are 0 where there is none. begun says that
// the prompt has begun it. It reaches to the end while it has none.
func Reasoning(text []byte, begun bool) (from, to int) {
	if !begun {
		if from = bytes.Index(text, []byte(thinkOpen)); from < 0 {
			return 0, 0
		}
	}
	end := bytes.Index(text[from:], []byte(thinkClose))
	if end < 0 {
		return from, len(text)
	}
	return from, from + end + len(thinkClose)
}
