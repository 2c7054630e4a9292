package structure

import (
	"slices"
	"strings"
	"testing"

	"logitscope/engine"
	"logitscope/sampling/constrain"
	"logitscope/viz"
)

// ageFirst wants the age before the name.
const ageFirst = `{"type":"object","properties":{"age":{"type":"integer","minimum":0,"maximum":150},"name":{"type":"string","maxLength":20}},"required":["age","name"],"additionalProperties":false}`

// What is said of a source breaks at blanks; what does not fit is counted.
func TestSourceOutcome(t *testing.T) {
	bad := &remark{"one two three four", 0}
	notes := []remark{{"good", -1}, {"first note", -1}, {"second one here", -1}, {"third", -1}}
	for _, tt := range []struct {
		e    Editor
		w, h int
		want []string
	}{
		{Editor{}, 20, 2, []string{"compiling …"}},
		{Editor{known: true, bad: bad}, 11, 3, []string{"! one two", "three four"}}, // "! one two t" would break a word
		{Editor{known: true, bad: bad}, 11, 1, []string{"! one two …"}},
		{Editor{known: true, notes: notes}, 40, 4, []string{"good", "first note", "second one here", "third"}},
		{Editor{known: true, notes: notes}, 40, 3, []string{"good", "first note", "⋮ 2 more notes · ctrl+g shows them"}},
		{Editor{known: true, notes: notes, note: 2}, 40, 3, []string{"second one here", "third"}},
		{Editor{known: true, notes: []remark{{"one two three four", -1}, {"last", -1}}}, 11, 2, []string{"one two …", "⋮ 1 more…"}},
	} {
		if got := tt.e.outcome(tt.w, tt.h, false); !slices.Equal(got, tt.want) {
			t.Errorf("%d×%d: %q, want %q", tt.w, tt.h, got, tt.want)
		}
	}
}

// The columns of the rows keep apart at every width: a label, a share of six
// cells and the word above it.
func TestMaskColumns(t *testing.T) {
	for w := 38; w <= 240; w++ {
		c := maskColumnsOf(w)
		end := c.label + c.labelW
		if c.raw > 0 && c.raw-6 <= end || c.raw == 0 && c.allowed-6 <= end {
			t.Errorf("at %d the label runs into a share: %+v", w, c)
		}
		if c.raw > 0 && c.allowed-len("allowed") <= c.raw || c.bar > 0 && (c.bar <= c.allowed || c.barW < 8 || c.bar+c.barW >= c.why) || c.why <= c.allowed || w-c.why < 11 {
			t.Errorf("at %d columns touch: %+v", w, c)
		}
	}
}

func TestFaultsHaveAPlace(t *testing.T) {
	for _, tt := range []struct {
		kind       int
		text, what string
		at         int // byte, -1 none
	}{
		{0, ageFirst, "", 0},
		{0, "{\"type\": \"object\",\n \"x\" 1}", "invalid character '1'", 24},
		{0, `{"type":"object","properties":{"a":{"$dynamicRef":"#x"}}}`, "dynamicRef", strings.Index(`{"type":"object","properties":{"a":{"$dynamicRef":"#x"}}}`, `"#x"`)},
		{0, `{"type":"object","properties":{"a/b":{"minLength":5,"maxLength":3,"type":"string"}},"required":["a/b"]}`, "", -2},
		{2, "a(b", "", -2},
		{3, "root ::= \"a\"\nroot2 ::= [", "line 2", -2},
		{4, `{"tables": 3}`, "", -2},
		{5, "", "", -2},
		{5, "yes\nno", "", 0},
	} {
		_, notes, bad := source{kind: tt.kind, text: tt.text}.check()
		good := tt.at == 0
		switch {
		case good != (bad == nil):
			t.Errorf("%s %q: %v", constrain.Kinds()[tt.kind].Name, tt.text, bad)
		case good && !strings.HasPrefix(notes[0].what, "good"):
			t.Errorf("%q: notes %v", tt.text, notes)
		case bad != nil && !strings.Contains(bad.what, tt.what):
			t.Errorf("%q: says %q, want %q", tt.text, bad.what, tt.what)
		case bad != nil && tt.at > 0 && bad.at != tt.at:
			t.Errorf("%q: byte %d, want %d", tt.text, bad.at, tt.at)
		case bad != nil && bad.at > len(tt.text):
			t.Errorf("%q: byte %d of %d", tt.text, bad.at, len(tt.text))
		}
	}
}

// What is stored reads back as it was written.
func TestSourceRoundTrip(t *testing.T) {
	for i, k := range constrain.Kinds() {
		s := patterns[firstOf(i)].source
		if o, ok := switchOf(k); ok {
			o.Switch(&s.options)
		}
		stored, _, bad := s.check()
		if bad != nil {
			t.Errorf("%s: the template does not compile: %s", k.Name, bad.what)
			continue
		}
		back, _ := sourceOf(stored)
		again, _, bad := back.check()
		if bad != nil || again != stored || back.kind != s.kind || back.options != s.options {
			t.Errorf("%s: stored %s, back %+v", k.Name, stored, back)
		}
	}
}

func TestPlaceOf(t *testing.T) {
	const text = `{"a": [1, {"b/c": {"d": true}}], "e~f": null}`
	for _, tt := range []struct {
		pointer, keyword, want string
	}{
		{"", "", text}, {"/a", "", "[1"}, {"/a/1", "", "{\"b/c\""}, {"/a/1/b~1c", "d", "true"}, {"", "e~f", "null"},
		{"/a/1/b~1c", "missing", `{"d"`},
	} {
		at := placeOf(text, tt.pointer, tt.keyword)
		if at < 0 || !strings.HasPrefix(text[at:], tt.want) {
			t.Errorf("%q %q is at %d, want %s", tt.pointer, tt.keyword, at, tt.want)
		}
	}
	if at := placeOf(text, "/none/1", ""); at != -1 {
		t.Errorf("a pointer to nothing is at %d", at)
	}
}

func FuzzPlaceOf(f *testing.F) {
	f.Add(`{"a":[1,{"b":2}]}`, "/a/1", "b")
	f.Add(`{"a"`, "/a", "")
	f.Fuzz(func(t *testing.T, text, pointer, keyword string) {
		if at := placeOf(text, pointer, keyword); at < -1 || at > len(text) {
			t.Errorf("byte %d of %d", at, len(text))
		}
	})
}

func FuzzSourceCheck(f *testing.F) {
	for i := range constrain.Kinds() {
		f.Add(i, patterns[firstOf(i)].text)
	}
	f.Fuzz(func(t *testing.T, kind int, text string) {
		if kind < 0 || kind >= len(constrain.Kinds()) || len(text) > 200 {
			return
		}
		_, _, bad := source{kind: kind, text: text}.check()
		if bad != nil && (bad.at < -1 || bad.at > len(text) || bad.what == "") {
			t.Errorf("fault %+v of %d bytes", bad, len(text))
		}
	})
}

func TestPlaceForms(t *testing.T) {
	k := engine.ConstraintStep{Stack: []string{"value", "items", "age"}, Forced: " \""}
	want := map[int]string{
		80: `inside: value ▸ items ▸ age · forced: ␣"`, 40: `inside: value ▸ items ▸ age · forced: ␣"`, // 40 cells
		39: `inside: … ▸ items ▸ age · forced: ␣"`, 30: `inside: … ▸ age · forced: ␣"`, 20: `age · forced: ␣"`, 10: "age",
	}
	for w, text := range want {
		if got := viz.FirstFit(w, placeForms(&k, false)...); got != text {
			t.Errorf("%d cells: %q, want %q", w, got, text)
		}
	}
}
