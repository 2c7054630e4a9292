package models

import "context"

// An Anatomy is what the layers of a model are built of.
type Anatomy struct {
	Heads   []int  // query heads, by layer: there are as many layers as elements
	KVHeads []int  // by layer; the query heads share them evenly, neighbours first
	Windows []int  // by layer: how many positions a position sees, itself included; 0 for all
	Sinks   bool   // part of each head's attention goes to no position
	Tied    bool   // the output matrix is that of the embeddings
	Cache   string // what the cache stores of keys and values: "f32" or "f16"
}

// Layers returns the number of layers.
func (a Anatomy) Layers() int { return len(a.Heads) }

// A PartKind is a kind of part that can be switched off.
type PartKind uint8

const (
	HeadPart      PartKind = iota // one query head: its output is 0
	AttentionPart                 // a layer's attention adds nothing
	MLPPart                       // a layer's MLP adds nothing
	LayerPart                     // both
)

// A Part is a piece of a model that can be switched off. Parts are comparable.
type Part struct {
	Kind  PartKind
	Layer int // from 0
	Head  int // from 0; of HeadPart
}

// An Inside is what went on in a pass. Whoever asks for it owns it; its
// buffers are reused when it is filled again.
type Inside struct {
	Rows   int // positions that were looked at: the last ones of the pass
	States []float32

	// Attention is by layer the weights of the last position's heads, (heads,
	// Len): each head's sum to 1, less what goes to its sink. What a head cannot
	// see is 0.
	Attention [][]float32
	Sinks     [][]float32 // by layer (heads): the share of the sink; 0 without
	Len       int         // positions, the last one included

	width int
}

// Reserve makes room for a pass of an implementation.
func (in *Inside) Reserve(a Anatomy, rows, width, length int) {
	in.Rows, in.Len, in.width = rows, length, width
	in.States = sized(in.States, (a.Layers()+1)*rows*width)
	in.Attention, in.Sinks = sized(in.Attention, a.Layers()), sized(in.Sinks, a.Layers())
	for l, heads := range a.Heads {
		in.Attention[l], in.Sinks[l] = sized(in.Attention[l], heads*length), sized(in.Sinks[l], heads)
		clear(in.Attention[l])
		clear(in.Sinks[l])
	}
}

func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		t := make([]T, n)
		copy(t, s)
		return t
	}
	return s[:n]
}

// State returns the residual stream of a row after a layer, from 1; that of
// layer 0 is the word itself: its embedding, with its position where a model
// adds one.
func (in *Inside) State(layer, row int) []float32 {
	at := (layer*in.Rows + row) * in.width
	return in.States[at : at+in.width : at+in.width]
}

// Layer returns the states of all rows after a layer, (Rows, width).
func (in *Inside) Layer(layer int) []float32 {
	n := in.Rows * in.width
	return in.States[layer*n : (layer+1)*n : (layer+1)*n]
}

// Head returns what a head of a layer, both from 0, looks at.
func (in *Inside) Head(layer, head int) []float32 {
	return in.Attention[layer][head*in.Len : (head+1)*in.Len : (head+1)*in.Len]
}

// An Insider is a [Session] whose passes can be looked into, and parts of which
// can be switched off. It costs nothing while nobody does.
type Insider interface {
	Session
	Anatomy() Anatomy

	// Look is [Session.Forward] that fills in what went on at the positions
	// wanted, of which there must be at least one. Its logits are Forward's to
	// the last bit.
	Look(ctx context.Context, tokens []int32, want int, in *Inside) ([]Logits, error)

	// Lens sets dst (n, vocabulary) to the logits of n states: through the
	// final norm, the output matrix and what follows it, as the last layer's
	// are; or bare, through the output matrix alone.
	Lens(dst, states []float32, bare bool)

	// SwitchOff says which parts are off from now on, in place of those before.
	// What is in the cache stays. It panics if there is no such part.
	SwitchOff(parts ...Part)
}

// An Anatomist is a [Model] whose sessions are [Insider]s.
type Anatomist interface {
	Model
	Anatomy() Anatomy
}
