package record

import (
	"slices"
	"testing"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/models/fable"
	"logitscope/models/llama"
)

// A step that was made with parts of the model off says so.
func TestStepNamesPartsOff(t *testing.T) {
	m, err := fable.Open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	s := &engine.Step{Off: &engine.Off{Parts: []models.Part{{Kind: models.HeadPart, Layer: 2, Head: 2}, {Kind: models.LayerPart}}}}
	if got := newStep(s, m.Vocab(), 5).Off; !slices.Equal(got, []string{"layer 3 head 3", "layer 1"}) {
		t.Error(got)
	}
}
