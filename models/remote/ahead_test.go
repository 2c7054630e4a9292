package remote_test

import (
	"fmt"
	"math"
	"net/http"
	"testing"

	"logitscope/models"
	"logitscope/models/remote"
	"logitscope/models/remote/remotetest"
)

// TestGuessForgotten changes the tokens before a row that was fetched ahead:
// that row must not be used.
func TestGuessForgotten(t *testing.T) {
	local := newToy(50)
	for _, f := range fakes {
		m := serve(t, f.serve(local, f.opt), f.spec, remote.Options{Logits: f.logits})
		s, _ := m.NewSession()
		defer s.Close()
		s.(models.Lookahead).SetAhead(models.Ahead{Rows: 2, Greedy: true})
		l, err := s.Forward(t.Context(), []int32{258, 259, 260}, 1)
		if err != nil {
			t.Fatal(err)
		}
		next := int32(argmax(l[0].Values))
		s.Truncate(0)
		if _, err := s.Forward(t.Context(), []int32{270, 271, 272}, 0); err != nil {
			t.Fatal(err)
		}
		l, err = s.Forward(t.Context(), []int32{next}, 1)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, f.name, l[0], local.row([]int32{271, 272, next}), f.like)
	}
}

// TestAheadOverParts goes ahead where the likely text has characters in parts,
// of which the server leaves out steps.
func TestAheadOverParts(t *testing.T) {
	local := newToy(5)
	local.parts = true
	m := serve(t, remotetest.LlamaServer(local, remotetest.Options{}), "llama-server:URL", remote.Options{Logits: remote.LogitsNever})
	s, _ := m.NewSession()
	defer s.Close()
	s.(models.Lookahead).SetAhead(models.Ahead{Rows: 6, Greedy: true})
	tokens := []int32{70}
	for i := range 300 {
		l, err := s.Forward(t.Context(), tokens[len(tokens)-1:], 1)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, fmt.Sprint("step ", i), l[0], local.row(tokens), upToConstant)
		tokens = append(tokens, int32(argmax(l[0].Values)))
	}
	if st := m.(models.Meter).Stats(); st.AheadHits < 20 {
		t.Errorf("%d rows had been fetched ahead", st.AheadHits)
	}
}

// TestOtherPaths opens an SGLang server whose pages have other names.
func TestOtherPaths(t *testing.T) {
	fake := remotetest.SGLang(newToy(5), remotetest.Options{})
	names := map[string]string{"/model_info": "/get_model_info", "/server_info": "/get_server_info", "/v1/tokenize": "/tokenize", "/v1/detokenize": "/detokenize", "/v1/models": "/v1/models", "/generate": "/generate"}
	m := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, ok := names[r.URL.Path]
		if !ok {
			write(w, 404, "application/json", `{"detail":"Not Found"}`)
			return
		}
		r.URL.Path = name
		fake.ServeHTTP(w, r)
	}), "sglang:URL", remote.Options{})
	if ids, err := models.Encode(t.Context(), m.Vocab(), " the", models.EncodeOptions{}); err != nil || len(ids) != 1 {
		t.Errorf("%v, %v", ids, err)
	}
}

// TestLevelsOfPart finds the logits of rows of a part of the vocabulary, also
// where the row has no token of the prompt, and leaves it when told to.
func TestLevelsOfPart(t *testing.T) {
	local := newToy(2000)
	m := serve(t, remotetest.LlamaServer(local, remotetest.Options{}), "llama-server:URL", remote.Options{TopN: 30})
	if caps := m.Info().Caps; caps.Normalised || caps.TopN != 30 {
		t.Fatalf("Caps = %+v", caps)
	}
	s, _ := m.NewSession()
	defer s.Close()
	ref := &toySession{t: local}
	step := func(tokens ...int32) models.Logits {
		t.Helper()
		got, err := s.Forward(t.Context(), tokens, 1)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := ref.Forward(t.Context(), tokens, 1)
		l, row := got[0], want[0].Values
		shift, sum := 0.0, 0.0
		if remote.PlainOf(s) {
			shift = logSum(row)
		}
		for i, id := range l.IDs {
			if d := float64(l.Values[i]) - (float64(row[id]) - shift); math.Abs(d) > 1e-5 {
				t.Fatalf("%d tokens: logit of %d is off by %g", s.Len(), id, d)
			}
			sum += math.Exp(float64(row[id]) - logSum(row))
		}
		if len(l.IDs) != 30 || math.Abs(float64(l.Rest)-(1-sum)) > 1e-5 {
			t.Fatalf("%d ids, rest %v, want %v", len(l.IDs), l.Rest, 1-sum)
		}
		return l
	}
	step(3, 259) // the last is a part of a character
	for i := range int32(30) {
		step(300 + 13*i)
	}
	for range 10 {
		l := step(301)
		step(l.IDs[3])
	}
	n := m.(models.Meter).Stats().Requests
	s.(models.Leveller).SetLevels(false)
	s.(models.Lookahead).SetAhead(models.Ahead{Rows: 3, Greedy: true})
	l := step(77)
	for range 9 {
		l = step(int32(l.IDs[0]))
	}
	if n = m.(models.Meter).Stats().Requests - n; n > 6 {
		t.Errorf("%d requests for 10 plain rows with 3 ahead", n)
	}
	s.(models.Leveller).SetLevels(true)
	step(int32(l.IDs[0]))
}

// TestLevels finds the level of models whose logits are moved far from zero,
// at prompts of one token, of one token over and over, and of nothing but
// parts of characters.
func TestLevels(t *testing.T) {
	for _, shift := range []float64{-110, -45, -12, 0, 12, 45, 110} {
		for _, prompt := range [][]int32{{300}, {300, 300, 300}, {259}, {259, 258}, {258, 259, 258, 300}, {70, 71}} {
			local := newToy(500)
			local.shift = shift
			m := serve(t, remotetest.LlamaServer(local, remotetest.Options{}), "llama-server:URL", remote.Options{TopN: 25})
			if m.Info().Caps.Normalised {
				t.Fatalf("shift %v: levels are not shown", shift)
			}
			s, _ := m.NewSession()
			ref := &toySession{t: local}
			next := prompt
			for range 4 {
				l, err := s.Forward(t.Context(), next, 1)
				if err != nil {
					t.Fatalf("shift %v, prompt %v: %v", shift, prompt, err)
				}
				want, _ := ref.Forward(t.Context(), next, 1)
				for i, id := range l[0].IDs {
					if d := math.Abs(float64(l[0].Values[i] - want[0].Values[id])); d > 2e-5 {
						t.Fatalf("shift %v, prompt %v: a logit is off by %g", shift, prompt, d)
					}
				}
				next = []int32{l[0].IDs[1]} // the row is valid until the next call only
			}
			s.Close()
		}
	}
}
