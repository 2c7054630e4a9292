package jinja

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"logitscope/models/chat/jinja/python"
)

var now = time.Date(2026, 3, 7, 9, 5, 4, 0, time.UTC)

// a jinjaCase is a template and what Jinja2 3.1, set up as transformers sets
// it up, makes of it: a text or an error.
type jinjaCase struct {
	Template string
	Vars     json.RawMessage
	Text     *string
	Error    string
}

func jinjaCases(t testing.TB) (list []jinjaCase) {
	t.Helper()
	f, err := os.Open("testdata/jinja2.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var c jinjaCase
		if err := json.Unmarshal(in.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	if len(list) < 1500 {
		t.Fatalf("only %d cases", len(list))
	}
	return list
}

func vars(t testing.TB, data []byte) *python.Dict {
	t.Helper()
	v, err := python.FromJSON(data)
	if err != nil {
		t.Fatal(err)
	}
	return v.(*python.Dict)
}

func render(source string, vars *python.Dict, limits Limits) (string, error) {
	t, err := Parse(source)
	if err != nil {
		return "", err
	}
	return t.Render(context.Background(), vars, Options{Now: now, Limits: limits})
}

func TestAgainstJinja2(t *testing.T) {
	for _, c := range jinjaCases(t) {
		got, err := render(c.Template, vars(t, c.Vars), Limits{})
		switch {
		case c.Text == nil:
			if err == nil {
				t.Errorf("%q: gives %q, want an error (%s)", c.Template, got, c.Error)
			}
		case err != nil:
			t.Errorf("%q: %v; want %q", c.Template, err, *c.Text)
		case got != *c.Text:
			t.Errorf("%q (- want, + got):\n%s", c.Template, cmp.Diff(*c.Text, got))
		}
	}
}

// Errors say what kind they are, and the line of the template.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		template string
		kind     python.Kind
		line     int
		words    string
	}{
		{"a\n{% if x %}\nb", python.Syntax, 3, "{% endif %}"},
		{"{{ 1\n+ }}", python.Syntax, 2, "want an expression"},
		{"\n\n{{ 'a' | nosuch }}", python.Syntax, 3, `unknown filter "nosuch"`},
		{"{{ 1 is nosuch }}", python.Syntax, 1, `unknown test "nosuch"`},
		{"{% nosuch %}", python.Syntax, 1, `unknown tag "nosuch"`},
		{"{% break %}", python.Syntax, 1, "outside of a loop"},
		{"{{ 'a }}", python.Syntax, 1, "string has no end"},
		{"{# a", python.Syntax, 1, "comment has no end"},
		{"{{ (1] }}", python.Syntax, 1, `unexpected ']', want ')'`},
		{"{% for loop in [1] %}{% endfor %}", python.Syntax, 1, "loop cannot be assigned to"},
		{"{% set a.b.c = 1 %}", python.Syntax, 1, "unexpected"},
		{"{% set 'a' = 1 %}", python.Syntax, 1, "assigned to"},
		{"\n{{ 1 % 0 }}", python.Failed, 2, "division by zero"},
		{"\n{{ 1 // 0 }}", python.Failed, 2, "division by zero"},
		{"\n\n{{ x.y }}", python.Failed, 3, `"x" is undefined`},
		{"{{ 'a' + 1 }}", python.Failed, 1, "str + int"},
		{"{% if false %}{{ 'a' | nosuch }}{% endif %}{% if true %}\n{{ 'a' | nosuch }}{% endif %}", python.Failed, 2, `unknown filter "nosuch"`},
		{"{% include 'x' %}", python.Failed, 1, "include"},
		{"{{ [1].append(2) }}", python.Failed, 1, `"append" of a list is not safe`},
		{"{{ [1] | random }}", python.Unsupported, 1, `the filter "random"`},
		{"{{ 'a'.upper }}", python.Unsupported, 1, "address"},
		{"{{ lipsum() }}", python.Unsupported, 1, "lipsum"},
		{`{{ "\ud800" }}`, python.Unsupported, 1, "surrogate"},
		{"{% block a scoped %}{% endblock %}", python.Unsupported, 1, "scoped"},
		{"a\n{{ raise_exception('no, ' ~ 1) }}", python.Raised, 2, "no, 1"},
		{"{{ range(100001) }}", python.Exceeded, 1, "range has more than"},
	} {
		_, err := render(c.template, python.NewDict(), Limits{})
		var e *python.Error
		if !errors.As(err, &e) || e.Kind != c.kind || e.Line != c.line || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%q: %#v (%v), want kind %d, line %d, %q", c.template, err, err, c.kind, c.line, c.words)
		}
	}
}

// What a hostile template must not be able to do: each ends at a limit, not by
// the clock, and without memory out of proportion.
func TestHostile(t *testing.T) {
	grow := func(step string) string {
		return `{% set ns = namespace(s="xxxxxxxx", l=[1]) %}{% for i in range(99999) %}{% for j in range(99999) %}` + step + `{% endfor %}{% endfor %}`
	}
	deep := func(open, inside, end string, n int) string {
		return strings.Repeat(open, n) + inside + strings.Repeat(end, n)
	}
	for name, template := range map[string]string{
		"nested loops":         grow(`x`),
		"nested loops, empty":  grow(``),
		"doubling a text":      grow(`{% set ns.s = ns.s ~ ns.s %}`),
		"doubling a list":      grow(`{% set ns.l = ns.l + ns.l %}`),
		"doubling a tree":      grow(`{% set ns.l = [ns.l, ns.l] %}{{ ns.l }}`),
		"a tree, as JSON":      grow(`{% set ns.l = [ns.l, ns.l] %}{{ ns.l | tojson }}`),
		"a tree, compared":     grow(`{% set ns.l = [ns.l, ns.l] %}{{ ns.l == ns.l }}`),
		"doubling by replace":  grow(`{% set ns.s = ns.s | replace("x", ns.s) %}`),
		"doubling by a method": grow(`{% set ns.s = ns.s.replace("x", ns.s) %}`),
		"doubling by join":     grow(`{% set ns.s = ns.s | join(ns.s) %}`),
		"doubling by format":   grow(`{% set ns.s = "{0}{0}".format(ns.s) %}`),
		"doubling by %":        grow(`{% set ns.s = "%s%s" % (ns.s, ns.s) %}`),
		"doubling by a block":  grow(`{% set s %}{{ ns.s }}{{ ns.s }}{% endset %}{% set ns.s = s %}`),
		"squares":              grow(`{% set ns.s = (ns.s | length) ** 99 %}`),
		"power":                `{{ 9 ** (9 ** 9) }}`,
		"power of power":       `{{ (9 ** 4000) ** 4000 }}`,
		"recursive macro":      `{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}`,
		"two macros":           `{% macro f(x) %}{{ g(x) }}{% endmacro %}{% macro g(x) %}{{ f(x) }}{{ f(x) }}{% endmacro %}{{ f(1) }}`,
		"doubling macro":       `{% macro f(x) %}{{ f(x ~ x) }}{% endmacro %}{{ f("xxxxxxxxxxxxxxxx") }}`,
		"caller of itself":     `{% macro f() %}{% call f() %}{{ caller() }}{% endcall %}{% endmacro %}{{ f() }}`,
		"recursive loop":       `{% for i in [1] recursive %}{{ loop([1, 1]) }}{% endfor %}`,
		"repeat":               `{{ "x" * 1000000000000 }}`,
		"repeat a list":        `{{ [1] * 1000000000000 }}`,
		"padding":              `{{ "x"|center(1000000000000) }}`,
		"padding by a method":  `{{ "x".ljust(1000000000000) }}`,
		"padding by %":         `{{ "%1000000000d" % 1 }}`,
		"digits by %":          `{{ "%.1000000000f" % 1.5 }}`,
		"padding by format":    `{{ "{:1000000000}".format(1) }}`,
		"zeros by format":      `{{ "{:01000000000,}".format(1) }}`,
		"tabs":                 `{{ ("\t" * 1000).expandtabs(100000000) }}`,
		"indent":               `{{ "x\nx"|indent(1000000000000) }}`,
		"tojson indent":        `{{ [1]|tojson(indent=1000000000000) }}`,
		"batch":                `{{ [1]|batch(1000000000000, 0)|list }}`,
		"strftime":             `{{ strftime_now("%1000000000d") }}`,
		"loop of 10^9":         `{% for i in range(1000000000) %}x{% endfor %}`,
		"too long":             strings.Repeat("x", MaxSource+1),
		"deep brackets":        `{{ ` + deep("(", "1", ")", 60_000) + ` }}`,
		"deep lists":           `{{ ` + deep("[", "1", "]", 60_000) + ` }}`,
		"long sum":             `{{ 1` + strings.Repeat("+1", 60_000) + ` }}`,
		"long or":              `{{ 0` + strings.Repeat(" or 0", 60_000) + ` }}`,
		"long filters":         `{{ 1` + strings.Repeat("|string", 60_000) + ` }}`,
		"long attributes":      `{{ x` + strings.Repeat(".a", 60_000) + ` }}`,
		"long not":             `{{ ` + strings.Repeat("not ", 60_000) + `1 }}`,
		"long sign":            `{{ ` + strings.Repeat("-", 60_000) + `1 }}`,
		"long condition":       `{{ 1` + strings.Repeat(" if 1", 60_000) + ` }}`,
		"deep ifs":             deep("{%if 1%}", "x", "{%endif%}", 10_000),
		"deep macros":          deep("{%macro f()%}", "x", "{%endmacro%}", 10_000),
		"deep fields":          `{{ "` + deep("{:", "", "}", 50_000) + `".format(1) }}`,
		"deep values":          `{% set ns = namespace(l=[]) %}{% for i in range(99999) %}{% set ns.l = [ns.l] %}{% endfor %}{{ ns.l }}`,
		"held by itself":       `{% set ns = namespace() %}{% set ns.a = [ns, ns] %}{{ ns | tojson }}`,
		"generators":           `{% set ns = namespace(g=[1]) %}{% for i in range(99999) %}{% set ns.g = ns.g | map("string") %}{% endfor %}{{ ns.g | list }}`,
		"big number":           `{{ ` + strings.Repeat("9", 100_000) + ` }}`,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		out, err := render(template, python.NewDict(), Limits{Steps: 2_000_000, Bytes: 16 << 20})
		runtime.ReadMemStats(&after)
		switch {
		case err == nil:
			t.Errorf("%s: no error, %d bytes", name, len(out))
		case len(err.Error()) > 400:
			t.Errorf("%s: an error of %d bytes", name, len(err.Error()))
		}
		if grown := int64(after.Sys - before.Sys); grown > 512<<20 {
			t.Errorf("%s: took %d MiB from the system", name, grown>>20)
		}
	}
}

// What looks hostile and is not is rendered.
func TestNotHostile(t *testing.T) {
	for template, want := range map[string]string{
		`{% set ns = namespace() %}{% set ns.a = [ns] %}{{ ns }}`:                                        "<Namespace {'a': [<Namespace {...}>]}>",
		`{{ [] * 1000000000000 }}{{ "" * 1000000000000 }}`:                                               "[]",
		`{% macro f(n) %}{{ n }}{% if n > 0 %}{{ f(n-1) }}{% endif %}{% endmacro %}{{ f(99) | length }}`: "190",
		`{{ (("x" * 1000) ~ "y") | length }}`:                                                            "1001",
		`{{ 2 ** 64 }} {{ (2 ** 64) // 3 }} {{ -(2 ** 64) % 7 }}`:                                        "18446744073709551616 6148914691236517205 5",
		`{{ (2.5 is number) ~ ("1" * 400) | int % 97 }}`:                                                 "True" + fmt.Sprint(repunitMod(400, 97)),
	} {
		got, err := render(template, python.NewDict(), Limits{})
		if err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", template, got, err, want)
		}
	}
}

// repunitMod is 11…1 of n digits modulo m.
func repunitMod(n, m int) (r int) {
	for range n {
		r = (r*10 + 1) % m
	}
	return r
}

// A rendering stops when its context does.
func TestContext(t *testing.T) {
	tmpl, err := Parse(`{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}`)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := tmpl.Render(ctx, python.NewDict(), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that of the context", err)
	}
}

// One template serves several renderings at once, and keeps nothing of one for
// the next.
func TestParallel(t *testing.T) {
	tmpl, err := Parse(`{% set c = cycler(1, 2) %}{% set ns = namespace(n=0) %}{% macro f(x) %}{% set ns.n = ns.n + x %}{{ c.next() }}{% endmacro %}{{ f(1) }}{{ f(2) }}{{ ns.n }}{{ v }}`)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			d := python.NewDict()
			d.Set("v", int64(i))
			for range 50 {
				got, err := tmpl.Render(context.Background(), d, Options{})
				if want := fmt.Sprintf("123%d", i); err != nil || got != want {
					t.Fatalf("got %q, %v; want %q", got, err, want)
				}
			}
		})
	}
}

func TestJSON(t *testing.T) {
	for _, data := range []string{`{"b": 1, "a": [1.0, 1e3, null, true, "é\n\u2028"], "": {}}`, `[]`, `12345678901234567890123`, `"\ud83d\ude00"`} {
		v, err := python.FromJSON([]byte(data))
		if err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		out, err := python.ToJSON(v)
		if err != nil {
			t.Fatal(err)
		}
		var a, b any
		if json.Unmarshal([]byte(data), &a); json.Unmarshal(out, &b) != nil || !cmp.Equal(a, b) {
			t.Errorf("%s became %s", data, out)
		}
		if v, err = python.FromJSON(out); err != nil {
			t.Fatal(err)
		}
		if again, _ := python.ToJSON(v); string(again) != string(out) {
			t.Errorf("%s became %s", out, again)
		}
	}
	for _, data := range []string{``, `{`, `[1`, `{"a": }`, `1 2`, `"\ud800"`, `"\ude00\ud83d"`, strings.Repeat("[", 600) + strings.Repeat("]", 600)} {
		if v, err := python.FromJSON([]byte(data)); err == nil {
			t.Errorf("%.40s: gives %v, want an error", data, v)
		}
	}
}

// FuzzRender: any template gives a text, or an error of the package, within
// its limits.
func FuzzRender(f *testing.F) {
	for _, c := range jinjaCases(f) {
		f.Add(c.Template)
	}
	d := python.NewDict()
	d.Set("messages", &python.List{Items: []python.Value{"a", int64(1), 2.5, nil, &python.List{Items: []python.Value{"b"}}}})
	d.Set("x", "ex")
	f.Fuzz(func(t *testing.T, source string) {
		_, err := render(source, d, Limits{Steps: 100_000, Bytes: 1 << 20})
		var e *python.Error
		if err != nil && !errors.As(err, &e) {
			t.Errorf("%q: %v, want an error of the package", source, err)
		}
	})
}

// FuzzJSON: any bytes are a value that comes back as it went, or an error.
func FuzzJSON(f *testing.F) {
	f.Add([]byte(`{"a": [1, 2.5, "x", null]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := python.FromJSON(data)
		if err != nil {
			return
		}
		out, err := python.ToJSON(v)
		if err != nil {
			t.Fatal(err)
		}
		again, err := python.FromJSON(out)
		if err != nil {
			if f := err.Error(); strings.Contains(f, "surrogate") || !json.Valid(out) { // 1e999 is Infinity, as in Python
				return
			}
			t.Fatalf("%s: %v", out, err)
		}
		if twice, _ := python.ToJSON(again); string(twice) != string(out) {
			t.Errorf("%s became %s", out, twice)
		}
	})
}
