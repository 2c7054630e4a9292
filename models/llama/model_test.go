package llama

import (
	"reflect"
	"strings"
	"testing"

	"logitscope/models"
)

// TestInfo checks what a model says of itself.
func TestInfo(t *testing.T) {
	m := load(t, "testdata/arch/granite-scales.gguf.gz", Options{ContextLen: 100, Note: "a note"})
	got := m.Info()
	want := models.Info{
		Name: "tiny random granite-scales", Arch: "granite", Quant: "f32", Note: "a note",
		Arithmetic: models.Arithmetic{Name: "exact", KVType: "f32"},
		Params:     got.Params, ContextLen: 100, VocabSize: 300, Embedding: 32,
		Caps: models.Caps{PromptScores: true},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	// Two matrices of the vocabulary, and in each of two layers Q, K, V, O,
	// three of the MLP, and norms.
	layer := 32*32 + 2*32*16 + 32*32 + 3*32*48 + 2*32
	if want := int64(2*300*32 + 2*layer + 32); got.Params != want {
		t.Errorf("%d parameters, want %d", got.Params, want)
	}
	d := m.Describe()
	if d.Context != 256 || d.Layers != 2 || d.Heads != 4 || d.KVHeads != 2 || d.HeadSize != 8 || d.FeedForward != 48 || d.TiedOutput {
		t.Errorf("described as %+v", d)
	}
	var elems uint64
	for _, x := range d.Tensors {
		elems += x.Elems
	}
	if elems != uint64(got.Params) {
		t.Errorf("tensors add up to %d elements, want %d", elems, got.Params)
	}
}

// TestOptions: options out of range are refused.
func TestOptions(t *testing.T) {
	for _, opt := range []Options{{ContextLen: 257}, {ContextLen: -1}, {Workers: -1}, {KVType: 7}} {
		f := parse(t, "testdata/arch/granite-scales.gguf.gz")
		if m, err := New(f, opt); err == nil {
			m.Close()
			t.Errorf("%+v is accepted", opt)
		}
	}
	if err := checkMemory("big.gguf", 9<<30, 8<<30); err == nil || !strings.Contains(err.Error(), "9.0 GiB") || !strings.Contains(err.Error(), "8.0 GiB") {
		t.Errorf("a model larger than memory: %v", err)
	}
	if err := checkMemory("big.gguf", 9<<30, 0); err != nil {
		t.Errorf("memory of unknown size: %v", err)
	}
}
