package remote_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"logitscope/models"
	"logitscope/models/open"
	"logitscope/models/remote"
	"logitscope/models/remote/remotetest"
)

var fast = remotetest.Fast

// dial opens the server that spec names.
func dial(ctx context.Context, spec string, opt remote.Options) (models.Model, error) {
	return open.Model(ctx, spec, open.Options{Server: opt})
}

// serve starts a server for h and opens spec with its address in place of URL.
func serve(t testing.TB, h http.Handler, spec string, opt remote.Options) models.Model {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	if opt.Timeouts == (remote.Timeouts{}) {
		opt.Timeouts = fast
	}
	m, err := dial(t.Context(), strings.ReplaceAll(spec, "URL", srv.URL), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// likeness is how a remote row compares with the local one.
type likeness uint8

const (
	upToConstant likeness = iota // log-probabilities
	upToRounding                 // logits that were worked out
	bitForBit
)

// fakes are the servers that take ids, with what their rows are.
var fakes = []struct {
	name   string
	spec   string
	serve  func(models.Model, remotetest.Options) http.Handler
	opt    remotetest.Options
	logits remote.Logits
	like   likeness
}{
	{"llama-server", "llama-server:URL", remotetest.LlamaServer, remotetest.Options{Slots: 2}, remote.LogitsNever, upToConstant},
	{"llama-server logits", "llama-server:URL", remotetest.LlamaServer, remotetest.Options{Slots: 2}, remote.LogitsAuto, upToRounding},
	{"vllm", "vllm:URL", remotetest.VLLM, remotetest.Options{MaxLogprobs: -1}, 0, upToConstant},
	{"vllm raw", "vllm:URL/v1#toy", remotetest.VLLM, remotetest.Options{MaxLogprobs: -1, RawLogits: true}, 0, bitForBit},
	{"sglang", "sglang:URL", remotetest.SGLang, remotetest.Options{}, 0, upToConstant},
}

func TestVocabulary(t *testing.T) {
	local := newToy(50)
	for _, f := range fakes {
		t.Run(f.name, func(t *testing.T) {
			m := serve(t, f.serve(local, f.opt), f.spec, remote.Options{Logits: f.logits})
			v, want := m.Vocab(), local.Vocab()
			if normal := m.Info().Caps.Normalised; normal != (f.like == upToConstant) {
				t.Errorf("Normalised = %v", normal)
			}
			if v.Size() != want.Size() {
				t.Fatalf("Size = %d, want %d", v.Size(), want.Size())
			}
			for id := range int32(v.Size()) {
				piece := want.Piece(id)
				if got := v.Piece(id); got != piece {
					t.Errorf("Piece(%d) = %q, want %q", id, got, piece)
				}
				if v.Attr(id) != want.Attr(id) {
					t.Errorf("Attr(%d) of %q = %v, want %v", id, piece, v.Attr(id), want.Attr(id))
				}
			}
			if v.Piece(-1) != "" || v.Piece(1<<30) != "" || v.Attr(-1) != models.Unused {
				t.Error("ids out of range have a piece or a kind")
			}
			if got := v.EOG(); !slices.Equal(got, []int32{toyEnd}) {
				t.Errorf("EOG = %v", got)
			}
			text := "the café 東京 \x00<|endoftext|> 🙂"
			got, err := models.Encode(t.Context(), v, text, models.EncodeOptions{ParseSpecial: true})
			if err != nil || !slices.Equal(got, want.Encode(text, models.EncodeOptions{ParseSpecial: true})) {
				t.Errorf("Encode = %v, %v", got, err)
			}
			if got := v.Encode(text, models.EncodeOptions{ParseSpecial: true}); len(got) == 0 {
				t.Error("Encode without a context gives nothing")
			}
		})
	}
}

// compare checks that a remote row is the local one up to a constant.
func compare(t *testing.T, what string, got models.Logits, want []float32, like likeness) {
	t.Helper()
	if got.IDs != nil || len(got.Values) != len(want) || got.Rest != 0 {
		t.Fatalf("%s: %d ids, %d values, rest %v; want a whole row of %d", what, len(got.IDs), len(got.Values), got.Rest, len(want))
	}
	if like == bitForBit {
		if !slices.Equal(got.Values, want) {
			t.Fatalf("%s: the row is not the local one", what)
		}
		return
	}
	shift := math.NaN()
	if like == upToRounding {
		shift = 0
	}
	for i, w := range want {
		if math.IsInf(float64(w), -1) {
			if got.Values[i] != w {
				t.Fatalf("%s: value %d is %v, want -Inf", what, i, got.Values[i])
			}
			continue
		}
		d := float64(w) - float64(got.Values[i])
		if math.IsNaN(shift) {
			shift = d
		}
		if math.Abs(d-shift) > 4e-6 {
			t.Fatalf("%s: value %d is off by %g", what, i, d-shift)
		}
	}
	if argmax(got.Values) != argmax(want) {
		t.Fatalf("%s: the most probable token changed", what)
	}
}

func argmax(v []float32) int {
	best := 0
	for i := range v {
		if v[i] > v[best] {
			best = i
		}
	}
	return best
}

// TestSameRows drives a remote and a local session through the same calls:
// steps, several positions, rewinding, forks, lookahead.
func TestSameRows(t *testing.T) {
	local := newToy(50)
	for _, f := range fakes {
		t.Run(f.name, func(t *testing.T) {
			m := serve(t, f.serve(local, f.opt), f.spec, remote.Options{Logits: f.logits})
			s, err := m.NewSession()
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			ref := &toySession{t: local}
			step := func(s models.Session, ref *toySession, tokens []int32, want int) []models.Logits {
				t.Helper()
				got, err := s.Forward(t.Context(), tokens, want)
				if err != nil {
					t.Fatal(err)
				}
				wanted, err := ref.Forward(t.Context(), tokens, want)
				if err != nil {
					t.Fatal(err)
				}
				if len(got) != want || s.Len() != ref.Len() {
					t.Fatalf("%d rows, %d tokens; want %d, %d", len(got), s.Len(), want, ref.Len())
				}
				for i := range got {
					compare(t, fmt.Sprintf("%d tokens, row %d", s.Len(), i), got[i], wanted[i].Values, f.like)
				}
				return got
			}
			step(s, ref, []int32{3, 4, 5, 6}, 0)
			step(s, ref, []int32{7, 258, 259}, 1)
			for i := range int32(5) {
				step(s, ref, []int32{260 + i}, 1)
			}
			step(s, ref, []int32{11, 12, 13, 14}, 4)
			step(s, ref, []int32{15, 16, 17}, 2)
			s.Truncate(6)
			ref.Truncate(6)
			step(s, ref, []int32{200, 201}, 1)
			fork, err := s.(models.Forker).Fork()
			if err != nil {
				t.Fatal(err)
			}
			defer fork.Close()
			ref2 := &toySession{t: local, tokens: slices.Clone(ref.tokens)}
			step(fork, ref2, []int32{100}, 1)
			step(s, ref, []int32{101}, 1)
			step(fork, ref2, []int32{102}, 1)

			s.(models.Lookahead).SetAhead(models.Ahead{Rows: 4, Greedy: true})
			before := m.(models.Meter).Stats()
			next := int32(50)
			for i := range 40 {
				l := step(s, ref, []int32{next}, 1)
				next = int32(argmax(l[0].Values))
				if i%7 == 6 {
					next = int32(i) // leave the guessed path
				}
			}
			s.(models.Lookahead).SetAhead(models.Ahead{})
			step(s, ref, []int32{next}, 1) // ends what goes on by itself
			after := m.(models.Meter).Stats()
			if f.like == upToRounding { // each row needs requests of its own
				return
			}
			if hits := after.AheadHits - before.AheadHits; hits < 20 {
				t.Errorf("%d of 40 rows had been fetched ahead, want most", hits)
			}
			if n := after.Requests - before.Requests; n > 20 {
				t.Errorf("%d requests for 40 rows with 4 ahead", n)
			}
			if after.InFlight != 0 || after.Waiting != "" || after.Latency <= 0 || after.BytesIn == 0 || after.BytesOut == 0 {
				t.Errorf("Stats = %+v", after)
			}
		})
	}
}

func TestForwardBatch(t *testing.T) {
	local := newToy(50)
	for _, f := range fakes {
		t.Run(f.name, func(t *testing.T) {
			m := serve(t, f.serve(local, f.opt), f.spec, remote.Options{Logits: f.logits})
			var ss []models.Session
			var tokens []int32
			for i := range int32(3) {
				s, _ := m.NewSession()
				defer s.Close()
				if _, err := s.Forward(t.Context(), []int32{9, 10 + i}, 0); err != nil {
					t.Fatal(err)
				}
				ss, tokens = append(ss, s), append(tokens, 20+i)
			}
			got, err := m.(models.Batcher).ForwardBatch(t.Context(), ss, tokens)
			if err != nil {
				t.Fatal(err)
			}
			for i, l := range got {
				compare(t, "batch", l, local.row([]int32{9, 10 + int32(i), 20 + int32(i)}), f.like)
			}
			tokens[1] = 1 << 20
			if _, err := m.(models.Batcher).ForwardBatch(t.Context(), ss, tokens); err == nil {
				t.Fatal("a token outside the vocabulary is accepted")
			}
			for i, s := range ss {
				if s.Len() != 3 {
					t.Errorf("session %d has %d tokens after a batch that failed, want 3", i, s.Len())
				}
			}
		})
	}
}

func TestTopN(t *testing.T) {
	local := newToy(50)
	for _, f := range fakes {
		if f.like != upToConstant {
			continue
		}
		opt := f.opt
		if opt.MaxLogprobs != 0 {
			opt.MaxLogprobs = 30 // less than asked for
		}
		t.Run(f.name, func(t *testing.T) {
			m := serve(t, f.serve(local, opt), f.spec, remote.Options{TopN: 40, Logits: f.logits})
			n := 40
			if opt.MaxLogprobs != 0 {
				n = 30
			}
			if got := m.Info().Caps.TopN; got != n {
				t.Fatalf("Caps.TopN = %d, want %d", got, n)
			}
			if got := m.Vocab().Size(); got != local.Vocab().Size() {
				t.Fatalf("Size = %d, want %d", got, local.Vocab().Size())
			}
			s, _ := m.NewSession()
			defer s.Close()
			got, err := s.Forward(t.Context(), []int32{5, 6, 7}, 2)
			if err != nil {
				t.Fatal(err)
			}
			for i, l := range got {
				row := local.row([]int32{5, 6, 7}[:2+i])
				lse, sum := logSum(row), 0.0
				if len(l.IDs) < n || len(l.IDs) > n+1 || len(l.Values) != len(l.IDs) {
					t.Fatalf("%d ids and %d values, want %d", len(l.IDs), len(l.Values), n)
				}
				for j, id := range l.IDs {
					if d := float64(l.Values[j]) - (float64(row[id]) - lse); math.Abs(d) > 4e-6 {
						t.Errorf("log-probability of %d is off by %g", id, d)
					}
					sum += math.Exp(float64(row[id]) - lse)
				}
				if math.Abs(float64(l.Rest)-(1-sum)) > 1e-5 {
					t.Errorf("Rest = %v, want %v", l.Rest, 1-sum)
				}
			}
		})
	}
}

func logSum(row []float32) float64 {
	sum := 0.0
	for _, v := range row {
		sum += math.Exp(float64(v))
	}
	return math.Log(sum)
}

func TestContextFull(t *testing.T) {
	local := newToy(50)
	local.limit = 16
	for _, f := range fakes {
		t.Run(f.name, func(t *testing.T) {
			m := serve(t, f.serve(local, f.opt), f.spec, remote.Options{Logits: f.logits})
			if got := m.Info().ContextLen; got != 15 {
				t.Fatalf("ContextLen = %d, want 15: the server's last place is its own", got)
			}
			s, _ := m.NewSession()
			defer s.Close()
			s.(models.Lookahead).SetAhead(models.Ahead{Rows: 8, Greedy: true})
			if _, err := s.Forward(t.Context(), make([]int32, 15), 1); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Forward(t.Context(), []int32{1}, 1); !errors.Is(err, models.ErrContextFull) || s.Len() != 15 {
				t.Fatalf("error %v with %d tokens, want ErrContextFull with 15", err, s.Len())
			}
			// The server's own word for it, when it has less room than it said.
			s.Truncate(0)
			remote.SetContext(m, 1000)
			if _, err := s.Forward(t.Context(), make([]int32, 16), 1); !errors.Is(err, models.ErrContextFull) || s.Len() != 0 {
				t.Fatalf("error %v with %d tokens, want ErrContextFull with 0", err, s.Len())
			}
		})
	}
}

func TestPanics(t *testing.T) {
	m := serve(t, remotetest.LlamaServer(newToy(1), remotetest.Options{}), "llama-server:URL", remote.Options{})
	s, _ := m.NewSession()
	defer s.Close()
	for name, f := range map[string]func(){
		"no tokens":    func() { s.Forward(context.Background(), nil, 0) },
		"want < 0":     func() { s.Forward(context.Background(), []int32{1}, -1) },
		"want > len":   func() { s.Forward(context.Background(), []int32{1}, 2) },
		"truncate < 0": func() { s.Truncate(-1) },
		"truncate > n": func() { s.Truncate(1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func TestDescribe(t *testing.T) {
	for _, f := range fakes {
		f.opt.Key = "sk-secret-key"
		env := func(k string) string {
			if strings.HasSuffix(k, "_API_KEY") {
				return f.opt.Key
			}
			return ""
		}
		m := serve(t, f.serve(newToy(3), f.opt), f.spec, remote.Options{Getenv: env})
		facts := map[string]string{}
		for _, x := range m.(models.Describer).Facts() {
			facts[x.Name] = x.Value
			if strings.Contains(x.Value, "secret") || strings.ContainsAny(x.Value, "\n\x1b") {
				t.Errorf("%s: %s = %q", f.name, x.Name, x.Value)
			}
		}
		for _, want := range []string{"server", "model", "control", "input", "rows", "several positions", "tokenizer", "grammar", "prefix cache", "context", "key"} {
			if facts[want] == "" {
				t.Errorf("%s: Describe says nothing of %s", f.name, want)
			}
		}
	}
}
