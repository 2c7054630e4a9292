package constrain

import (
	"reflect"
	"testing"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, accepted := range map[string]string{
		`json`:                          `[1]`,
		`{"type":"json","object":true}`: `{"a": 1}`,
		`{"type":"json_schema","schema":{"type":"integer"}}`:      `12`,
		`{"type":"regex","regex":"[a-z]+"}`:                       `abc`,
		`{"type":"regex","regex":"b","search":true}`:              `abc`,
		`{"type":"grammar","grammar":"root ::= \"x\""}`:           `x`,
		`{"type":"choice","choices":["yes","no"]}`:                `no`,
		`{"type":"sql","sql":{"tables":{"users":["id","name"]}}}`: `SELECT name FROM users`,
		`{"type":"sql"}`: `SELECT a FROM b`,
	} {
		g, err := CompileText(text, true)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if ok, at := g.Check([]byte(accepted)); !ok {
			t.Errorf("%s: %q rejected, dead at %d", text, accepted, at)
		}
	}
	for _, bad := range []string{``, `{}`, `{"type":"xml"}`, `{"type":"json","colour":1}`, `{"type":"json","whitespace":"lots"}`, `{"type":"sql","sql":{"tables":1}}`,
		`{"type":"json","schema":{"type":"integer"}}`, `{"type":"sql","schema":{"tables":{}}}`, `{"type":"regex"}`, `{"type":"grammar"}`,
		`{"type":"choice"}`, `{"type":"json_schema"}`, `{"type":"regex","regex":"a","choices":["x"]}`, `{"type":"grammar","grammar":"root ::= \"a\"","object":true}`} {
		if _, err := CompileText(bad, false); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
	for text, want := range map[string]string{
		`{"type":"regex","regex":4}`:      `constraint: the field "regex" must be a text, not a JSON number`,
		`{"type":"choice","choices":[1]}`: `constraint: the field "choices" must be a text, not a JSON number`,
		`{"type":"choice","choices":"x"}`: `constraint: the field "choices" must be a list of texts, not a JSON string`,
		`{"type":"json","object":"x"}`:    `constraint: the field "object" must be true or false, not a JSON string`,
		`{"type":"json","colour":1}`:      `constraint: type "json" has no field "colour"; it has object, whitespace`,
		`foo`:                             `constraint: must be the word json or an object with a type, one of json_schema, json, regex, grammar, sql, choice`,
		"{\"type\":\n\"json\",}":          `constraint: line 2, column 8: invalid character '}' looking for beginning of object key string`,
	} {
		if _, err := CompileText(text, false); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	g, _ := CompileText(`{"type":"json_schema","schema":{"type":"integer"}}`, true)
	if ok, _ := g.Check([]byte("1.0")); ok {
		t.Error("canonical: 1.0 accepted")
	}
}

// TestSpecs holds for every kind, its template and each of its options: what
// is stored reads back as it was, compiles, and is written again as it is read.
func TestSpecs(t *testing.T) {
	t.Parallel()
	for _, k := range Kinds() {
		plain := Spec{Type: k.Type}
		if len(k.Templates) > 0 {
			plain.SetText(k.Templates[0].Text)
		}
		specs := []Spec{plain}
		for _, o := range k.Options {
			words := o.Words
			if words == nil {
				words = []string{""}
			}
			for _, word := range words {
				s := plain
				o.Put(&s.Options, word)
				if !o.On(s.Options) || o.On(plain.Options) || o.In(s.Options) == "" || o.In(plain.Options) != "" {
					t.Errorf("%s: %s %s: on %v, says %q", k.Type, o.Field, word, o.On(s.Options), o.In(s.Options))
				}
				specs = append(specs, s)
			}
		}
		for _, s := range specs {
			stored := s.String()
			back, err := Parse(stored)
			if err != nil {
				t.Errorf("%s: %v", stored, err)
				continue
			}
			if back.Options != s.Options || back.String() != stored {
				t.Errorf("%s comes back as %s", stored, back)
			}
			again := Spec{Type: k.Type, Options: back.Options}
			if again.SetText(back.Text()); again.String() != stored {
				t.Errorf("%s typed again is %s", stored, again)
			}
			if _, err := CompileText(stored, true); err != nil {
				t.Errorf("%s: %v", stored, err)
			}
		}
		if k.Name == "" || k.About == "" || k.Usage == "" || k.File == "" || (k.Field == "") != (k.Form == NoText) || (len(k.Templates) == 0) != (k.Form == NoText) {
			t.Errorf("%s says too little of itself", k.Type)
		}
	}
}

// TestSpecFieldsAreTold holds that every field of a Spec belongs to a kind, so
// that none is read and never used.
func TestSpecFieldsAreTold(t *testing.T) {
	t.Parallel()
	known := map[string]bool{"type": true}
	for _, k := range Kinds() {
		for _, f := range k.fields() {
			known[f] = true
		}
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Spec]()) {
		if name := f.Tag.Get("json"); !f.Anonymous && !known[name] {
			t.Errorf("no kind has the field %s", name)
		}
	}
}

// TestBareErrors has one error of each type: a caller puts its own words in
// front without looking into ours.
func TestBareErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"type":"xml"}`:                               `type "xml"; must be one of json_schema, json, regex, grammar, sql, choice`,
		`{"type":"regex","regex":"a("}`:                "line 1, column 1: missing closing ): `a(`",
		`{"type":"choice","choices":[]}`:               `"choice": at least one text is needed`,
		`{"type":"json_schema","schema":{"type":"x"}}`: `#: "type" must be null, boolean, integer, number, string, array, object or a list of these`,
	} {
		_, err := CompileText(text, true)
		if err == nil || Bare(err) != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
