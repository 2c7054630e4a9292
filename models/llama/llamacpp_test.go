package llama

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"logitscope/models"
	"logitscope/models/gguf"
	"logitscope/models/goldentest"
)

// A stepFile lists logits of llama.cpp's build for AVX2 after prompts fed
// token by token; the rows are beside it.
type stepFile struct {
	Model   string
	Vocab   int `json:"n_vocab"`
	Prompts [][]int32
	Cases   []struct {
		Config  string
		Prefill string
		Prompt  int
		Row     int
	}
}

// stepConfigs are the settings under which the rows were made.
var stepConfigs = map[string]Options{
	"kv_f32_fa_off":     {Arith: LlamaCPP},
	"kv_f16_fa_off":     {Arith: LlamaCPP, KVType: F16},
	"kv_f16_fa_default": {Arith: LlamaCPP, FlashAttention: true},
}

// TestLlamaCPPStep compares whole rows of logits with llama.cpp's, bit for
// bit. The built-in model's are here; those of random models of other types
// lie beside the repository.
func TestLlamaCPPStep(t *testing.T) {
	for _, dir := range []string{"testdata/steps", "../../../shared/golden/arith/logits"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		if len(files) == 0 {
			t.Logf("%s: not here", dir)
		}
		for _, path := range files {
			t.Run(strings.TrimSuffix(filepath.Base(path), ".json"), func(t *testing.T) { compareSteps(t, path) })
		}
	}
}

func compareSteps(t *testing.T, path string) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var f stepFile
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	rows := stepRows(t, strings.TrimSuffix(path, ".json")+".f32")
	model := f.Model
	if !strings.HasPrefix(path, "testdata") {
		model = filepath.Join(filepath.Dir(path), "..", f.Model)
	}
	opened := make(map[string]*Model)
	same := 0
	for _, c := range f.Cases {
		if c.Prefill != "step" || testing.Short() && len(f.Prompts[c.Prompt]) > 40 {
			continue
		}
		m := opened[c.Config]
		if m == nil {
			if m, err = Open(model, stepConfigs[c.Config]); err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			opened[c.Config] = m
		}
		want := rows[c.Row*f.Vocab*4:][:f.Vocab*4]
		for i, v := range lastRow(t, m, f.Prompts[c.Prompt]) {
			if w := math.Float32frombits(binary.LittleEndian.Uint32(want[4*i:])); v != w {
				t.Errorf("%s, prompt of %d: logit %d is %v, llama.cpp's %v", c.Config, len(f.Prompts[c.Prompt]), i, v, w)
				break
			}
		}
		same++
	}
	if same == 0 {
		t.Error("no rows compared")
	}
}

// lastRow returns the logits after some tokens, in two calls.
func lastRow(t *testing.T, m *Model, tokens []int32) []float32 {
	t.Helper()
	s, err := m.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var out []models.Logits
	for _, part := range [][]int32{tokens[:len(tokens)/2], tokens[len(tokens)/2:]} {
		if len(part) == 0 {
			continue
		}
		if out, err = s.Forward(context.Background(), part, 1); err != nil {
			t.Fatal(err)
		}
	}
	return out[0].Values
}

func stepRows(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return goldentest.Read(t, path+".gz")
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestLlamaCPPArchitectures holds the models that the arithmetic takes to the
// exact one, from which it must not be far where weights are F32, and names
// the part for which it refuses each other.
func TestLlamaCPPArchitectures(t *testing.T) {
	refused := map[string]string{
		"gemma2-softcap-swa": "SwiGLU", "gemma3-swa": "SwiGLU", "gpt-oss-sinks": "SwiGLU", "gpt2": "LayerNorm", "starcoder2": "LayerNorm",
		"granite-scales": "scaled", "llama-rope-yarn": "YaRN", "mistral3-yarn-temperature": "scaled by position", "mixtral-moe": "experts",
		"qwen2moe-shared-expert": "experts", "qwen3moe": "experts", "gemma": "SwiGLU", "olmo3-swa": "sliding windows",
	}
	paths, err := filepath.Glob("testdata/arch/*.gguf.gz")
	if err != nil || len(paths) == 0 {
		t.Fatal("no models", err)
	}
	took := 0
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".gguf.gz")
		f, err := gguf.Parse(name, goldentest.Read(t, path))
		if err != nil {
			t.Fatal(err)
		}
		m, err := New(f, Options{Arith: LlamaCPP})
		part, refuse := refused[name]
		switch {
		case refuse && (err == nil || !strings.Contains(err.Error(), part)):
			t.Errorf("%s: error %v, want one about %s", name, err, part)
		case !refuse && err != nil:
			t.Error(err)
		}
		if err != nil {
			continue
		}
		took++
		exact := load(t, path, Options{})
		tokens := []int32{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4}
		got, want := lastRow(t, m, tokens), lastRow(t, exact, tokens)
		for i := range want {
			if d := math.Abs(float64(got[i] - want[i])); !(d < 1e-4) {
				t.Errorf("%s: logit %d is %v, exactly %v", name, i, got[i], want[i])
				break
			}
		}
		m.Close()
	}
	if took < 8 {
		t.Errorf("only %d models were taken", took)
	}
}

// TestLlamaCPPLook looks inside a pass: weights are there, near the exact
// ones, with flash attention too.
func TestLlamaCPPLook(t *testing.T) {
	const path = "testdata/arch/llama-gqa-tied-base500k.gguf.gz"
	tokens := []int32{3, 1, 4, 1, 5, 9, 2, 6, 5}
	look := func(opt Options) *models.Inside {
		m := load(t, path, opt)
		in := new(models.Inside)
		if _, err := m.newSession().Look(context.Background(), tokens, 1, in); err != nil {
			t.Fatal(err)
		}
		return in
	}
	want := look(Options{})
	for _, flash := range []bool{false, true} {
		got := look(Options{Arith: LlamaCPP, FlashAttention: flash})
		for l, weights := range got.Attention {
			for k, w := range want.Attention[l] {
				if d := math.Abs(float64(weights[k] - w)); !(d < 5e-3) {
					t.Fatalf("flash %v, layer %d weight %d: %v, exactly %v", flash, l, k, weights[k], w)
				}
			}
		}
	}
}
