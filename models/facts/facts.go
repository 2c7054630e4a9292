// Package facts tells a person what a model is: its size, its vocabulary, what
// runs it and what it recommends.
package facts

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"logitscope/models"
	"logitscope/models/llama"
)

// Of returns what a person may want to know about m, in order.
func Of(m models.Model) []models.Fact {
	info := m.Info()
	facts := []models.Fact{{Name: "name", Value: info.Name}}
	add := func(name, value string) {
		if value != "" {
			facts = append(facts, models.Fact{Name: name, Value: value})
		}
	}
	server, remote := m.(models.Describer)
	if l, ok := m.(*llama.Model); ok {
		describeLlama(l, add)
	} else {
		add("architecture", info.Arch)
		if info.Params > 0 {
			add("parameters", count(info.Params))
		}
	}
	if remote {
		for _, f := range server.Describe() {
			if f.Name != "model" || f.Value != info.Name { // said already
				add(f.Name, f.Value)
			}
		}
	} else {
		add("context", fmt.Sprintf("%s tokens", commas(int64(info.ContextLen))))
	}
	if !info.Caps.ObserveOnly { // else tokens are known once they are seen
		describeVocab(m.Vocab(), add)
	}
	if info.ChatTemplate != "" {
		add("chat template", fmt.Sprintf("yes, %s bytes", commas(int64(len(info.ChatTemplate)))))
	}
	if len(info.Defaults) > 0 {
		b, _ := json.Marshal(info.Defaults)
		add("recommends", string(b))
	}
	add("license", info.License)
	add("note", info.Note)
	return facts
}

func describeVocab(v models.Vocab, add func(name, value string)) {
	unused, control := 0, 0
	for id := range int32(v.Size()) {
		switch v.Attr(id) {
		case models.Unused:
			unused++
		case models.Control:
			control++
		}
	}
	add("vocabulary", fmt.Sprintf("%s tokens, %d of them control, %d without a piece", commas(int64(v.Size())), control, unused))
	var ends []string
	for _, id := range v.EOG() {
		ends = append(ends, fmt.Sprintf("%d %s", id, strconv.Quote(v.Piece(id))))
	}
	add("end tokens", strings.Join(ends, ", "))
}

func describeLlama(m *llama.Model, add func(name, value string)) {
	d := m.Describe()
	add("architecture", d.Architecture)
	add("parameters", count(d.Parameters))
	files := "1 file"
	if d.Files > 1 {
		files = fmt.Sprintf("%d files", d.Files)
	}
	add("file", size(d.FileBytes)+" in "+files)
	for i, t := range d.Tensors {
		name := "tensors"
		if i > 0 {
			name = ""
		}
		facts := fmt.Sprintf("%s: %d tensors, %s", t.Type, t.Count, size(int64(t.Bytes)))
		if name == "" {
			name = " "
		}
		add(name, facts)
	}
	add("layers", fmt.Sprintf("%d of width %d, feed-forward %d", d.Layers, d.Embedding, d.FeedForward))
	add("attention", fmt.Sprintf("%d heads of %d, %d KV heads", d.Heads, d.HeadSize, d.KVHeads))
	if d.Experts > 0 {
		add("experts", fmt.Sprintf("%d of %d a token", d.ExpertsUsed, d.Experts))
	}
	if d.Window > 0 {
		add("window", fmt.Sprintf("%d tokens in %d layers", d.Window, d.WindowLayers))
	}
	if d.Rope != "" {
		add("rope", fmt.Sprintf("base %g, scaling %s, factor %g", d.RopeBase, d.Rope, d.RopeFactor))
	}
	n := m.Info().ContextLen
	add("KV cache", fmt.Sprintf("%s at %s tokens in %s", size(m.KVBytes(n)), commas(int64(n)), d.KVType))
}

// count writes a number of parameters: 4.5M, 1.1B.
func count(n int64) string {
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

// size writes a number of bytes in binary units, three digits.
func size(n int64) string {
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

func commas(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
