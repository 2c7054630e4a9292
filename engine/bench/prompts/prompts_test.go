package prompts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"logitscope/engine/check"
)

func of(form Form, text string) *Set {
	return &Set{form: form, reader: &check.Reader{}, open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// read returns the texts of a set, or its bad lines.
func read(t *testing.T, s *Set) (texts []string, bad []int) {
	t.Helper()
	n, err := s.Check()
	var b *BadError
	if errors.As(err, &b) {
		for _, l := range b.Lines {
			bad = append(bad, l.Line)
		}
		return nil, bad
	}
	if err != nil && err != ErrNone {
		t.Fatal(err)
	}
	if err := s.Each(func(i int, p Prompt) error {
		if i != len(texts) {
			t.Errorf("prompt %d comes as %d", len(texts), i)
		}
		texts = append(texts, p.Text)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if n != len(texts) {
		t.Errorf("%d prompts, counted as %d", len(texts), n)
	}
	return texts, nil
}

// The rules that the golden sets leave open.
func TestForms(t *testing.T) {
	for _, tt := range []struct {
		name string
		form Form
		in   string
		want []string
		bad  []int
	}{
		{"a quoted cell at the end", CSV, "prompt,n\na,\"1\"", []string{"a"}, nil},
		{"an empty last cell", CSV, "prompt,n\na,\n", []string{"a"}, nil},
		{"only quotes", CSV, "prompt\n\"\"\n", []string{""}, nil},
		{"doubled quotes", CSV, "prompt\n\"a \"\"b\"\"\"\n", []string{`a "b"`}, nil},
		{"a quote over lines that is never closed", CSV, "prompt\na\n\"b\nc\n", nil, []int{3}},
		{"text after a quote, and then a good record", CSV, "prompt,n\n\"a\"x,1\nb,2\n", nil, []int{2}},
		{"not UTF-8", CSV, "prompt\n\xff\na\n", nil, []int{2}},
		{"a comma in a TSV", TSV, "prompt\ta\nx, y\t1\n", []string{"x, y"}, nil},
		{"marks alone", Text, "---\n---\n---", nil, nil},
		{"a mark with blanks", Text, "a\n---  \t\nb", []string{"a", "b"}, nil},
		{"four hyphens are text", Text, "a\n----\nb\n", []string{"a\n----\nb"}, nil},
		{"an escaped name", Text, `a \{{n}}`, []string{"a {{n}}"}, nil},
		{"two bad lines of one prompt", Text, "a\n{{n}}\n{{m}}\n---\nb\xff\n", nil, []int{2, 5}},
		{"a bare line end inside", Text, "a\rb", []string{"a\rb"}, nil},
		{"JSON and blank lines", JSONLines, "\n{\"prompt\":\"a\"}\n\n  \n{\"prompt\":\"b\"}", []string{"a", "b"}, nil},
		{"an id of another's number", JSONLines, "{\"prompt\":\"a\"}\n{\"prompt\":\"b\",\"id\":1}", nil, []int{2}},
		{"numbers as ids", JSONLines, "{\"prompt\":\"a\",\"id\":-7}\n{\"prompt\":\"b\",\"id\":1.5}", nil, []int{2}},
		{"two objects a line", JSONLines, "{\"prompt\":\"a\"}{\"prompt\":\"b\"}", nil, []int{1}},
		{"a variable of a variable", JSONLines, `{"prompt":"{{a}}{{ b }}","vars":{"a":"{{b}}","b":"x"}}`, []string{"{{b}}x"}, nil},
		{"null fields", JSONLines, `{"prompt":"a","system":null}`, nil, []int{1}},
		{"a nested value", JSONLines, `{"prompt":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + "}", nil, []int{1}},
	} {
		texts, bad := read(t, of(tt.form, tt.in))
		if !slices.Equal(texts, tt.want) || !slices.Equal(bad, tt.bad) {
			t.Errorf("%s: %q, bad %v; want %q, bad %v", tt.name, texts, bad, tt.want, tt.bad)
		}
	}
}

// Names of members are no texts, and what looks like one inside a text is.
func TestVariablesInChecks(t *testing.T) {
	in := `{"prompt":"a","vars":{"x":"1\"2"},"expect":[{"equals":"{{x}}"},{"schema":{"properties":{"{{x}}":{"const":"\"{{x}}:"}}}}]}`
	s := of(JSONLines, in)
	if _, err := s.Check(); err != nil {
		t.Fatal(err)
	}
	s.Each(func(_ int, p Prompt) error {
		b, err := json.Marshal(p.Expect)
		if want := `[{"equals":"1\"2"},{"schema":{"properties":{"{{x}}":{"const":"\"1\"2:"}}}}]`; err != nil || string(b) != want {
			t.Errorf("%s, %v\nwant %s", b, err, want)
		}
		return nil
	})
}

func TestFileForms(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		name, text, want string // want is a part of the error, or empty
		form             Form
	}{
		{"a.JSONL", `{"prompt":"a"}`, "", JSONLines},
		{"b.md", `{"prompt":"a"}`, "", Text},
		{"c", "\ufeff \n{", "", JSONLines},
		{"d", "  a", "", Text},
		{"e", "[1]", "array", JSONLines},
		{"f.csv", "[1]", "", CSV},
		{"g.txt", "a\x00b\x00", "UTF-16", Text},
		{"h.txt", "\x00a\x00b", "UTF-16", Text},
		{"i.jsonl", "", "", JSONLines},
	} {
		path := filepath.Join(dir, tt.name)
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := File(path, false)
		if (err != nil) != (tt.want != "") || err != nil && !strings.Contains(err.Error(), tt.want) || err == nil && s.form != tt.form {
			t.Errorf("%s: %v, form %v; want %q, form %v", tt.name, err, s.form, tt.want, tt.form)
		}
	}
}

func TestIsSet(t *testing.T) {
	for text, want := range map[string]bool{
		`{"prompt":"a"}`: true, "\ufeff\n{\"messages\":[]}\nx": true, `{"tokens":[1],"id":2}`: true,
		`{"a":1}`: false, `Once upon`: false, `{"prompt":"a","user":"b"}`: false, "": false, "{\n\"prompt\":1}": false,
	} {
		if IsSet([]byte(text)) != want {
			t.Errorf("%q: want %v", text, want)
		}
	}
}

func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", MaxPrompt+10)
	for _, tt := range []struct {
		form Form
		in   string
	}{
		{JSONLines, `{"prompt":"` + long + "\"}\n{\"prompt\":\"b\"}\n"},
		{CSV, "prompt\n" + long + "\nb\n"},
		{CSV, "prompt\n\"" + strings.Repeat("x\n", MaxPrompt/2+10) + "\"\nb\n"},
		{Text, long + "\n---\nb"},
		{Text, strings.Repeat("x\n", MaxPrompt/2+10) + "---\nb"},
	} {
		_, err := of(tt.form, tt.in).Check()
		var b *BadError
		if !errors.As(err, &b) || !errors.Is(b.Lines[0].Err, errLong) {
			t.Errorf("form %v: %v, want longer", tt.form, err)
		}
	}
}

// A set that was written by one is read as the same.
func TestPromptsGoBack(t *testing.T) {
	in := `{"id":"x","messages":[{"role":"user","content":"<a> \u2028"}],"system":"s","expect":[{"extract":"a","equals":"b"},"no_loop"],"extract":"(c)","tags":["t"],"vars":{"v":"1.50"}}` + "\n" +
		`{"tokens":[0,5]}` + "\n" + `{"prompt":""}` + "\n"
	write := func(s *Set) string {
		var b bytes.Buffer
		if _, err := s.Check(); err != nil {
			t.Fatal(err)
		}
		s.Each(func(_ int, p Prompt) error { return json.NewEncoder(&b).Encode(p) })
		return b.String()
	}
	once := write(of(JSONLines, in))
	if again := write(of(JSONLines, once)); again != once {
		t.Errorf("%s\nread again:\n%s", once, again)
	}
}

func FuzzSet(f *testing.F) {
	for form, s := range []string{`{"prompt":"{{a}}","vars":{"a":1},"expect":"json"}`, "prompt,a\n\"{{a}}\",\"x\"\"\"\n", "prompt\ta\nx\t1", "a\n---\n\\{{b}}"} {
		f.Add(uint8(form), s)
	}
	f.Fuzz(func(t *testing.T, form uint8, text string) {
		s := of(Form(form%4), text)
		n, err := s.Check()
		if err != nil {
			var b *BadError
			if errors.As(err, &b) && (len(b.Lines) == 0 || b.Lines[0].Line < 1 || b.Lines[0].Line > 1+strings.Count(text, "\n")) {
				t.Fatalf("%v", b.Lines)
			}
			return
		}
		ids := map[string]bool{}
		if err := s.Each(func(_ int, p Prompt) error {
			if _, err := json.Marshal(p); err != nil {
				return err
			}
			if ids[p.ID] {
				return fmt.Errorf("%s stands twice", p.ID)
			}
			ids[p.ID] = true
			return nil
		}); err != nil || len(ids) != n {
			t.Fatalf("%d prompts of %d: %v", len(ids), n, err)
		}
	})
}

// A device or a pipe has no end, or only one reading in it.
func TestSetsAreFiles(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Skip(err)
	}
	defer r.Close()
	defer w.Close()
	for _, path := range []string{os.DevNull, fmt.Sprintf("/dev/fd/%d", r.Fd())} {
		if st, err := os.Stat(path); err != nil || st.Mode().IsRegular() {
			t.Logf("%s is not there", path)
			continue
		}
		if _, err := File(path, false); !errors.Is(err, errIrregular) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// A conversation is shown by its turns, wherever a person reads what was asked.
func TestAsked(t *testing.T) {
	user := Message{"user", "Who?"}
	for _, c := range []struct {
		p    Prompt
		want string
	}{
		{Prompt{Text: "Once"}, "Once"},
		{Prompt{Text: "Who?", System: "Be short."}, "system: Be short.\nuser: Who?\n"},
		{Prompt{Messages: []Message{user, {"assistant", "I."}}, System: "Be short."}, "system: Be short.\nuser: Who?\nassistant: I.\n"},
	} {
		if got := c.p.Asked(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.p, got, c.want)
		}
	}
}
