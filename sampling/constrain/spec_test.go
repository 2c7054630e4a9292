package constrain

import "testing"

func TestParseSource(t *testing.T) {
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
		src, err := ParseSource(text, true)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if ok, at := compile(t, src).Check([]byte(accepted)); !ok {
			t.Errorf("%s: %q rejected, dead at %d", text, accepted, at)
		}
	}
	for _, bad := range []string{``, `{}`, `{"type":"xml"}`, `{"type":"json","colour":1}`, `{"type":"json","whitespace":"lots"}`, `{"type":"sql","sql":{"tables":1}}`,
		`{"type":"json","schema":{"type":"integer"}}`, `{"type":"sql","schema":{"tables":{}}}`, `{"type":"regex"}`, `{"type":"grammar"}`,
		`{"type":"choice"}`, `{"type":"json_schema"}`, `{"type":"regex","regex":"a","choices":["x"]}`, `{"type":"grammar","grammar":"root ::= \"a\"","object":true}`} {
		if _, err := ParseSource(bad, false); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
	for text, want := range map[string]string{
		`{"type":"regex","regex":4}`:      `constraint: the field "regex": number where a text is wanted`,
		`{"type":"choice","choices":[1]}`: `constraint: the field "choices": number where a text is wanted`,
		`{"type":"choice","choices":"x"}`: `constraint: the field "choices": string where a list of texts is wanted`,
		`{"type":"json","object":"x"}`:    `constraint: the field "object": string where true or false is wanted`,
		`{"type":"json","colour":1}`:      `constraint: type "json" has no field "colour"; it has object, whitespace`,
		`foo`:                             `constraint: the word json or an object with a type is wanted, one of json, json_schema, regex, grammar, sql, choice`,
		"{\"type\":\n\"json\",}":          `constraint: line 2, column 8: invalid character '}' looking for beginning of object key string`,
	} {
		if _, err := ParseSource(text, false); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	src, _ := ParseSource(`{"type":"json_schema","schema":{"type":"integer"}}`, true)
	if ok, _ := compile(t, src).Check([]byte("1.0")); ok {
		t.Error("canonical: 1.0 accepted")
	}
}
