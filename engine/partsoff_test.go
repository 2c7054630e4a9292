package engine

import (
	"math"
	"slices"
	"testing"
	"testing/synctest"

	"logitscope/models"
	"logitscope/models/fable"
	"logitscope/models/llama"
)

var someParts = []models.Part{{Kind: models.HeadPart, Layer: 2, Head: 2}, {Kind: models.MLPPart, Layer: 1}}

// direct returns the row after tokens, read with parts off from a position on.
func direct(t *testing.T, m models.Model, tokens []int32, parts []models.Part, from int) []float32 {
	t.Helper()
	s, err := m.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if from > 0 {
		if _, err := s.Forward(t.Context(), tokens[:min(from, len(tokens)-1)], 0); err != nil {
			t.Fatal(err)
		}
	}
	s.(models.Insider).SwitchOff(parts...)
	rows, err := s.Forward(t.Context(), tokens[s.Len():], 1)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(rows[0].Values)
}

// TestSwitchOff: the step at hand and those after it are made without the
// parts, with the whole model's row beside; taking them back makes the law the
// whole model's again, to the last bit.
func TestSwitchOff(t *testing.T) { synctest.Test(t, switchOff) }

func switchOff(t *testing.T) {
	m, err := fable.Open(llama.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	do := begin(t, NewLane(0, m, Options{}))
	prompt := m.Vocab().Encode("The capital of France is", models.EncodeOptions{AddSpecial: true})
	v := do(Start{Prompt: prompt, Settings: settings(t, m, "temperature", 0.8)}, Advance{3})
	plain := v.Next
	tokens := append(slices.Clone(prompt), v.output(3)...)
	from := len(tokens) - 1

	v = do(SwitchOff{someParts})
	if v.Off == nil || v.Off.From != from || v.Next.Off == nil || !slices.Equal(v.Next.Off.Parts, someParts) || len(v.Steps) != 3 {
		t.Fatalf("%+v, %+v", v.Off, v.Next.Off)
	}
	if !slices.Equal(v.Next.Row.Values, direct(t, m, tokens, someParts, from)) {
		t.Error("the proposal is not made without the parts")
	}
	if !slices.Equal(v.Next.Row.Whole, plain.Row.Values) {
		t.Error("the whole model's row is not beside it")
	}
	w := v.Next.Whole
	if w == nil || len(w.Probs) != len(v.Next.Trace.Rows()) || !(w.TV > 0 && w.TV <= 1) {
		t.Fatalf("%+v", w)
	}
	for i, r := range v.Next.Trace.Rows() {
		if was := plain.Trace.Row(r.ID); was != nil && math.Abs(float64(was.Prob-w.Probs[i])) > 1e-6 {
			t.Errorf("token %d: %v under the whole model, want %v", r.ID, w.Probs[i], was.Prob)
		}
	}
	v = do(Advance{4})
	tokens = append(slices.Clone(prompt), v.output(7)...)
	if !slices.Equal(v.Next.Row.Values, direct(t, m, tokens, someParts, from)) || !slices.Equal(v.Next.Row.Whole, direct(t, m, tokens, nil, 0)) {
		t.Error("the steps after it are not made without the parts")
	}
	for i, s := range v.Steps {
		if (s.Off != nil) != (i >= 3) {
			t.Errorf("step %d: off %v", i+1, s.Off)
		}
	}
	// Other parts are off from the same place on.
	other := []models.Part{{Kind: models.LayerPart, Layer: 3}}
	v = do(SwitchOff{other})
	if v.Off.From != from || !slices.Equal(v.Next.Row.Values, direct(t, m, tokens, other, from)) {
		t.Errorf("from %d, want %d", v.Off.From, from)
	}
	// A step taken back before that place moves it.
	v = do(Rewind{1})
	tokens = append(slices.Clone(prompt), v.output(1)...)
	if v.Off.From != len(tokens)-1 || !slices.Equal(v.Next.Row.Values, direct(t, m, tokens, other, len(tokens)-1)) {
		t.Errorf("after a rewind: from %d", v.Off.From)
	}
	do(Advance{5})
	v = do(SwitchOff{nil})
	tokens = append(slices.Clone(prompt), v.output(6)...)
	if v.Off != nil || v.Next.Off != nil || v.Next.Row.Whole != nil || !slices.Equal(v.Next.Row.Values, direct(t, m, tokens, nil, 0)) {
		t.Error("taken back, the law is not the whole model's")
	}
	do(SwitchOff{other})
	v = do(Start{Prompt: prompt, Settings: settings(t, m)})
	if v.Off != nil || v.Next.Row.Whole != nil || !slices.Equal(v.Next.Row.Values, direct(t, m, prompt, nil, 0)) {
		t.Error("a text does not begin with the whole model")
	}
}

// A row that was dropped is computed again without what it was made without,
// and a fork of a lane with parts off is whole.
func TestSwitchedOffLooksAndForks(t *testing.T) { synctest.Test(t, switchedOffLooksAndForks) }

func switchedOffLooksAndForks(t *testing.T) {
	m, err := fable.Open(llama.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	do := begin(t, NewLane(0, m, Options{LogitsBudget: 1}))
	prompt := m.Vocab().Encode("Once upon a time", models.EncodeOptions{AddSpecial: true})
	do(Start{Prompt: prompt, Settings: settings(t, m)}, Advance{2})
	do(SwitchOff{someParts})
	v := do(Advance{100})
	if v.Steps[4].Row != nil {
		t.Fatal("the row is still there")
	}
	v = do(Look{5})
	tokens := append(slices.Clone(prompt), v.output(4)...)
	from := len(prompt) + 1
	if v.Looked == nil || !slices.Equal(v.Looked.Row.Values, direct(t, m, tokens, someParts, from)) || !slices.Equal(v.Looked.Row.Whole, direct(t, m, tokens, nil, 0)) {
		t.Errorf("looked at %+v", v.Looked)
	}
	to := NewLane(1, m, Options{})
	did := begin(t, to)
	do(Fork{To: to, Len: 50, Settings: settings(t, m)})
	w := did()
	tokens = append(slices.Clone(prompt), w.output(50)...)
	if w.Off != nil || w.Next == nil || !slices.Equal(w.Next.Row.Values, direct(t, m, tokens, nil, 0)) {
		t.Error("the fork is not whole")
	}
	// A branch of the same prompt, and back.
	v = do(Adopt{Prompt: prompt, Steps: v.Steps[:1:1], Settings: settings(t, m)})
	tokens = append(slices.Clone(prompt), v.output(1)...)
	if !slices.Equal(v.Next.Row.Values, direct(t, m, tokens, someParts, len(tokens)-1)) {
		t.Error("the branch is not made without the parts")
	}
}

// A copy of the session is lent whole, with what is off beside it.
func TestLend(t *testing.T) { synctest.Test(t, lend) }

func lend(t *testing.T) {
	m, err := fable.Open(llama.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	do := begin(t, NewLane(0, m, Options{}))
	prompt := m.Vocab().Encode("Once upon a time", models.EncodeOptions{AddSpecial: true})
	do(Start{Prompt: prompt, Settings: settings(t, m)}, Advance{6})
	to := make(chan Lent, 1)
	do(Lend{Len: len(prompt) + 2, To: to})
	got := <-to
	if got.Err != nil || got.Session.Len() != len(prompt)+2 || len(got.Tokens) != len(prompt)+2 {
		t.Fatalf("%+v", got)
	}
	got.Session.Close()
	do(SwitchOff{someParts})
	v := do(Advance{3})
	do(Lend{Len: 1000, To: to})
	got = <-to
	if v.Off == nil || v.Off.From != len(prompt)+5 || got.Session.Len() > v.Off.From || len(got.Tokens) != len(prompt)+len(v.Steps) {
		t.Errorf("%+v", got)
	}
	got.Session.Close()
}

// A lane that drafts has read the text elsewhere: with parts off it drafts no
// more, and reads what came before with all of them on.
func TestSwitchOffWhileDrafting(t *testing.T) { synctest.Test(t, switchOffWhileDrafting) }

func switchOffWhileDrafting(t *testing.T) {
	m, err := fable.Open(llama.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	do := begin(t, NewLane(0, m, Options{Draft: Draft{NGram: true}}))
	prompt := m.Vocab().Encode("Once upon a time", models.EncodeOptions{AddSpecial: true})
	do(Start{Prompt: prompt, Settings: settings(t, m)})
	v := do(Advance{4})
	n := len(v.Steps)
	v = do(SwitchOff{someParts})
	tokens := append(slices.Clone(prompt), v.output(n)...)
	if v.Off == nil || v.Off.From != len(tokens)-1 || v.Next.Round != nil || !slices.Equal(v.Next.Row.Values, direct(t, m, tokens, someParts, len(tokens)-1)) {
		t.Errorf("%+v", v.Off)
	}
	v = do(SwitchOff{nil})
	if v.Off != nil || v.Next == nil || v.Next.Off != nil {
		t.Error("the draft does not go on")
	}
}
