package models

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Fact is one line of a description, such as "context" and "4096 tokens".
type Fact struct{ Name, Value string }

// A Describer is a [Model] that knows things about itself or its server that
// [Info] has no field for.
type Describer interface {
	// Facts returns them in the order to print them. Names and values are
	// one line each and free of control characters.
	Facts() []Fact
}

// Describe returns what a person may want to know about m, in order: what
// [Info] has, the model's own facts, and its vocabulary.
func Describe(m Model) []Fact {
	info := m.Info()
	facts := []Fact{{Name: "name", Value: info.Name}}
	add := func(name, value string) {
		if value != "" {
			facts = append(facts, Fact{Name: name, Value: value})
		}
	}
	add("architecture", info.Arch)
	if info.Params > 0 {
		add("parameters", shortCount(info.Params))
	}
	if d, ok := m.(Describer); ok {
		for _, f := range d.Facts() {
			if f.Name != "model" || f.Value != info.Name { // said already
				add(f.Name, f.Value)
			}
		}
	}
	if info.Server == "" {
		add("context", Commas(int64(info.ContextLen))+" tokens")
	}
	if !info.Caps.ObserveOnly { // else tokens are known once they are seen
		describeVocab(m.Vocab(), add)
	}
	if info.ChatTemplate != "" {
		add("chat template", fmt.Sprintf("Jinja, %s bytes", Commas(int64(len(info.ChatTemplate)))))
	}
	if info.GoTemplate != "" {
		add("chat template", fmt.Sprintf("Ollama's, in Go's template language, %s bytes", Commas(int64(len(info.GoTemplate)))))
	}
	if info.System != "" {
		add("system message", strconv.Quote(info.System))
	}
	if len(info.First) > 0 {
		add("conversations", fmt.Sprintf("begin with %d messages of the model", len(info.First)))
	}
	if len(info.Defaults) > 0 {
		b, _ := json.Marshal(info.Defaults)
		add("recommends", string(b))
	}
	add("license", info.License)
	add("note", info.Note)
	return facts
}

func describeVocab(v Vocab, add func(name, value string)) {
	unused, control := 0, 0
	for id := range int32(v.Size()) {
		switch v.Attr(id) {
		case Unused:
			unused++
		case Control:
			control++
		}
	}
	add("vocabulary", fmt.Sprintf("%s tokens, %d of them control, %d without a piece", Commas(int64(v.Size())), control, unused))
	var ends []string
	for _, id := range v.EOG() {
		ends = append(ends, fmt.Sprintf("%d %s", id, strconv.Quote(v.Piece(id))))
	}
	add("end tokens", strings.Join(ends, ", "))
}

// shortCount writes a number of parameters: 4.5M, 1.1B.
func shortCount(n int64) string {
	for _, u := range []struct {
		unit string
		of   float64
	}{{"T", 1e12}, {"B", 1e9}, {"M", 1e6}, {"K", 1e3}} {
		if float64(n) >= u.of {
			return strconv.FormatFloat(float64(n)/u.of, 'f', 1, 64) + u.unit
		}
	}
	return strconv.FormatInt(n, 10)
}

// Bytes writes a number of bytes in binary units with three digits, such as
// "4.68 MiB".
func Bytes(n int64) string {
	f, unit := float64(n), 0
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	for f >= 1000 && unit < len(units)-1 {
		f /= 1024
		unit++
	}
	decimals := 0
	if unit > 0 {
		decimals = max(0, 2-int(math.Floor(math.Log10(max(f, 1)))))
	}
	return strconv.FormatFloat(f, 'f', decimals, 64) + " " + units[unit]
}

// Commas writes a number with a comma between thousands, such as "128,000".
func Commas(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
