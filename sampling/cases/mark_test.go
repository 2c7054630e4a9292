package cases

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// TestMarkLines: lines that ask about a watermark get the recorded answers.
func TestMarkLines(t *testing.T) {
	lines := labLines(t, "watermark")
	var out bytes.Buffer
	if _, err := Run(bytes.NewReader(bytes.Join(lines, []byte("\n"))), &out, Options{}); err != nil {
		t.Fatal(err)
	}
	got := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	if len(got) != len(lines) || len(lines) < 5 {
		t.Fatalf("%d answers to %d lines", len(got), len(lines))
	}
	for i, line := range lines {
		var c struct {
			ID       string
			Expected map[string]any
		}
		var have map[string]any
		if json.Unmarshal(line, &c) != nil || json.Unmarshal(got[i], &have) != nil {
			t.Fatalf("%s\n%s", line, got[i])
		}
		if c.Expected["error"] != nil {
			if have["error"] == nil {
				t.Errorf("%s: answered, want a refusal", c.ID)
			}
			continue
		}
		for k, want := range c.Expected {
			a, number := want.(float64)
			b, _ := have[k].(float64)
			if number && close(b, a) || !number && reflect.DeepEqual(have[k], want) {
				continue
			}
			t.Errorf("%s: %s is %v, want %v", c.ID, k, have[k], want)
		}
	}
}

// What is wrong with such a line is said, and nothing fails.
func TestMarkLinesRefuse(t *testing.T) {
	for line, want := range map[string]string{
		`{"id":1,"kind":"draw"}`:                                                       "kind",
		`{"id":1,"kind":"randperm","n":-1}`:                                            "n: -1",
		`{"id":1,"kind":"randperm","n":99999999999}`:                                   "n: 99999999999",
		`{"id":1,"kind":"greenlist","watermarking_config":{},"vocab_size":9}`:          "context",
		`{"id":1,"kind":"greenlist","watermarking_config":{"bias":"x"},"context":[1]}`: "bias",
		`{"id":1,"kind":"detect","tokens":[-5,-6],"vocab_size":10}`:                    `"num_tokens_scored":1`,
		`{"id":1,"kind":"detect","tokens":"x"}`:                                        "tokens",
	} {
		var out bytes.Buffer
		if _, err := Run(strings.NewReader(line), &out, Options{}); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%s: %s (%v)", line, out.String(), err)
		}
	}
}
