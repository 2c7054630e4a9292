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
	src, _ := ParseSource(`{"type":"json_schema","schema":{"type":"integer"}}`, true)
	if ok, _ := compile(t, src).Check([]byte("1.0")); ok {
		t.Error("canonical: 1.0 accepted")
	}
}
