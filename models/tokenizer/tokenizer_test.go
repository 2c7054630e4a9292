package tokenizer

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"logitscope/models"
	"logitscope/models/gguf"
	"logitscope/models/goldentest"
)

func fable(t testing.TB) *Vocab {
	t.Helper()
	return load(t, goldentest.Read(t, "testdata/fable-vocab.gguf.gz"))
}

// The built-in model's tokenizer gives the ids that llama.cpp gives.
func TestFable(t *testing.T) {
	v := fable(t)
	if v.Size() != 4096 || v.BOS() != 0 || v.EOS() != 0 || !v.addBOS() || !slices.Equal(v.EOG(), []int32{0}) {
		t.Errorf("size %d, bos %d, eos %d, add_bos %v, eog %v", v.Size(), v.BOS(), v.EOS(), v.addBOS(), v.EOG())
	}
	var cases []struct {
		Text string
		IDs  []int32
	}
	loadJSON(t, "testdata/fable.json", &cases)
	if len(cases) < 30 {
		t.Fatalf("only %d cases", len(cases))
	}
	for _, c := range cases {
		if got := v.Encode(c.Text, models.EncodeOptions{}); !slices.Equal(got, c.IDs) {
			t.Errorf("Encode(%q) = %v, want %v", c.Text, got, c.IDs)
		}
	}
	got := v.Encode("<|endoftext|>a", models.EncodeOptions{AddSpecial: true, ParseSpecial: true})
	if want := append([]int32{0, 0}, v.Encode("a", models.EncodeOptions{})...); !slices.Equal(got, want) {
		t.Errorf("special tokens: %v, want %v", got, want)
	}
}

// Each malformed file is accepted or refused as its manifest says, and what
// is accepted works.
func TestHostile(t *testing.T) {
	var m struct {
		Cases []struct{ File, Wrong, Must string }
	}
	loadJSON(t, "testdata/hostile/manifest.json", &m)
	for _, c := range m.Cases {
		data, err := os.ReadFile(filepath.Join("testdata", "hostile", c.File))
		if err != nil {
			t.Fatal(err)
		}
		f, err := gguf.Parse(c.File, data)
		var v *Vocab
		if err == nil {
			v, err = New(f)
		}
		switch {
		case c.Must == "reject" && err == nil, c.Must == "accept" && err != nil:
			t.Errorf("%s (%s): error %v, but the manifest says %s", c.File, c.Wrong, err, c.Must)
		case err != nil:
			if !strings.Contains(err.Error(), "tokenizer.") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %q does not name the key on one line", c.File, err)
			}
		default:
			use(v, "the cat <s> \xff\x00 é")
		}
	}
}

// use calls everything that takes an id or a text.
func use(v *Vocab, text string) {
	for _, opt := range []models.EncodeOptions{{}, {AddSpecial: true}, {ParseSpecial: true, AddSpecial: true}} {
		ids := v.Encode(text, opt)
		for _, id := range ids {
			if id < 0 || int(id) >= v.Size() {
				panic(fmt.Sprintf("Encode gave id %d of %d", id, v.Size()))
			}
		}
		v.Decode(ids, true)
		v.Decode(ids, false)
	}
	for _, id := range []int32{-1, 0, int32(v.Size()) - 1, int32(v.Size()), 1 << 30} {
		v.Piece(id)
		v.Text(id)
		v.Attr(id)
		v.Decode([]int32{id}, false)
	}
	for _, id := range v.EOG() {
		if id < 0 || int(id) >= v.Size() {
			panic("EOG out of range")
		}
	}
}

func TestUnknownPreIsNoted(t *testing.T) {
	v := load(t, bpeFile("never-heard-of", nil))
	if v.Pre() != "default" || len(v.Notes()) != 1 || !strings.Contains(v.Notes()[0], "never-heard-of") {
		t.Errorf("Pre() = %q, Notes() = %q", v.Pre(), v.Notes())
	}
}

// Padding has no piece and is never to be sampled.
func TestUnusedTokens(t *testing.T) {
	var m metadata
	m.str("tokenizer.ggml.model", "gpt2")
	m.str("tokenizer.ggml.pre", "gpt-2")
	m.strings("tokenizer.ggml.tokens", []string{"a", "", "[PAD2]", "[PAD3]", "<|endoftext|>", "b", "", "c"})
	m.ints("tokenizer.ggml.token_type", []int32{1, 1, 5, 1, 3, 1, 5, 77})
	m.strings("tokenizer.ggml.merges", nil)
	v := load(t, m.file())
	want := []models.Attr{models.Normal, models.Unused, models.Unused, models.Normal, models.Control, models.Normal, models.Unused, models.Unused}
	for id, w := range want {
		if got := v.Attr(int32(id)); got != w {
			t.Errorf("Attr(%d) = %v, want %v", id, got, w)
		}
		if (v.Piece(int32(id)) == "") != (w == models.Unused) {
			t.Errorf("Piece(%d) = %q", id, v.Piece(int32(id)))
		}
	}
}

// Padding that a converter named is not to be sampled either, though text can
// still spell it.
func TestNamedPadding(t *testing.T) {
	v := load(t, bpeFile("gpt-2", nil, "<|endoftext|>", "[PAD257]", "[PAD999]"))
	for text, want := range map[string]models.Attr{"[PAD257]": models.Unused, "[PAD999]": models.Control} {
		if got := v.Attr(v.ID(text)); got != want {
			t.Errorf("Attr(%s) = %v, want %v", text, got, want)
		}
	}
}

// By hand: "low" and "lower" with three merges, the rank deciding.
func TestBPEByHand(t *testing.T) {
	v := load(t, bpeFile("gpt-2", []string{"l o", "lo w", "e r", "Ġ lo"}, "<|im_end|>"))
	for _, c := range []struct {
		text string
		want []string
	}{
		{"lower", []string{"low", "er"}},
		{" low", []string{" ", "low"}}, // "lo w" ranks before "Ġ lo"
		{" lo", []string{" lo"}},
		{"<|im_end|>", []string{"<", "|", "i", "m", "_", "e", "n", "d", "|", ">"}},
		{"\xff", []string{"\xef", "\xbf", "\xbd"}},
	} {
		var got []string
		for _, id := range v.Encode(c.text, models.EncodeOptions{}) {
			got = append(got, v.Piece(id))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("Encode(%q) = %q, want %q", c.text, got, c.want)
		}
	}
	if got := v.Encode("<|im_end|>", models.EncodeOptions{ParseSpecial: true}); len(got) != 1 || !slices.Contains(v.EOG(), got[0]) {
		t.Errorf("<|im_end|> = %v, EOG %v", got, v.EOG())
	}
}

func TestSPMByHand(t *testing.T) {
	v := load(t, spmFile([]string{"ab", "▁a", "bc", "a", "b", "c", "▁"}, nil))
	spell := func(text string, opt models.EncodeOptions) string {
		var out []string
		for _, id := range v.Encode(text, opt) {
			out = append(out, v.Text(id))
		}
		return strings.Join(out, " ")
	}
	for _, c := range []struct{ text, want string }{
		{"abc", "▁ ab c"},                 // "ab" scores best
		{"a", "▁a"},                       //
		{"é", "▁ <0xC3> <0xA9>"},          // byte fallback
		{"\xff", "▁ <0xFF>"},              //
		{"bc a", "▁ bc ▁a"},               //
		{"<s>", "▁ <0x3C> <0x73> <0x3E>"}, // no token: the name is text
	} {
		if got := spell(c.text, models.EncodeOptions{}); got != c.want {
			t.Errorf("Encode(%q) = %s, want %s", c.text, got, c.want)
		}
	}
	if got, want := spell("a<s>a", models.EncodeOptions{AddSpecial: true, ParseSpecial: true}), "<s> ▁a <s> ▁a"; got != want {
		t.Errorf("with specials %s, want %s", got, want)
	}
}

// Token names that are prefixes of each other: the longest is taken first
// from the whole text.
func TestPartitionLongestFirst(t *testing.T) {
	v := load(t, bpeFile("gpt-2", nil, "<a", "<a>", "<a><b>"))
	ids := v.Encode("x<a><b><a><a", models.EncodeOptions{ParseSpecial: true})
	var got []string
	for _, id := range ids {
		got = append(got, v.Piece(id))
	}
	if want := []string{"x", "<a><b>", "<a>", "<a"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// mergePlain is BPE as its definition has it: merge the leftmost pair of
// lowest rank until there is none.
func mergePlain(text string, rank map[[2]string]int) []string {
	var parts []string
	for _, c := range []byte(text) {
		parts = append(parts, string(byteRunes[c]))
	}
	for {
		best, at := len(rank), -1
		for i := 0; i+1 < len(parts); i++ {
			if r, ok := rank[[2]string{parts[i], parts[i+1]}]; ok && r < best {
				best, at = r, i
			}
		}
		if at < 0 {
			return parts
		}
		parts = slices.Concat(parts[:at], []string{parts[at] + parts[at+1]}, parts[at+2:])
	}
}

// Both ways of merging give what the definition gives.
func TestMergesAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		var merges []string
		rank := map[[2]string]int{}
		parts := []string{"a", "b", "c"}
		for range 20 {
			p := [2]string{parts[r.IntN(len(parts))], parts[r.IntN(len(parts))]}
			if _, dup := rank[p]; dup || len(p[0]+p[1]) > 9 {
				continue
			}
			rank[p] = len(merges)
			merges = append(merges, p[0]+" "+p[1])
			parts = append(parts, p[0]+p[1])
		}
		v := load(t, bpeFile("gpt-2", merges))
		b := v.encoder.(*bpe)
		for range 20 {
			text := make([]byte, 1+r.IntN(shortWord))
			for i := range text {
				text[i] = "abc"[r.IntN(3)]
			}
			want := mergePlain(string(text), rank)
			for name, merge := range map[string]func(*scratch){"short": b.mergeShort, "long": b.mergeLong} {
				var w scratch
				b.seed(&w, string(text))
				merge(&w)
				var got []string
				for i := int32(0); i >= 0; i = w.nodes[i].next {
					got = append(got, string(text[w.nodes[i].start:w.nodes[i].end]))
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%s: %s with merges %q = %q, want %q", name, text, merges, got, want)
				}
			}
		}
	}
}

// A word of any length must not cost the square of it: four times the length
// may make at most eight times as many queue steps.
func TestLongWordIsNotQuadratic(t *testing.T) {
	v := load(t, bpeFile("gpt-2", []string{"a a", "aa aa", "aaaa aaaa"}))
	for _, n := range []int{1, 2, 3, 4, 5, 24, 25, 1000, 1 << 18} {
		ids := v.Encode(strings.Repeat("a", n), models.EncodeOptions{})
		want := n/8 + n%8/4 + n%4/2 + n%2
		if len(ids) != want {
			t.Errorf("%d letters give %d tokens, want %d", n, len(ids), want)
		}
	}
	spm := load(t, spmFile([]string{"a", "aa", "aaaa"}, nil))
	if got := len(spm.Encode(strings.Repeat("a", 1<<18), models.EncodeOptions{})); got < 1<<16 {
		t.Errorf("SPM: %d tokens", got)
	}
	long := []string{strings.Repeat(" ", 1<<16), strings.Repeat("7", 1<<16), strings.Repeat("éA", 1<<15),
		strings.Repeat("\n ", 1<<15), strings.Repeat("é", 1<<15), strings.Repeat("a ", 1<<15), strings.Repeat(" x\t", 1<<14)}
	for _, p := range pretokenizers {
		for _, text := range long {
			n := 0
			p.splits(text+"a", func(s string) { n += len(s) })
			if n != len(text)+1 {
				t.Errorf("%s: pieces of %.4q… hold %d of %d bytes", p.names[0], text, n, len(text)+1)
			}
		}
	}
}

// FuzzRoundTrip: any valid UTF-8 comes back from its tokens, under BPE with
// every pre-tokenizer and under SPM.
func FuzzRoundTrip(f *testing.F) {
	var cases []struct{ Text string }
	loadJSON(f, "testdata/fable.json", &cases)
	for _, c := range cases {
		f.Add(c.Text)
	}
	f.Add("a\u3000b\u2028\u0085 \u200d\ufe0f 👩\u200d👧 १२३ ſ'S'ſ 1234567 ǅ é\u0301 \x00\x1f")
	bpes := []*Vocab{fable(f)}
	probe := bpeFile("gpt-2", []string{"a a", "Ġ a", "1 2", "12 3", "Ċ Ċ"})
	for _, p := range pretokenizers {
		if !p.rawBytes {
			bpes = append(bpes, load(f, replacePre(f, probe, p.names[0])))
		}
	}
	spm := load(f, spmFile([]string{"ab", "▁a", "é", "a", "▁"}, nil))
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			use(bpes[0], text)
			use(spm, text)
			return
		}
		for _, v := range bpes {
			if got := pieces(v, v.Encode(text, models.EncodeOptions{})); got != text {
				t.Fatalf("%s: %q came back as %q", v.Pre(), text, got)
			}
		}
		if !strings.Contains(text, escapedSpace) && text != "" {
			if got := spm.Decode(spm.Encode(text, models.EncodeOptions{}), true); got != text {
				t.Fatalf("SPM: %q came back as %q", text, got)
			}
		}
	})
}

func pieces(v *Vocab, ids []int32) string {
	var b strings.Builder
	for _, id := range ids {
		b.WriteString(v.Piece(id))
	}
	return b.String()
}

// FuzzNew: any file gives a vocabulary that works, or an error.
func FuzzNew(f *testing.F) {
	names, err := filepath.Glob("testdata/hostile/*.gguf")
	if err != nil || len(names) == 0 {
		f.Fatal("no files to start from", err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add(bpeFile("chameleon", []string{"a a", " b", "x", "Ġ Ġ"}, "<|end|>", "<|return|>", "<|call|>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := gguf.Parse("fuzz", data)
		if err != nil {
			return
		}
		v, err := New(file)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error of several lines: %q", err)
			}
			return
		}
		use(v, "the cat <s></s> \xff é１2 ▁")
	})
}

// The tokens that end generation: the file's own, well-known names, and the
// exceptions where a format uses such a name inside a message.
func TestEOG(t *testing.T) {
	for name, c := range map[string]struct {
		controls []string
		want     []string
	}{
		"chat names":      {[]string{"<|eot_id|>", "<|im_end|>", "<|start|>x"}, []string{"<|eot_id|>", "<|im_end|>"}},
		"end of a turn":   {[]string{"<|end|>", "<|return|>"}, []string{"<|end|>", "<|return|>"}},
		"harmony":         {[]string{"<|end|>", "<|return|>", "<|call|>"}, []string{"<|return|>", "<|call|>"}},
		"solar":           {[]string{"<|end|>", "<|flush|>", "<|calls|>"}, []string{"<|flush|>", "<|calls|>"}},
		"gemma 4":         {[]string{"</s>", "<turn|>", "<|tool_response>"}, []string{"<turn|>", "<|tool_response>"}},
		"sentencepiece":   {[]string{"</s>"}, []string{"</s>"}},
		"code completion": {[]string{"<|fim_pad|>", "<|fim_prefix|>", "<|repo_name|>", "<|file_sep|>"}, []string{"<|fim_pad|>", "<|repo_name|>", "<|file_sep|>"}},
	} {
		v := load(t, bpeFile("gpt-2", nil, c.controls...))
		var got []string
		for _, id := range v.EOG() {
			if id >= 256 { // the rest is the kind's default, token 11
				got = append(got, v.Text(id))
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: EOG %q, want %q", name, got, c.want)
		}
	}
}

// An id that a key names counts whatever its text; one out of range does not.
func TestSpecialKeys(t *testing.T) {
	file := func(more func(*metadata)) *Vocab { return load(t, spmFile([]string{"a", "b"}, more)) }
	v := file(func(m *metadata) {
		m.u32("tokenizer.ggml.eos_token_id", 259)
		m.u32("tokenizer.ggml.eot_token_id", 260)
		m.boolean("tokenizer.ggml.add_eos_token", true)
		m.boolean("tokenizer.ggml.add_space_prefix", false)
	})
	if v.EOS() != 259 || v.eot() != 260 || !slices.Equal(v.EOG(), []int32{2, 259, 260}) {
		t.Errorf("eos %d, eot %d, eog %v", v.EOS(), v.eot(), v.EOG())
	}
	if got := v.Encode("b", models.EncodeOptions{AddSpecial: true}); !slices.Equal(got, []int32{1, 260, 259}) {
		t.Errorf("Encode = %v, want bos b eos without a space", got)
	}
	v = file(func(m *metadata) { m.u32("tokenizer.ggml.bos_token_id", 1000) })
	if v.BOS() != 1 || len(v.Notes()) == 0 {
		t.Errorf("bos %d with notes %q, want the default and a note", v.BOS(), v.Notes())
	}
	if v := load(t, bpeFile("glm4", nil)); v.BOS() != models.NoToken {
		t.Errorf("bos of glm4 = %d, want none", v.BOS())
	}
}

// One vocabulary serves any number of goroutines.
func TestParallel(t *testing.T) {
	v := fable(t)
	const text = "Once upon a time — 你好, 1234 <|endoftext|>"
	want := v.Encode(text, models.EncodeOptions{ParseSpecial: true})
	for range 4 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			for range 50 {
				if got := v.Encode(text, models.EncodeOptions{ParseSpecial: true}); !slices.Equal(got, want) {
					t.Fatalf("got %v, want %v", got, want)
				}
			}
		})
	}
}
