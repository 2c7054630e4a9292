package llama

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"logitscope/models"
	"logitscope/models/gguf"
	"logitscope/models/goldentest"
	"logitscope/models/quant"
)

func lookAt(t testing.TB, s *Session, tokens []int32, want int) ([][]float32, *models.Inside) {
	t.Helper()
	var in models.Inside
	out, err := s.Look(context.Background(), tokens, want, &in)
	if err != nil {
		t.Fatal(err)
	}
	rows := make([][]float32, len(out))
	for i := range out {
		rows[i] = slices.Clone(out[i].Values)
	}
	return rows, &in
}

// TestLook holds what is seen inside every architecture to the plain twin, and
// the lens of the last layer to the logits, to the last bit.
func TestLook(t *testing.T) {
	const want = 30 // of two passes where they fit
	look := func(t *testing.T, m *Model) {
		n := min(chunkLen+21, m.cfg.runLen)
		tokens := someTokens(31, n, m.cfg.vocab)
		plain := forward(t, m.newSession(), tokens, want)
		s := m.newSession()
		got, in := lookAt(t, s, tokens, want)
		sameRows(t, "logits while looking", got, plain)
		var seen insight
		reference{c: m.cfg, w: m.w, seen: &seen}.logits(tokens)

		layers := m.Anatomy().Layers()
		lens := make([]float32, want*m.cfg.vocab)
		s.Lens(lens, in.Layer(layers), false)
		for i := range want {
			if !slices.Equal(lens[i*m.cfg.vocab:(i+1)*m.cfg.vocab], plain[i]) {
				t.Fatalf("row %d: the lens of the last layer is not the logits", i)
			}
		}
		for l := range layers + 1 {
			for i := range want {
				twin := seen.states[l][n-want+i]
				size := 1.0
				for _, v := range twin {
					size = max(size, math.Abs(v))
				}
				for k, v := range in.State(l, i) {
					if d := math.Abs(float64(v) - twin[k]); !(d < 3e-5*size) {
						t.Fatalf("layer %d row %d element %d: %v, want %v", l, i, k, v, twin[k])
					}
				}
			}
		}
		for l := range layers {
			for h := range m.cfg.heads[l] {
				sum := float64(in.Sinks[l][h])
				for j, v := range in.Head(l, h) {
					sum += float64(v)
					if d := math.Abs(float64(v) - seen.weights[l][n-1][h][j]); !(d < 1e-5) {
						t.Fatalf("layer %d head %d position %d: weight %v, want %v", l, h, j, v, seen.weights[l][n-1][h][j])
					}
					if w := m.w.layers[l].window; w > 0 && n-1-j >= w && v != 0 {
						t.Fatalf("layer %d sees position %d through a window of %d", l, j, w)
					}
				}
				if math.Abs(sum-1) > 1e-5 || !m.cfg.sinks && in.Sinks[l][h] != 0 {
					t.Fatalf("layer %d head %d: the weights sum to %v", l, h, sum)
				}
			}
		}
	}
	eachModel(t, Options{}, look)
	t.Run("gemma", func(t *testing.T) { look(t, gemma(t)) })
}

// One position by itself is seen as it is seen with others, to the last bit,
// and a cache of halves is looked at as it is.
func TestLookAtOne(t *testing.T) {
	for _, kv := range []KVType{F32, F16} {
		t.Run(kv.String(), func(t *testing.T) {
			eachModel(t, Options{KVType: kv}, func(t *testing.T, m *Model) {
				tokens := someTokens(32, 40, m.cfg.vocab)
				all, many := lookAt(t, m.newSession(), tokens, 9)
				s := m.newSession()
				forward(t, s, tokens[:39], 0)
				one, in := lookAt(t, s, tokens[39:], 1)
				if !slices.Equal(one[0], all[8]) || in.Len != 40 || m.Anatomy().Cache != kv.String() {
					t.Fatal("other logits")
				}
				for l := range m.cfg.layers + 1 {
					if !slices.Equal(in.State(l, 0), many.State(l, 8)) {
						t.Fatalf("layer %d: another state", l)
					}
				}
				for l := range m.cfg.layers {
					if !slices.Equal(in.Attention[l], many.Attention[l]) {
						t.Fatalf("layer %d: other weights", l)
					}
				}
			})
		})
	}
}

// TestSwitchOff holds models with parts off to the plain twin. With all parts
// on again, the law is the whole model's to the last bit.
func TestSwitchOff(t *testing.T) {
	eachModel(t, Options{}, func(t *testing.T, m *Model) {
		rnd := rand.New(rand.NewPCG(3, 4))
		tokens := someTokens(33, 20, m.cfg.vocab)
		whole := forward(t, m.newSession(), tokens, 20)
		s := m.newSession()
		layer := func() int { return rnd.IntN(m.cfg.layers) }
		a, b := layer(), layer()
		for _, parts := range [][]models.Part{
			{{Kind: models.HeadPart, Layer: a, Head: rnd.IntN(m.cfg.heads[a])}},
			{{Kind: models.AttentionPart, Layer: layer()}},
			{{Kind: models.MLPPart, Layer: layer()}},
			{{Kind: models.LayerPart, Layer: layer()}},
			{{Kind: models.HeadPart, Layer: a, Head: 0}, {Kind: models.HeadPart, Layer: b, Head: m.cfg.heads[b] - 1}, {Kind: models.MLPPart, Layer: layer()}},
		} {
			s.Truncate(0)
			s.SwitchOff(parts...)
			want := reference{c: m.cfg, w: m.w, off: parts}.logits(tokens)
			got := forward(t, s, tokens, 20)
			same := true
			for i := range got {
				same = same && slices.Equal(got[i], whole[i])
				for k := range got[i] {
					if d := math.Abs(float64(got[i][k]) - want[i][k]); !(d < 3e-4) {
						t.Fatalf("%+v: position %d token %d: %v, want %v", parts, i, k, got[i][k], want[i][k])
					}
				}
			}
			if same {
				t.Errorf("%+v: nothing changed", parts)
			}
		}
		s.Truncate(0)
		s.SwitchOff()
		sameRows(t, "with all parts on", forward(t, s, tokens, 20), whole)
	})
}

// In a batch a session's parts are off for that session alone, and a fork has
// off what its original has.
func TestSwitchOffInBatch(t *testing.T) {
	eachModel(t, Options{}, func(t *testing.T, m *Model) {
		ctx := context.Background()
		tokens := someTokens(34, 12, m.cfg.vocab)
		part := models.Part{Kind: models.LayerPart, Layer: m.cfg.layers - 1}
		whole, cut := m.newSession(), m.newSession()
		cut.SwitchOff(part)
		var alone [2][]float32
		for k, s := range []*Session{whole, cut} {
			forward(t, s, tokens[:11], 0)
			f, err := s.Fork()
			if err != nil {
				t.Fatal(err)
			}
			alone[k] = forward(t, f.(*Session), tokens[11:], 1)[0]
		}
		rows, err := m.ForwardBatch(ctx, []models.Session{whole, cut}, []int32{tokens[11], tokens[11]})
		if err != nil {
			t.Fatal(err)
		}
		for k := range rows {
			if !slices.Equal(rows[k].Values, alone[k]) {
				t.Errorf("session %d: other logits in a batch", k)
			}
		}
		if slices.Equal(alone[0], alone[1]) {
			t.Error("the part is not off")
		}
	})
}

func TestSwitchOffRefuses(t *testing.T) {
	m := load(t, "testdata/arch/qwen2-bias.gguf.gz", Options{})
	s := m.newSession()
	for _, p := range []models.Part{
		{Kind: models.HeadPart, Layer: -1}, {Kind: models.HeadPart, Layer: m.cfg.layers}, {Kind: models.HeadPart, Head: m.cfg.heads[0]},
		{Kind: models.HeadPart, Head: -1}, {Kind: models.LayerPart + 1},
	} {
		mustPanic(t, fmt.Sprint(p), func() { s.SwitchOff(p) })
	}
	mustPanic(t, "a look at nothing", func() { s.Look(context.Background(), []int32{1}, 0, &models.Inside{}) })
}

// BenchmarkLook compares a decoded token with one that is looked at: the first
// must not know of the second.
func BenchmarkLook(b *testing.B) {
	m := load(b, "testdata/arch/qwen2-bias.gguf.gz", Options{Workers: 1})
	tokens := someTokens(35, 40, m.cfg.vocab)
	for _, looking := range []bool{false, true} {
		b.Run(fmt.Sprint("looking=", looking), func(b *testing.B) {
			s := m.newSession()
			forward(b, s, tokens[:39], 0)
			var in models.Inside
			for b.Loop() {
				s.Truncate(39)
				var err error
				if looking {
					_, err = s.Look(context.Background(), tokens[39:], 1, &in)
				} else {
					_, err = s.Forward(context.Background(), tokens[39:], 1)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestLensGolden holds norm and head to PyTorch's, on states of the directory
// that the environment names, else of the copy here.
func TestLensGolden(t *testing.T) {
	n := 0
	for _, line := range goldentest.Group(t, "lens", "testdata/lens.jsonl") {
		var c struct {
			ID   string
			Norm struct {
				Kind         string
				Eps          float32
				Weight, Bias []float32
			}
			Head, States [][]float32
			Expected     struct {
				Ladder []struct {
					Top   [][2]float64
					Probs []float64
				}
				SettlesAt int `json:"settles_at"`
			}
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		n++
		s := lensOf(c.Norm.Kind == "layer", c.Norm.Eps, c.Norm.Weight, c.Norm.Bias, c.Head)
		vocab := len(c.Head)
		out := make([]float32, len(c.States)*vocab)
		s.Lens(out, slices.Concat(c.States...), false)
		settles := 0
		for i, want := range c.Expected.Ladder {
			row := out[i*vocab : (i+1)*vocab]
			sum := 0.0
			for _, v := range row {
				sum += math.Exp(float64(v))
			}
			for k, v := range row {
				if got := math.Exp(float64(v)) / sum; math.Abs(got-want.Probs[k]) > 1e-6+1e-5*want.Probs[k] {
					t.Errorf("%s: state %d token %d: %v, want %v", c.ID, i, k, got, want.Probs[k])
				}
			}
			if got := argmax(row); int(got) != int(want.Top[0][0]) {
				t.Errorf("%s: state %d: best is %d, want %v", c.ID, i, got, want.Top[0])
			}
			if i > 0 && argmax(row) != argmax(out[(i-1)*vocab:i*vocab]) {
				settles = i
			}
		}
		if settles != c.Expected.SettlesAt {
			t.Errorf("%s: settles at %d, want %d", c.ID, settles, c.Expected.SettlesAt)
		}
	}
	if n < 3 {
		t.Fatal(n, " cases")
	}
}

// lensOf returns a session of a model that has a final norm and a head only.
func lensOf(layered bool, eps float32, weight, bias []float32, head [][]float32) *Session {
	a := &arch{norm: rms}
	if layered {
		a.norm = layerNorm
	}
	var raw []byte
	for _, v := range slices.Concat(head...) {
		raw = le.AppendUint32(raw, math.Float32bits(v))
	}
	m := &Model{
		cfg: &config{arch: a, embed: len(weight), vocab: len(head), eps: eps}, workers: 1, pool: newPool(1, nil), arith: exact{},
		w: &weights{norm: norm{w: weight, b: bias}, output: quant.Matrix{Type: gguf.F32, Rows: len(head), Cols: len(weight), Data: raw}},
	}
	return m.newSession()
}

// In every arithmetic the lens of the last layer is the logits to the last bit,
// and a head's weights sum to 1.
func TestLookInEveryArithmetic(t *testing.T) {
	files, _ := filepath.Glob("testdata/arch/*.gguf.gz")
	ran := map[Arith]int{}
	for _, path := range files {
		for _, opt := range []Options{{Arith: LlamaCPP}, {Arith: LlamaCPP, FlashAttention: true, KVType: F16}, {Arith: LlamaCPPOld, KVType: F16}} {
			m, err := New(parse(t, path), opt)
			if err != nil {
				continue // not known in this arithmetic
			}
			ran[opt.Arith]++
			tokens := someTokens(36, 24, m.cfg.vocab)
			s := m.newSession()
			got, in := lookAt(t, s, tokens, 3)
			sameRows(t, "logits while looking", got, forward(t, m.newSession(), tokens, 3))
			lens := make([]float32, 3*m.cfg.vocab)
			s.Lens(lens, in.Layer(m.cfg.layers), false)
			for i := range got {
				if !slices.Equal(lens[i*m.cfg.vocab:(i+1)*m.cfg.vocab], got[i]) {
					t.Fatalf("%s: row %d: the lens of the last layer is not the logits", filepath.Base(path), i)
				}
			}
			for l, heads := range m.cfg.heads {
				for h := range heads {
					sum := 0.0
					for _, w := range in.Head(l, h) {
						sum += float64(w)
					}
					if math.Abs(sum-1) > 1e-2 { // weights are rounded to halves where the cache is
						t.Fatalf("%s: layer %d head %d: the weights sum to %v", filepath.Base(path), l, h, sum)
					}
				}
			}
			s.Truncate(0)
			s.SwitchOff(models.Part{Kind: models.LayerPart, Layer: 0})
			if slices.Equal(forward(t, s, tokens, 1)[0], got[2]) {
				t.Errorf("%s: nothing is off", filepath.Base(path))
			}
			m.Close()
		}
	}
	if ran[LlamaCPP] == 0 || ran[LlamaCPPOld] == 0 {
		t.Errorf("%v", ran)
	}
}
