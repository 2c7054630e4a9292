package tape

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"logitscope/models"
)

const head = `{"type":"run","version":2,"model":{"name":"m","arch":"a","vocab":4,"context":20,"eog":[0]},"prompt":"ab","prompt_tokens":[1,2]}` + "\n"

// row4 is a whole row of four logits as a line has it.
func row4(t testing.TB, values ...float32) string {
	b, err := json.Marshal(All(models.Logits{Values: values}, false))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A recording of two branches answers what was recorded, and says where a road
// leaves it.
func TestARecordingAnswers(t *testing.T) {
	file := head + `{"type":"pieces","from":0,"base64":["PGU+","YQ==","Yg==","Yw=="],"attr":"AQAAAA=="}
{"type":"step","pos":2,"token":3,"row":` + row4(t, 0, 1, 2, 3) + `}
{"type":"step","pos":3,"token":1,"row":` + row4(t, 3, 2, 1, 0) + `}
{"type":"branch","id":2,"from":1,"keep":1}
{"type":"step","branch":2,"pos":3,"token":2}
{"type":"step","branch":2,"pos":4,"token":0,"row":` + row4(t, 9, 8, 7, 6) + `}
{"type":"end","reason":"eos"}
`
	all, err := Read(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	m := all[0]
	if ids := m.Vocab().Encode("ab", models.EncodeOptions{AddSpecial: true, ParseSpecial: true}); !slices.Equal(ids, []int32{1, 2}) {
		t.Errorf("the prompt is %v", ids)
	}
	if ids := m.Vocab().Encode("cab", models.EncodeOptions{}); !slices.Equal(ids, []int32{3, 1, 2}) {
		t.Errorf("another text is %v", ids)
	}
	if m.Vocab().Attr(0) != models.Control || !m.Whole() || m.Info().Caps.TopN != 0 {
		t.Errorf("attr %v, whole %v, %+v", m.Vocab().Attr(0), m.Whole(), m.Info())
	}
	s, err := m.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	rows, err := s.Forward(ctx, []int32{1, 2, 3}, 2)
	if err != nil || len(rows) != 2 || rows[0].Values[3] != 3 || rows[1].Values[0] != 3 {
		t.Fatalf("%v, %v", rows, err)
	}
	f, err := s.(models.Forker).Fork()
	if err != nil {
		t.Fatal(err)
	}
	if rows, err = f.Forward(ctx, []int32{2}, 1); err != nil || rows[0].Values[0] != 9 {
		t.Errorf("the branch: %v, %v", rows, err)
	}
	for _, tt := range []struct {
		tokens []int32
		want   string
	}{
		{[]int32{3}, `this road was not recorded: at token 2 only "a" and "b", not "c"`},
		{[]int32{1}, "the recording ends after token 2"},
	} {
		n := s.Len()
		_, err := s.Forward(ctx, tt.tokens, 1)
		var off *NotRecordedError
		if !errors.As(err, &off) || err.Error() != tt.want || s.Len() != n {
			t.Errorf("%v: %v, want %s; %d tokens, had %d", tt.tokens, err, tt.want, s.Len(), n)
		}
	}
	s.Truncate(0)
	if s.Len() != 0 {
		t.Errorf("%d tokens", s.Len())
	}
	if _, err := s.Forward(ctx, []int32{2}, 1); err == nil || err.Error() != `this prompt was not recorded, only "ab"` {
		t.Errorf("another prompt: %v", err)
	}
}

// What a hostile file says is refused by line, before memory is taken for it.
func TestHostileFiles(t *testing.T) {
	b64 := func(n int) string { return base64.StdEncoding.EncodeToString(make([]byte, n)) }
	nan := base64.StdEncoding.EncodeToString(floats([]float32{1, float32(math.NaN()), 0, 0}))
	inf := base64.StdEncoding.EncodeToString(floats([]float32{1, float32(math.Inf(1)), 0, 0}))
	step := func(s string) string { return head + `{"type":"step","pos":2,"token":1,` + s + "}\n" }
	for _, tt := range []struct{ name, file, want string }{
		{"nothing", "", "not a recording"},
		{"a zip", "PK\x03\x04\x00\x00 and so on\n", "line 1: not a recording: is packed as zip; unpack it first"},
		{"gzip", "\x1f\x8b\x08\x08 and so on\n", "line 1: not a recording: is packed by gzip; unpack it first"},
		{"UTF-16", "\xff\xfe{\x00\"\x00\n\x00", "line 1: not a recording: is UTF-16; must be UTF-8"},
		{"a text", "PKzip\n", "line 1: not a recording: want a line of type run first"},
		{"another object", `{"a":1}` + "\n", "not a recording"},
		{"a list", head + "[1]\n", "line 2: not a JSON object"},
		{"half an object", head + `{"type":"step"` + "\n{}\n", "line 2: not JSON at byte"},
		{"a vocabulary without end", strings.Replace(head, `"vocab":4`, `"vocab":99999999999`, 1), "line 1: model.vocab"},
		{"no vocabulary", strings.Replace(head, `"vocab":4`, `"vocab":0`, 1), "line 1: model.vocab: 0 is out of range"},
		{"a negative context", strings.Replace(head, `"context":20`, `"context":-1`, 1), "line 1: model.context"},
		{"a checksum of the model that is none", strings.Replace(head, `"vocab":4`, `"vocab":4,"sha256":"\u001b[2J"`, 1), "line 1: model.sha256: want 64 hex digits"},
		{"a second row that leaves nothing", step(`"row":` + strings.TrimSuffix(row4(t, 0, 1, 2, 3), "}") + `,"second":"AACA/wAAgP8AAID/AACA/w=="}`), "line 2: row.second: no token is left"},
		{"a prompt of other ids", strings.Replace(head, "[1,2]", "[1,7]", 1), "line 1: prompt_tokens: 7 is out of range, 0 to 3"},
		{"a vocabulary that is a text", strings.Replace(head, `"vocab":4`, `"vocab":"x"`, 1), "line 1: Model.vocab: must not be a string"},
		{"another model", head + strings.Replace(head, `"vocab":4`, `"vocab":5`, 1), "line 2: model: another one"},
		{"a step elsewhere", head + `{"type":"step","pos":5,"token":1}` + "\n", "line 2: pos: 5, want 2"},
		{"a token that is none", head + `{"type":"step","pos":2,"token":4}` + "\n", "line 2: token: 4 is out of range"},
		{"a negative token", head + `{"type":"step","pos":2,"token":-1}` + "\n", "line 2: token: -1 is out of range"},
		{"a branch of nothing", head + `{"type":"step","pos":2,"token":1,"branch":9}` + "\n", "line 2: branch: 9 does not come before it"},
		{"a branch of itself", head + `{"type":"branch","id":2,"from":2,"keep":0}` + "\n", "line 2: branch: from 2, which does not come before it"},
		{"a branch twice", head + `{"type":"branch","id":1,"from":1,"keep":0}` + "\n", "line 2: branch: 1 stands twice"},
		{"a branch too long", head + `{"type":"branch","id":2,"from":1,"keep":1}` + "\n", "line 2: branch: keeps 1 tokens, branch 1 has 0"},
		{"a row of other size", step(`"row":{"n":4,"values":"` + b64(12) + `","lse":1,"max":1}`), "line 2: row.values: 12 bytes, want 16 for n 4"},
		{"a row of a billion", step(`"row":{"n":1000000000,"values":"` + b64(16) + `","lse":1,"max":1}`), "line 2: row.values: 16 bytes"},
		{"a negative row", step(`"row":{"n":-1,"values":"","lse":1,"max":1}`), "line 2: row.values"},
		{"an empty row", step(`"row":{"n":0,"values":"","lse":1,"max":1}`), "line 2: row: no values"},
		{"a short row", step(`"row":{"n":3,"values":"` + b64(12) + `","lse":1,"max":1}`), "line 2: row: 3 values without ids"},
		{"NaN", step(`"row":{"n":4,"values":"` + nan + `","lse":1,"max":1}`), "line 2: row.values: value 1 is NaN"},
		{"infinity", step(`"row":{"n":4,"values":"` + inf + `","lse":1,"max":1}`), "line 2: row.values: value 1 is +Inf"},
		{"ids twice", step(`"row":{"n":2,"ids":"` + b64(8) + `","values":"` + b64(8) + `","lse":1,"max":1}`), "line 2: row.ids: 0 stands twice"},
		{"ids too large", step(`"row":{"n":1,"ids":"CQAAAA==","values":"` + b64(4) + `","lse":1,"max":1}`), "line 2: row.ids: 9, the vocabulary has 4"},
		{"ids below 0", step(`"row":{"n":1,"ids":"/////w==","values":"` + b64(4) + `","lse":1,"max":1}`), "line 2: row.ids: 4294967295 is not a token id"},
		{"bins without ids", step(`"row":{"n":4,"values":"` + b64(16) + `","bins":{"width":0.25,"at":[1],"count":[1],"mean":"` + b64(4) + `"},"lse":1,"max":1}`), "line 2: row.bins"},
		{"bins too full", step(`"row":{"n":1,"ids":"AQAAAA==","values":"` + b64(4) + `","bins":{"width":0.25,"at":[1],"count":[9],"mean":"` + b64(4) + `"},"lse":1,"max":1}`), "line 2: row.bins: more tokens than the 4"},
		{"a rest above 1", step(`"row":{"n":1,"ids":"AQAAAA==","values":"` + b64(4) + `","rest":1.5,"lse":1,"max":1}`), "line 2: row.rest"},
		{"a best token that is none", step(`"top":[{"token":8,"piece":"x","raw_prob":0.5}]`), "line 2: top: 8 is out of range"},
		{"a probability above 1", step(`"top":[{"token":1,"piece":"x","raw_prob":1.5}]`), "line 2: top: raw_prob 1.5"},
		{"best tokens twice", step(`"top":[{"token":1,"piece":"x","raw_prob":0.5},{"token":1,"piece":"x","raw_prob":0.5}]`), "line 2: top: 1 stands twice"},
		{"pieces too far", head + `{"type":"pieces","from":3,"base64":["YQ==","YQ=="]}` + "\n", "line 2: pieces: 4 is out of range"},
		{"pieces below 0", head + `{"type":"pieces","from":-1,"base64":["YQ=="]}` + "\n", "line 2: pieces: -1 is out of range"},
		{"a kind that is none", head + `{"type":"pieces","from":0,"base64":["YQ=="],"attr":"CQ=="}` + "\n", "line 2: pieces: 0 is of no kind"},
		{"a text of no base64", head + `{"type":"pieces","from":0,"base64":["%%%"]}` + "\n", "line 2: pieces: the text of 0 is not base64"},
		{"depth", head + strings.Repeat("[", 1<<20) + "\n", "line 2: not a JSON object"},
		{"depth inside", head + `{"type":` + strings.Repeat("[", 1<<20) + "\n{}\n", "line 2: "},
		{"a line without end", head + `{"type":"` + strings.Repeat("x", MaxLine) + `"}` + "\n", "line 2: longer than 16 MiB"},
		{"a lane of nothing", head + `{"type":"step","lane":3,"pos":2,"token":1}` + "\n", "line 2: lane: 3 has no run line"},
	} {
		_, err := Read(strings.NewReader(tt.file))
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") || len(err.Error()) > 300 {
			t.Errorf("%s: %v, want one line with %q", tt.name, err, tt.want)
		}
	}
}

// A line is read without more memory than its bound.
func TestALineHasABound(t *testing.T) {
	endless := &repeat{left: 1 << 30}
	allocated := testing.Benchmark(func(b *testing.B) {
		for range b.N {
			endless.left = 1 << 30
			if _, err := Read(endless); err == nil {
				b.Fatal("a gigabyte is a line")
			}
		}
	}).AllocedBytesPerOp()
	if allocated > 8*MaxLine {
		t.Errorf("%d bytes for a line that is refused", allocated)
	}
	if endless.left < 1<<29 {
		t.Errorf("%d bytes were read", 1<<30-endless.left)
	}
}

type repeat struct{ left int }

func (r *repeat) Read(b []byte) (int, error) {
	n := min(len(b), r.left)
	for i := range b[:n] {
		b[i] = '{'
	}
	r.left -= n
	return n, nil
}

// The best of a row and its bins come to the same softmax at every
// temperature, up to what the bins are good for.
func TestBinsAreGoodFor(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		all := make([]float32, 4096)
		scale := 1 + 3*r.Float64()
		for i := range all {
			all[i] = float32(scale * r.NormFloat64())
		}
		row := Best(models.Logits{Values: all}, 256, nil, false)
		if len(row.IDs) != 256 {
			t.Fatalf("%d tokens", len(row.IDs))
		}
		b, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		var back Row
		if err := json.Unmarshal(b, &back); err != nil || back.check(4096) != nil {
			t.Fatalf("%v, %v", err, back.check(4096))
		}
		spread := back.Spread(4096, nil)
		for _, temp := range []float64{0.3, 0.7, 1, 1.5, 2} {
			if off := distance(all, spread, back.IDs, temp); off > 3e-4 {
				t.Errorf("scale %.1f at %v: %.2g of the probability is misplaced", scale, temp, off)
			}
		}
		sorted := slices.Sorted(slices.Values(all))
		for i, id := range back.IDs {
			if back.Values[i] != all[id] || all[id] < sorted[4096-256] {
				t.Fatalf("token %d is not one of the best", id)
			}
		}
	}
}

// distance is the probability misplaced among the tokens ids and the others
// together.
func distance(a, b []float32, ids []int32, temp float64) float64 {
	sum := func(x []float32) (s float64) {
		for _, v := range x {
			s += math.Exp(float64(v) / temp)
		}
		return s
	}
	sa, sb := sum(a), sum(b)
	off := 0.0
	for _, id := range ids {
		off += math.Abs(math.Exp(float64(a[id])/temp)/sa - math.Exp(float64(b[id])/temp)/sb)
	}
	return off
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(head + `{"type":"pieces","from":0,"base64":["PGU+"]}` + "\n" + `{"type":"step","pos":2,"token":3,"row":` + row4(f, 0, 1, 2, 3) + "}\n"))
	f.Add([]byte(head + `{"type":"step","pos":2,"token":1,"top":[{"token":1,"piece":"x","raw_prob":0.5}]}` + "\n" + `{"type":"branch","id":2,"from":1,"keep":0}` + "\n"))
	f.Add([]byte(head + `{"type":"texts","texts":[{"base64":"YQ==","tokens":[1]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		for _, m := range all {
			s, err := m.NewSession()
			if err != nil {
				t.Fatal(err)
			}
			_, tokens := m.Prompt()
			if len(tokens) == 0 {
				continue
			}
			rows, err := s.Forward(context.Background(), tokens, 1)
			var off *NotRecordedError
			if err != nil && !errors.As(err, &off) && !errors.Is(err, models.ErrContextFull) {
				t.Fatal(err)
			}
			for _, r := range rows {
				if len(r.Values) == 0 || r.IDs != nil && len(r.IDs) != len(r.Values) {
					t.Fatal(fmt.Sprint(r))
				}
			}
		}
	})
}
