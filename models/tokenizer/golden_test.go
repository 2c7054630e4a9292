package tokenizer

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"logitscope/models"
	"logitscope/models/gguf"
	"logitscope/models/goldentest"
)

// shared returns a path below the folder of golden data beside the project,
// or skips the test where it is absent.
func shared(t testing.TB, rel string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Skip("no go.mod above the test: the golden data cannot be found")
		}
		dir = up
	}
	path := filepath.Join(dir, "..", "shared", filepath.FromSlash(rel))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("golden data not here: %v", err)
	}
	return path
}

func loadJSON(t testing.TB, path string, v any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatal(err)
	}
}

// idsOrError is a list of ids, or the message of an engine that refused.
type idsOrError struct {
	ids     []int32
	refused string
	given   bool
}

func (x *idsOrError) UnmarshalJSON(b []byte) error {
	x.given = true
	if bytes.HasPrefix(b, []byte(`"`)) {
		return json.Unmarshal(b, &x.refused)
	}
	return json.Unmarshal(b, &x.ids)
}

type goldenVocab struct {
	Info struct {
		Tokens int `json:"n_tokens"`
		BOS    int32
		EOS    int32
		EOT    int32
		PAD    int32
		AddBOS bool `json:"add_bos"`
		AddEOS bool `json:"add_eos"`
		EOG    []int32
	}
	Cases []struct {
		Hex          string      `json:"text_hex"`
		IDs          idsOrError  `json:"ids"`
		ParseSpecial *idsOrError `json:"ids_parse_special"`
		AddSpecial   *idsOrError `json:"ids_add_special"`
		Detok        *string     `json:"detok_hex"`
	}
	Pieces map[string]json.RawMessage
}

func unhex(t testing.TB, s string) string {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Every string of every vocabulary gives llama.cpp's ids, with and without
// special tokens, and comes back as llama.cpp decodes it.
func TestGolden(t *testing.T) {
	for _, c := range []struct{ golden, vocab string }{
		{"gpt-2", "gpt-2"}, {"llama-spm", "llama-spm"}, {"phi-3", "phi-3"}, {"baichuan", "baichuan"},
		{"mpt", "mpt"}, {"starcoder", "starcoder"}, {"refact", "refact"},
		{"deepseek-coder", "deepseek-coder"}, {"bert-bge", "bert-bge"},
		{"gpt-neox", "mpt"}, {"llama-spm.no-space-prefix", "llama-spm"},
	} {
		t.Run(c.golden, func(t *testing.T) {
			var g goldenVocab
			loadJSON(t, shared(t, "golden/models/tokenizer/"+c.golden+".json"), &g)
			data := goldentest.Read(t, shared(t, "golden/models/tokenizer/vocabs/ggml-vocab-"+c.vocab+".gguf.gz"))
			switch c.golden {
			case "gpt-neox": // the same without the name of a pre-tokenizer
				data = bytes.Replace(data, []byte("tokenizer.ggml.pre"), []byte("tokenizer.ggml.prX"), 1)
			}
			f, err := gguf.Parse(c.vocab, data)
			if err != nil {
				t.Fatal(err)
			}
			v, err := New(f)
			if err != nil {
				t.Fatal(err)
			}
			if c.golden == "llama-spm.no-space-prefix" {
				v.flags.addSpacePrefix = false
			}
			checkInfo(t, v, &g)
			checkCases(t, v, &g)
			checkPieces(t, v, &g)
		})
	}
}

func checkInfo(t *testing.T, v *Vocab, g *goldenVocab) {
	t.Helper()
	got := fmt.Sprint(v.Size(), v.BOS(), v.EOS(), v.addBOS(), v.addEOS(), v.EOG())
	want := fmt.Sprint(g.Info.Tokens, g.Info.BOS, g.Info.EOS, g.Info.AddBOS, g.Info.AddEOS, g.Info.EOG)
	if got != want {
		t.Errorf("size, bos, eos, add_bos, add_eos, eog = %s, want %s", got, want)
	}
}

func checkCases(t *testing.T, v *Vocab, g *goldenVocab) {
	t.Helper()
	bad := 0
	for i, c := range g.Cases {
		text := unhex(t, c.Hex)
		parse := c.ParseSpecial
		if parse == nil {
			parse = &c.IDs
		}
		add := c.AddSpecial
		if add == nil {
			add = parse
		}
		for _, k := range []struct {
			name string
			opt  models.EncodeOptions
			want *idsOrError
		}{
			{"plain", models.EncodeOptions{}, &c.IDs},
			{"parse_special", models.EncodeOptions{ParseSpecial: true}, parse},
			{"add_special", models.EncodeOptions{ParseSpecial: true, AddSpecial: true}, add},
		} {
			got := v.Encode(text, k.opt)
			if k.want.refused != "" {
				continue // no ids to compare with; that it returns is enough
			}
			if !slices.Equal(got, k.want.ids) {
				if bad++; bad <= 6 {
					t.Errorf("case %d %s: Encode(%.60q)\n got %v\nwant %v", i, k.name, text, cutIDs(got), cutIDs(k.want.ids))
				}
			}
		}
		want := text
		if c.Detok != nil {
			want = unhex(t, *c.Detok)
		}
		if parse.refused == "" {
			if got := v.Decode(parse.ids, true); got != want {
				if bad++; bad <= 6 {
					t.Errorf("case %d: Decode = %.80q, want %.80q", i, got, want)
				}
			}
		}
	}
	if bad > 6 {
		t.Errorf("%d faults in all", bad)
	}
}

func cutIDs(ids []int32) []int32 { return ids[:min(len(ids), 24)] }

func checkPieces(t *testing.T, v *Vocab, g *goldenVocab) {
	t.Helper()
	for key, raw := range g.Pieces {
		var id int32
		fmt.Sscan(key, &id)
		var one string
		if json.Unmarshal(raw, &one) != nil {
			var two []string
			if err := json.Unmarshal(raw, &two); err != nil {
				t.Fatal(err)
			}
			one = two[0]
			if got := v.Decode([]int32{id}, false); got != unhex(t, two[1]) {
				t.Errorf("piece %d with specials hidden = %q, want %q", id, got, unhex(t, two[1]))
			}
		}
		if got := v.Piece(id); got != unhex(t, one) {
			t.Errorf("Piece(%d) = %q, want %q", id, got, unhex(t, one))
		}
	}
}

// Every name of tokenizer.ggml.pre splits as llama.cpp splits, seen through a
// vocabulary whose merges cross every boundary.
func TestPretokenizers(t *testing.T) {
	var g struct {
		Texts  []string `json:"texts_hex"`
		Groups []struct {
			Pre []string
			IDs []*idsOrError
		}
		Rejected map[string]string
	}
	loadJSON(t, shared(t, "golden/models/tokenizer/pretokenizers.json"), &g)
	data := goldentest.Read(t, shared(t, "golden/models/tokenizer/vocabs/pretok-probe.gguf.gz"))
	for _, group := range g.Groups {
		for _, name := range group.Pre {
			t.Run(name, func(t *testing.T) {
				p := findPre(name)
				if p == nil {
					t.Fatal("not known")
				}
				v := withPre(t, data, name)
				bad := 0
				for i, h := range g.Texts {
					want := group.IDs[i]
					if want == nil {
						want = g.Groups[0].IDs[i]
					}
					text := unhex(t, h)
					got := v.Encode(text, models.EncodeOptions{})
					if want.refused == "" && !slices.Equal(got, want.ids) {
						if bad++; bad <= 3 {
							t.Errorf("text %d: Encode(%.60q)\n got %q\nwant %q", i, text, spell(v, got), spell(v, want.ids))
						}
					}
				}
				if bad > 3 {
					t.Errorf("%d texts differ", bad)
				}
			})
		}
	}
	for name := range g.Rejected {
		withPre(t, data, name).Encode("must return", models.EncodeOptions{})
	}
}

func spell(v *Vocab, ids []int32) (out []string) {
	for _, id := range cutIDs(ids) {
		out = append(out, v.Piece(id))
	}
	return out
}

// withPre loads a BPE vocabulary under another name of pre-tokenizer.
func withPre(t *testing.T, data []byte, name string) *Vocab {
	t.Helper()
	f, err := gguf.Parse("probe", replacePre(t, data, name))
	if err != nil {
		t.Fatal(err)
	}
	v, err := New(f)
	if err != nil {
		t.Fatal(err)
	}
	if v.Pre() != name {
		t.Fatalf("Pre() = %q, want %q", v.Pre(), name)
	}
	return v
}
