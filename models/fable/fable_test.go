package fable

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"logitscope/models/gguf"
	"logitscope/models/goldentest"
	"logitscope/models/llama"
)

// prompts are golden logits after some prompts, and how they go on greedily.
type prompts struct {
	Prompts []struct {
		Tokens []int32
		Logits []float32
		Greedy []int32
	}
}

// read returns a file of testdata, or of the shared models, or skips.
func read(t testing.TB, name string) []byte {
	t.Helper()
	kept := filepath.Join("testdata", name+".gz")
	if _, err := os.Stat(kept); err == nil {
		return goldentest.Read(t, kept)
	}
	folder := filepath.Join("..", "..", "..", "shared", "models")
	if strings.HasSuffix(name, ".json") {
		folder = filepath.Join(folder, "golden")
	}
	data, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Skipf("%s is not here: %v", name, err)
	}
	return data
}

func parse(t testing.TB, name string) *llama.Model {
	t.Helper()
	f, err := gguf.Parse(name, read(t, name))
	if err != nil {
		t.Fatal(err)
	}
	m, err := llama.New(f, llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func builtin(t testing.TB, name string) *llama.Model {
	t.Helper()
	open := Open
	if name == DraftName {
		open = OpenDraft
	}
	m, err := open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func argmax(x []float32) int32 {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return int32(best)
}

// check compares a model with golden logits. Where greedy is false the
// continuations may part, and only their beginning is compared.
func check(t *testing.T, m *llama.Model, golden string, tolerance, variation float64, greedy bool) {
	t.Helper()
	var g prompts
	if err := json.Unmarshal(read(t, golden), &g); err != nil {
		t.Fatal(err)
	}
	if len(g.Prompts) == 0 {
		t.Fatal("no prompts")
	}
	worst := 0.0
	for i, want := range g.Prompts {
		s, err := m.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		out, err := s.Forward(context.Background(), want.Tokens, 1)
		if err != nil {
			t.Fatal(err)
		}
		got := out[0].Values
		if len(got) != len(want.Logits) {
			t.Fatalf("prompt %d: %d logits, want %d", i, len(got), len(want.Logits))
		}
		for k := range got {
			d := math.Abs(float64(got[k]) - float64(want.Logits[k]))
			if !(d <= tolerance) {
				t.Fatalf("prompt %d token %d: %v, want %v", i, k, got[k], want.Logits[k])
			}
			worst = max(worst, d)
		}
		if v := totalVariation(got, want.Logits); !(v <= variation) {
			t.Errorf("prompt %d: total variation %.3g, want at most %v", i, v, variation)
		}
		for k, id := range want.Greedy {
			if best := argmax(got); best != id {
				if greedy {
					t.Errorf("prompt %d greedy step %d: %d, want %d", i, k, best, id)
				}
				break
			}
			if out, err = s.Forward(context.Background(), []int32{id}, 1); err != nil {
				t.Fatal(err)
			}
			got = out[0].Values
		}
	}
	t.Logf("%s: at most %.3g off", golden, worst)
}

// totalVariation returns the distance of two distributions given as logits.
func totalVariation(a, b []float32) float64 {
	p, q := softmax(a), softmax(b)
	d := 0.0
	for i := range p {
		d += math.Abs(p[i]-q[i]) / 2
	}
	return d
}

func softmax(x []float32) []float64 {
	p, sum := make([]float64, len(x)), 0.0
	for i, v := range x {
		p[i] = math.Exp(float64(v))
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}

// TestBuiltin compares the weights in the binary with PyTorch's logits for
// the same weights, in float32.
func TestBuiltin(t *testing.T) {
	for _, name := range []string{Name, DraftName} {
		check(t, builtin(t, name), name+".torch.q8_0.json", 2e-3, 1e-3, true)
	}
}

// TestOtherTypes compares files of other types: F32 exactly, Q4_0 with
// llama.cpp, which rounds what it multiplies to 8 bits.
func TestOtherTypes(t *testing.T) {
	for _, name := range []string{Name, DraftName} {
		t.Run(name+" F32", func(t *testing.T) {
			check(t, parse(t, name+".f32.gguf"), name+".torch.f32.json", 2e-4, 1e-4, true)
		})
		t.Run(name+" Q4_0", func(t *testing.T) {
			check(t, parse(t, name+".q4_0.gguf"), name+".llamacpp.q4_0.json", 0.5, 0.02, false)
		})
	}
}

// TestAllocs: decoding allocates nothing for a token, helpers or not.
func TestAllocs(t *testing.T) {
	for _, workers := range []int{1, 2, 4} {
		m, err := Open(llama.Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		s, err := m.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		ctx, tokens := context.Background(), make([]int32, 300)
		if _, err := s.Forward(ctx, tokens, 1); err != nil {
			t.Fatal(err)
		}
		s.Truncate(1) // leaves the pages to be used again
		n := testing.AllocsPerRun(200, func() {
			if _, err := s.Forward(ctx, tokens[:1], 1); err != nil {
				t.Fatal(err)
			}
		})
		if n != 0 {
			t.Errorf("%d workers: %v allocations a token", workers, n)
		}
	}
}

// TestBits holds the logits to the last bit, and with them the text of every
// seed: they are to be the same on every machine, for every set of
// instructions. Another checksum is a change that users can see.
func TestBits(t *testing.T) {
	const want = 0x19f677dc0a56d1bf
	sum := fnv.New64a()
	for _, name := range []string{Name, DraftName} {
		s, err := builtin(t, name).NewSession()
		if err != nil {
			t.Fatal(err)
		}
		tokens := make([]int32, 90)
		for i := range tokens {
			tokens[i] = int32(i*i*31%4000 + 1)
		}
		out, err := s.Forward(context.Background(), tokens, 20)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range out {
			for _, v := range row.Values {
				sum.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)))
			}
		}
	}
	if got := sum.Sum64(); got != want {
		t.Errorf("checksum %#x, want %#x", got, want)
	}
}
