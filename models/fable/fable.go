// Package fable answers: what runs where no model is given? It holds the
// built-in models in the binary: "fable", and the smaller "fable-draft" that
// guesses its tokens for speculative decoding.
//
// Both are Llama models trained from scratch for this project; the folder
// training says how, from what, and how good they are. The weights are
// dedicated to the public domain (CC0-1.0).
package fable

import (
	_ "embed" // for the weights
	"unsafe"

	"logitscope/models/gguf"
	"logitscope/models/llama"
)

// Name and DraftName are the names of the models.
const (
	Name      = "fable"
	DraftName = "fable-draft"
)

const (
	note      = "A toy: 4.5 million weights, trained from scratch on public-domain tales and synthetic facts."
	draftNote = "A toy that drafts for fable: 0.8 million weights, trained from scratch on the same text."
)

// As strings the weights stay in the read-only part of the binary.
var (
	//go:embed fable.q8_0.gguf
	target string

	//go:embed fable-draft.q8_0.gguf
	draft string
)

// Open returns the built-in model. It costs a few milliseconds at most; the
// weights are read in place, from the binary. The caller must close it.
func Open(opt llama.Options) (*llama.Model, error) { return open(Name, target, note, opt) }

// OpenDraft returns the draft of the built-in model, which has the same
// vocabulary. The caller must close it.
func OpenDraft(opt llama.Options) (*llama.Model, error) {
	return open(DraftName, draft, draftNote, opt)
}

func open(name, data, note string, opt llama.Options) (*llama.Model, error) {
	f, err := gguf.Parse(name, unsafe.Slice(unsafe.StringData(data), len(data)))
	if err != nil {
		return nil, err
	}
	opt.Note = note
	return llama.New(f, opt)
}
