// Package models answers: what is a language model to the rest of the program?
// It says what a language model is to the rest of the program.
//
// Implementations live in subpackages: gguf reads weight files, llama runs
// them in pure Go, tokenizer splits text, table is a model small enough to
// check by hand, fable is the built-in one, remote talks to servers, and open
// finds the right one for a name. None of them knows about sampling.
package models

import (
	"context"
	"errors"
)

// NoToken is the id of no token.
const NoToken int32 = -1

var (
	// ErrContextFull means a session has no room for the tokens it was given.
	ErrContextFull = errors.New("the context is full")

	// ErrNotSupported means a backend cannot do what was asked of it.
	ErrNotSupported = errors.New("not supported by this backend")
)

// A Model is a set of loaded weights, or a server that has them. It is safe
// for concurrent use; what one sequence remembers lives in its [Session].
type Model interface {
	Info() Info
	Vocab() Vocab

	// NewSession returns an empty session. The caller must close it.
	NewSession() (Session, error)

	// Close frees what the model holds. No session may be used after it.
	Close() error
}

// Info describes a model. It does not change after loading.
type Info struct {
	Name       string // as the file or server gives it, such as "fable"
	Arch       string // such as "llama", "table"
	Quant      string // the commonest tensor type in lower case, such as "q8_0"; empty if unknown
	Note       string // one line the user should know, such as that the model is a toy; may be empty
	License    string // as the file states it; may be empty
	Server     string // the kind of server that runs it, such as "llama-server"; empty if it runs here
	Address    string // of the server, such as "127.0.0.1:8080"
	Parallel   int    // requests that the server works on at once; 0 if it does not say
	Params     int64  // number of weights; 0 if unknown
	ContextLen int    // most tokens a session can hold
	VocabSize  int    // width of a row of logits
	Embedding  int    // width of a hidden state; 0 if unknown

	// Arithmetic is how a model that runs here computes; zero elsewhere.
	Arithmetic Arithmetic

	// ChatTemplate is the Jinja source that wraps a conversation, or empty.
	ChatTemplate string

	// BOS and EOS are the texts of the tokens that a chat template writes, as
	// a server tells them; empty where the vocabulary knows them, or nobody.
	BOS, EOS string

	// GoTemplate is such a template in Go's template language, which Ollama's
	// models have in its place, System the system message that goes with it,
	// and First what conversations begin with. All may be empty.
	GoTemplate, System string
	First              []Message

	// Defaults are sampling settings the file or server recommends; may be
	// nil. DefaultsOf is the engine under whose key names they are, such as
	// "ollama"; empty means those of GGUF files ("general.sampling.top_k").
	Defaults   map[string]any
	DefaultsOf string

	Caps Caps
}

// Arithmetic says what logits depend on beside the weights: what is rounded,
// and in what order sums run.
type Arithmetic struct {
	Name           string `json:"name"`    // "exact", or the engine whose numbers it repeats, such as "llama.cpp"
	KVType         string `json:"kv_type"` // how the cache stores keys and values: "f32" or "f16"
	FlashAttention bool   `json:"flash_attn,omitempty"`
}

// Foreign reports whether it repeats another engine's numbers.
func (a Arithmetic) Foreign() bool { return a.Name != "" && a.Name != Exact }

// Exact is the name of the arithmetic that rounds nothing but results.
const Exact = "exact"

// Chats reports whether the model says how a conversation is wrapped.
func (i Info) Chats() bool {
	return i.ChatTemplate != "" || i.GoTemplate != "" || i.Caps.ObserveOnly
}

// Caps says what a backend can do. A local model can do everything, so its
// zero value describes a local model.
type Caps struct {
	TopN         int  // largest number of logits a step reports; 0 means the whole vocabulary
	Normalised   bool // the values are log-probabilities: logits up to an unknown constant
	TextOnly     bool // the backend takes text, not token ids
	ObserveOnly  bool // the backend chooses the token itself; steps can only be watched
	PromptScores bool // one Forward can return logits of several positions at once
	Recorded     bool // the logits come from a recording: how fast they come says nothing
}

// A Session is one sequence and the KV cache that remembers it. It is not
// safe for concurrent use.
type Session interface {
	// Len returns the number of tokens in the cache.
	Len() int

	// Forward appends tokens to the cache and returns the logits that follow
	// each of the last want of them, oldest first: want is 1 to decode, k+1
	// to verify k drafted tokens, 0 to fill the cache only. The result is
	// valid until the next call on the session.
	//
	// If ctx ends first, Forward returns its error and leaves the cache at
	// the last token it finished. If the tokens do not fit it returns an
	// error that wraps [ErrContextFull] and changes nothing. It panics if
	// tokens is empty, or want is negative or more than len(tokens).
	Forward(ctx context.Context, tokens []int32, want int) ([]Logits, error)

	// Truncate forgets every token from position n on. It panics if n is
	// negative or beyond Len.
	Truncate(n int)

	Close() error
}

// A Forker is a [Session] that can copy itself cheaply, sharing what both
// have in the cache. Sessions without it are forked by feeding a new session
// the same tokens.
type Forker interface {
	Session
	Fork() (Session, error)
}

// A Batcher is a [Model] that can run one token of each of several of its own
// sessions in a single pass over the weights.
type Batcher interface {
	// ForwardBatch appends tokens[i] to sessions[i] and returns the logits
	// that follow each. It is equal, bit for bit, to calling Forward on each
	// session. The result is valid until the next call on any of them. The
	// sessions must be distinct and belong to the model.
	ForwardBatch(ctx context.Context, sessions []Session, tokens []int32) ([]Logits, error)
}

// A Forester is a [Model] that can run several continuations of one text in a
// single pass over the weights, what they begin with alike once: tree
// attention (Miao et al. 2023, arXiv 2305.09781).
type Forester interface {
	// ForwardPaths appends paths[i] to sessions[i] and returns the logits that
	// follow each token of each path: row [i][j] belongs to paths[i][j]. There
	// must be a path for each session, one at least, and no path may be empty.
	// The sessions must be distinct, belong to the model and hold the same
	// tokens. It is equal, bit for bit, to calling Forward on each session. The
	// rows are valid until the next call on any of the sessions. If ctx ends
	// first, or a path does not fit or has a token that is not in the
	// vocabulary, it returns an error and all sessions are left as they were.
	ForwardPaths(ctx context.Context, sessions []Session, paths [][]int32) ([][]Logits, error)
}

// A HiddenStater is a [Session] that shows the final hidden states, which
// contrastive search compares.
type HiddenStater interface {
	Session

	// Hidden returns the final (normalised) hidden state of the i-th of the
	// want positions of the last Forward, length Info.Embedding. It is valid
	// until the next call on the session. It panics if i is out of range.
	Hidden(i int) []float32
}

// A Summer is a [Model] that comes from a file.
type Summer interface {
	Model

	// SHA256 returns the SHA-256 of the file in hex. It reads the whole file
	// the first time, and may be called from several goroutines.
	SHA256() (string, error)
}

// A Rememberer is a [Model] that was made of a recording.
type Rememberer interface {
	Model

	// SecondRow returns the row that was recorded beside the model's own after
	// tokens, of what of names; nil if there is none. It is not to be changed.
	SecondRow(tokens []int32, of string) []float32
}

// A KVSizer is a [Session] that knows what its cache costs.
type KVSizer interface {
	// KVBytes returns the bytes the cache holds now and the bytes it would
	// hold at the full context length.
	KVBytes() (now, full int64)
}

// Logits are the unnormalised log-probabilities of the next token.
type Logits struct {
	IDs    []int32   // the tokens that Values score; nil means Values[i] scores token i
	Values []float32 // not to be modified by the caller

	// Rest is the probability that a partial row leaves to the tokens it does
	// not name, 0 to 1; zero for a whole row.
	Rest float32

	// Strayed means that a backend which takes text read it as other tokens
	// than those it was joined from: the row follows those.
	Strayed bool
}

// A Vocab maps between text and token ids. It is immutable and safe for
// concurrent use.
type Vocab interface {
	// Size returns the number of ids; it equals the width of a row of logits,
	// so it may include ids without a piece.
	Size() int

	// Encode splits text into tokens.
	Encode(text string, opt EncodeOptions) []int32

	// Piece returns the bytes of one token, which need not be whole UTF-8.
	// For a control token it is the token's name, such as "<|endoftext|>".
	// It is empty for an id without a piece.
	Piece(id int32) string

	// Attr returns what kind of token id is; ids out of range are [Unused].
	Attr(id int32) Attr

	// EOG lists the ids that end generation, ascending. It may be empty. The
	// caller must not modify it.
	EOG() []int32
}

// EncodeOptions says how [Vocab.Encode] treats special tokens.
type EncodeOptions struct {
	AddSpecial   bool // add what the model expects around a text, such as a BOS token
	ParseSpecial bool // read the names of control tokens in the text as those tokens
}

// Attr is the kind of a token.
type Attr uint8

const (
	Normal  Attr = iota // ordinary text
	Control             // structure, such as <|endoftext|>; not part of the text written
	User                // user-defined: matched whole, part of the text
	Byte                // one byte, for text no other token covers
	Unused              // no piece: padding of the vocabulary; must never be sampled
)
