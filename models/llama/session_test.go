package llama

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"logitscope/models"
	"logitscope/models/gguf"
	"logitscope/models/goldentest"
)

// eachModel runs a test on a small model of every architecture.
func eachModel(t *testing.T, opt Options, test func(t *testing.T, m *Model)) {
	files, _ := filepath.Glob("testdata/arch/*.gguf.gz")
	if len(files) == 0 {
		t.Fatal("no models")
	}
	for i, path := range files {
		if raceEnabled && i%5 != 0 {
			continue // ten times slower, and of no use where nothing runs beside
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".gguf.gz"), func(t *testing.T) {
			test(t, load(t, path, opt))
		})
	}
}

func someTokens(seed uint64, n, vocab int) []int32 {
	r := rand.New(rand.NewPCG(seed, 1))
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(r.IntN(vocab))
	}
	return out
}

// oneByOne returns the logits after every token, each computed alone.
func oneByOne(t testing.TB, m *Model, tokens []int32) [][]float32 {
	t.Helper()
	s := m.newSession()
	defer s.Close()
	var rows [][]float32
	for _, tok := range tokens {
		rows = append(rows, forward(t, s, []int32{tok}, 1)[0])
	}
	return rows
}

func sameRows(t *testing.T, what string, got, want [][]float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d rows, want %d", what, len(got), len(want))
	}
	for i := range got {
		if !slices.Equal(got[i], want[i]) {
			t.Fatalf("%s: row %d differs by %.3g", what, i, distance(got[i], want[i]))
		}
	}
}

// TestPrefill: a prompt in one call gives the bits of one token at a time,
// however it is cut.
func TestPrefill(t *testing.T) {
	eachModel(t, Options{Workers: 1}, func(t *testing.T, m *Model) {
		tokens := someTokens(1, chunkLen+9, m.cfg.vocab)
		next := []int32{9}
		want := oneByOne(t, m, append(slices.Clone(tokens), next...))
		want, after := want[:len(tokens)], want[len(tokens):]
		for _, cut := range []int{17, len(tokens)} {
			s := m.newSession()
			var got [][]float32
			for at := 0; at < len(tokens); at += cut {
				part := tokens[at:min(at+cut, len(tokens))]
				got = append(got, forward(t, s, part, len(part))...)
			}
			sameRows(t, fmt.Sprintf("cut by %d", cut), got, want)
			s.Close()
		}
		for _, n := range []int{0, 1, 5} { // the last layer leaves out rows nobody wants
			s := m.newSession()
			sameRows(t, fmt.Sprintf("want %d", n), forward(t, s, tokens, n), want[len(want)-n:])
			sameRows(t, "after it", forward(t, s, next, 1), after)
			s.Close()
		}
	})
}

// TestWorkers: the number of workers and the pieces of work change nothing.
func TestWorkers(t *testing.T) {
	tokens := someTokens(2, 70, 300)
	for _, name := range []string{"qwen2moe-shared-expert", "gemma3-swa", "gpt-oss-sinks"} {
		path := "testdata/arch/" + name + ".gguf.gz"
		want := forward(t, load(t, path, Options{Workers: 1}).newSession(), tokens, len(tokens))
		for _, workers := range []int{2, 3, 5} {
			m := load(t, path, Options{Workers: workers})
			sameRows(t, fmt.Sprintf("%s with %d workers", name, workers), forward(t, m.newSession(), tokens, len(tokens)), want)
		}
	}
}

// TestTruncate: after it a session is as if it had never seen more.
func TestTruncate(t *testing.T) {
	eachModel(t, Options{Workers: 1}, func(t *testing.T, m *Model) {
		a, b := someTokens(3, 40, m.cfg.vocab), someTokens(4, 20, m.cfg.vocab)
		for _, n := range []int{0, 1, 15, 16, 17, 39, 40} {
			s := m.newSession()
			forward(t, s, a, 0)
			s.Truncate(n)
			if s.Len() != n {
				t.Fatalf("length %d after truncating to %d", s.Len(), n)
			}
			got := forward(t, s, b, len(b))
			fresh := m.newSession()
			want := forward(t, fresh, append(slices.Clone(a[:n]), b...), len(b))
			sameRows(t, fmt.Sprintf("truncated to %d", n), got, want)
		}
	})
}

// TestForks drives sessions that fork, truncate, grow and close at random,
// and compares each with one that was alone all the time.
func TestForks(t *testing.T) {
	for _, kv := range []KVType{F32, F16} {
		m := load(t, "testdata/arch/gemma3-swa.gguf.gz", Options{Workers: 1, KVType: kv})
		r := rand.New(rand.NewPCG(5, uint64(kv)))
		type branch struct {
			s    *Session
			text []int32
		}
		all := []*branch{{s: m.newSession()}}
		for range 300 {
			i := r.IntN(len(all))
			b := all[i]
			switch op := r.IntN(10); {
			case op < 2 && len(all) < 8:
				f, err := b.s.Fork()
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, &branch{f.(*Session), slices.Clone(b.text)})
			case op == 2:
				n := r.IntN(len(b.text) + 1)
				b.s.Truncate(n)
				b.text = b.text[:n]
			case op == 3 && len(all) > 1:
				b.s.Close()
				all = slices.Delete(all, i, i+1)
			default:
				next := someTokens(r.Uint64(), 1+r.IntN(5), m.cfg.vocab)
				if len(b.text)+len(next) > 60 {
					b.s.Truncate(20)
					b.text = b.text[:20]
				}
				forward(t, b.s, next, 0)
				b.text = append(b.text, next...)
			}
		}
		for i, b := range all {
			next := []int32{7}
			got := forward(t, b.s, next, 1)
			want := forward(t, m.newSession(), append(b.text, next...), 1)
			sameRows(t, fmt.Sprintf("%v branch %d of %d tokens", kv, i, len(b.text)), got, want)
		}
	}
}

// TestBatch: one token for each of several sessions gives the bits of one
// session at a time, hidden states included.
func TestBatch(t *testing.T) {
	eachModel(t, Options{Workers: 2}, func(t *testing.T, m *Model) {
		var together, alone []models.Session
		var tokens []int32
		for i := range 7 {
			text := someTokens(uint64(i), 1+5*i, m.cfg.vocab)
			for _, list := range []*[]models.Session{&together, &alone} {
				s := m.newSession()
				forward(t, s, text, 0)
				*list = append(*list, s)
			}
			tokens = append(tokens, int32(i*11))
		}
		for range 3 {
			out, err := m.ForwardBatch(context.Background(), together, tokens)
			if err != nil {
				t.Fatal(err)
			}
			for i := range tokens {
				want := forward(t, alone[i].(*Session), tokens[i:i+1], 1)
				sameRows(t, fmt.Sprintf("session %d", i), [][]float32{out[i].Values}, want)
				a, b := together[i].(*Session), alone[i].(*Session)
				if a.Len() != b.Len() || !slices.Equal(a.Hidden(0), b.Hidden(0)) {
					t.Fatalf("session %d: lengths %d and %d, or hidden states differ", i, a.Len(), b.Len())
				}
			}
		}
	})
}

// TestHidden: the output matrix times a hidden state gives the logits.
func TestHidden(t *testing.T) {
	m := load(t, "testdata/arch/qwen2-bias.gguf.gz", Options{})
	s := m.newSession()
	rows := forward(t, s, someTokens(6, 9, m.cfg.vocab), 4)
	w := make([]float32, m.cfg.embed)
	for i, row := range rows {
		h := s.Hidden(i)
		for id := range row {
			m.w.output.Row(w, id)
			sum := 0.0
			for k := range w {
				sum += float64(w[k]) * float64(h[k])
			}
			if d := sum - float64(row[id]); d > 1e-4 || d < -1e-4 {
				t.Fatalf("row %d token %d: %v, want %v", i, id, sum, row[id])
			}
		}
	}
	mustPanic(t, "hidden state out of range", func() { s.Hidden(4) })
}

func mustPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", what)
		}
	}()
	f()
}

// TestLimits: what does not fit changes nothing.
func TestLimits(t *testing.T) {
	const path = "testdata/arch/llama3-rope-factors.gguf.gz"
	m := load(t, path, Options{ContextLen: 20})
	s := m.newSession()
	want := forward(t, s, someTokens(7, 20, m.cfg.vocab), 20)[19]
	s.Truncate(19)
	if _, err := s.Forward(context.Background(), []int32{1, 2}, 1); !errors.Is(err, models.ErrContextFull) {
		t.Errorf("two tokens in room for one: %v", err)
	}
	if _, err := s.Forward(context.Background(), []int32{int32(m.cfg.vocab)}, 1); err == nil {
		t.Error("a token beyond the vocabulary is accepted")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Forward(ctx, []int32{1}, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	mustPanic(t, "hidden state of a call that failed", func() { s.Hidden(0) })
	if s.Len() != 19 {
		t.Errorf("length %d after refusals, want 19", s.Len())
	}
	last := someTokens(7, 20, m.cfg.vocab)[19:]
	sameRows(t, "after refusals", forward(t, s, last, 1), [][]float32{want})
	if _, err := m.ForwardBatch(context.Background(), []models.Session{m.newSession(), s}, []int32{1, 1}); !errors.Is(err, models.ErrContextFull) {
		t.Errorf("batch with a full session: %v", err)
	}
	if _, err := m.ForwardBatch(context.Background(), []models.Session{s, s}, []int32{1, 1}); err == nil {
		t.Error("a session twice in a batch is accepted")
	}
	mustPanic(t, "no tokens", func() { s.Forward(context.Background(), nil, 0) })
	mustPanic(t, "want too large", func() { s.Forward(context.Background(), []int32{1}, 2) })
	mustPanic(t, "truncate beyond", func() { s.Truncate(21) })
}

// countdown is a context that ends after some questions.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestCancel: wherever a call is cancelled, the cache ends at a token that
// was finished, and goes on from there.
func TestCancel(t *testing.T) {
	m := load(t, "testdata/arch/gemma2-softcap-swa.gguf.gz", Options{})
	tokens := someTokens(8, 2*chunkLen, m.cfg.vocab)
	want := oneByOne(t, m, tokens)
	for left := range 14 {
		s := m.newSession()
		_, err := s.Forward(&countdown{context.Background(), left}, tokens, 1)
		n := s.Len()
		switch {
		case err == nil && n != len(tokens):
			t.Fatalf("after %d: %d tokens without error", left, n)
		case err == nil:
			continue
		case !errors.Is(err, context.Canceled):
			t.Fatalf("after %d: %v", left, err)
		case n != 0 && n != chunkLen:
			t.Fatalf("after %d: cancelled at %d tokens", left, n)
		}
		sameRows(t, "after cancelling", forward(t, s, tokens[n:], 1), want[len(want)-1:])
	}
}

// TestKVBytes: a cache grows with use, and what is closed is used again.
func TestKVBytes(t *testing.T) {
	m := load(t, "testdata/arch/llama-rope-yarn.gguf.gz", Options{})
	s := m.newSession()
	perToken := int64(2 * 2 * (8 + 8) * 4) // layers, KV heads, key and value, float32
	if now, full := s.KVBytes(); now != 0 || full != 256*perToken {
		t.Errorf("empty: %d of %d, want 0 of %d", now, full, 256*perToken)
	}
	forward(t, s, someTokens(9, 17, m.cfg.vocab), 0)
	if now, _ := s.KVBytes(); now != 32*perToken {
		t.Errorf("17 tokens: %d bytes, want %d", now, 32*perToken)
	}
	s.Truncate(16)
	if now, _ := s.KVBytes(); now != 16*perToken {
		t.Errorf("16 tokens: %d bytes, want %d", now, 16*perToken)
	}
	s.Close()
	if n := len(m.store.free); n != 2 {
		t.Errorf("%d free pages, want 2", n)
	}
	half := load(t, "testdata/arch/llama-rope-yarn.gguf.gz", Options{KVType: F16})
	if got := half.KVBytes(256); got != 128*perToken {
		t.Errorf("F16 at 256: %d bytes, want %d", got, 128*perToken)
	}
}

// TestHalfCache: keys and values in half precision move logits a little.
func TestHalfCache(t *testing.T) {
	const path = "testdata/arch/llama-gqa-tied-base500k.gguf.gz"
	tokens := someTokens(10, 40, 300)
	a := forward(t, load(t, path, Options{}).newSession(), tokens, 1)[0]
	b := forward(t, load(t, path, Options{KVType: F16}).newSession(), tokens, 1)[0]
	if d := distance(a, b); d == 0 || d > 0.05 {
		t.Errorf("half precision moves logits by %v", d)
	}
}

// TestParallel runs sessions of one model at the same time.
func TestParallel(t *testing.T) {
	for _, name := range []string{"mixtral-moe", "phi3-fused"} {
		m := load(t, "testdata/arch/"+name+".gguf.gz", Options{Workers: 3})
		tokens := someTokens(11, 80, m.cfg.vocab)
		want := oneByOne(t, m, tokens)
		root := m.newSession()
		forward(t, root, tokens[:20], 0)
		var wg sync.WaitGroup
		for g := range 4 {
			f, err := root.Fork()
			if err != nil {
				t.Fatal(err)
			}
			wg.Go(func() {
				s := f.(*Session)
				defer s.Close()
				for at := 20; at < len(tokens); at += 7 + g {
					part := tokens[at:min(at+7+g, len(tokens))]
					out, err := s.Forward(context.Background(), part, len(part))
					if err != nil {
						t.Error(err)
						return
					}
					for i := range part {
						if !slices.Equal(out[i].Values, want[at+i]) {
							t.Errorf("goroutine %d: position %d differs", g, at+i)
							return
						}
					}
				}
			})
		}
		wg.Wait()
	}
}

// TestAllocs: decoding allocates nothing for a token. The cache grows by a
// page at times, which a closed session has left here.
func TestAllocs(t *testing.T) {
	for _, workers := range []int{1, 2} {
		m := load(t, "testdata/quant/tiny-256.Q8_0.gguf.gz", Options{Workers: workers})
		s := m.newSession()
		forward(t, s, someTokens(12, 200, m.cfg.vocab), 1)
		s.Truncate(0)
		forward(t, s, someTokens(12, 2, m.cfg.vocab), 1)
		ctx, token := context.Background(), []int32{5}
		n := testing.AllocsPerRun(150, func() {
			if _, err := s.Forward(ctx, token, 1); err != nil {
				t.Fatal(err)
			}
		})
		if n != 0 {
			t.Errorf("%d workers: %v allocations a token", workers, n)
		}
	}
}

// TestTruncatedFile: a file that shrinks while it is in use is an error of
// the call that meets it, for one worker and for several.
func TestTruncatedFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a mapped file cannot be truncated there")
	}
	for _, workers := range []int{1, 3} {
		path := filepath.Join(t.TempDir(), "model.gguf")
		if err := os.WriteFile(path, goldentest.Read(t, "testdata/quant/tiny-256.F32.gguf.gz"), 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := Open(path, Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		s := m.newSession()
		forward(t, s, []int32{1, 2, 3}, 1)
		if err := os.Truncate(path, 1<<14); err != nil {
			t.Fatal(err)
		}
		_, err = s.Forward(context.Background(), []int32{4, 5}, 1)
		if err == nil || !strings.Contains(err.Error(), "truncated") {
			t.Errorf("%d workers: %v", workers, err)
		}
		if s.Len() != 3 {
			t.Errorf("%d workers: length %d after the error, want 3", workers, s.Len())
		}
	}
}

// TestLong: in a long context fewer rows share a reading of the cache, and
// one by one gives the same bits still.
func TestLong(t *testing.T) {
	m, err := Open(writeModel(t, shapeOf{layers: 1, embed: 32, ff: 32, heads: 8, kvHeads: 1, headLen: 8, vocab: 300, context: 2200}, gguf.Q8_0), Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	tokens := someTokens(13, 2100, m.cfg.vocab)
	all, parts := m.newSession(), m.newSession()
	want := forward(t, all, tokens, 3)
	forward(t, parts, tokens[:2097], 0)
	for i := range want {
		sameRows(t, fmt.Sprintf("token %d", 2097+i), forward(t, parts, tokens[2097+i:2098+i], 1), want[i:i+1])
	}
}
