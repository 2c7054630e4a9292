package shallow

import (
	"context"
	"slices"
	"strings"
	"testing"

	"logitscope/models"
	"logitscope/models/fable"
	"logitscope/models/llama"
)

func row(t *testing.T, m models.Model, tokens []int32) []float32 {
	t.Helper()
	s, err := m.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rows, err := s.Forward(context.Background(), tokens, 1)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(rows[0].Values)
}

// Without a layer the model says something else, and the whole one is as it
// was; a copy of a session leaves the same out.
func TestShallow(t *testing.T) {
	m, err := fable.Open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	tokens := m.Vocab().Encode("The capital of France is", models.EncodeOptions{AddSpecial: true})
	whole := row(t, m, tokens)
	s, err := New(m, []int{4, 2, 4})
	if err != nil {
		t.Fatal(err)
	}
	if s.Info().Name != "fable without layers 2,4" || s.Info().VocabSize != m.Info().VocabSize {
		t.Errorf("%+v", s.Info())
	}
	less := row(t, s, tokens)
	if slices.Equal(less, whole) || !slices.Equal(row(t, m, tokens), whole) {
		t.Error("the layers are not left out, or not there alone")
	}
	plain, err := m.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	plain.(models.Insider).SwitchOff(models.Part{Kind: models.LayerPart, Layer: 1}, models.Part{Kind: models.LayerPart, Layer: 3})
	if rows, err := plain.Forward(context.Background(), tokens, 1); err != nil || !slices.Equal(rows[0].Values, less) {
		t.Errorf("another law than with the layers switched off: %v", err)
	}
	if s.Close(); !slices.Equal(row(t, m, tokens), whole) {
		t.Error("closing the draft closed the model")
	}
	for _, tt := range []struct {
		layers []int
		want   string
	}{{[]int{6}, "layer 6: must be from 1 to 5"}, {[]int{0}, "layer 0: must be from 1 to 5"}, {nil, "no layers to leave out"}, {[]int{1, 2, 3, 4, 5}, "all 5 layers are left out"}} {
		if _, err := New(m, tt.layers); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %s", tt.layers, err, tt.want)
		}
	}
}

func TestParse(t *testing.T) {
	for list, want := range map[string][]int{"3": {3}, "3,5-7": {3, 5, 6, 7}, " 1 , 2 ": {1, 2}} {
		if got, err := parse(list); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v", list, got, err)
		}
	}
	for _, list := range []string{"", "x", "0", "5-3", "1-", "1-99999999999", "-2", "1,,2"} {
		if got, err := parse(list); err == nil {
			t.Errorf("%q is read as %v", list, got)
		}
	}
}
