package exchange

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"logitscope/presets/exchange/carrier"
	"logitscope/sampling/constrain"
	"logitscope/sampling/value"
)

// writeFlags writes a command line, a few options a line.
func writeFlags(values []carrier.Entry) string {
	var b strings.Builder
	width := 0
	add := func(word string) {
		if width > 0 && width+1+len(word) > 100 {
			b.WriteString(" \\\n")
			width = 0
		} else if width > 0 {
			b.WriteByte(' ')
			width++
		}
		b.WriteString(word)
		width += len(word)
	}
	for _, e := range values {
		for _, v := range flagValues(e.Value) {
			add(e.Key + " " + carrier.ShellWord(v))
		}
	}
	b.WriteByte('\n')
	return b.String()
}

// flagValues returns a value as flags write it: a list is the flag several
// times.
func flagValues(v any) []string {
	switch v := v.(type) {
	case []string:
		if len(v) == 0 {
			return []string{"none"}
		}
		return v
	case []value.TokenBias:
		var out []string
		for _, b := range v {
			out = append(out, strings.ToLower(fmt.Sprintf("%d%+g", b.Tokens[0], b.Bias)))
		}
		return out
	case string:
		return []string{v}
	case bool:
		return []string{strconv.FormatBool(v)}
	}
	return []string{carrier.PlainJSON(v)}
}

// writeServe writes the command of a vLLM server.
func writeServe(values []carrier.Entry) string {
	return "vllm serve " + modelPlaceholder + " --override-generation-config " + carrier.ShellWord(carrier.PlainJSON(carrier.Object(values))) + "\n"
}

// writeSGLang writes a request, whose settings stand one level down.
func writeSGLang(values []carrier.Entry) string {
	return carrier.WriteObject([]carrier.Entry{{Key: "sampling_params", Value: carrier.Object(values)}})
}

// writeINI writes a section of a preset file of llama.cpp's router.
func writeINI(values []carrier.Entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s = 1\n\n[%s]\n", iniVersion, modelPlaceholder)
	for _, e := range values {
		for _, v := range flagValues(e.Value) {
			fmt.Fprintf(&b, "%s = %s\n", strings.TrimLeft(e.Key, "-"), v)
		}
	}
	return b.String()
}

// iniConstraint writes a constraint on one line.
func iniConstraint(s constrain.Spec) (carrier.Entry, string, error) {
	e, lost, err := schemaOrGrammar("--grammar", "--json-schema")(s)
	if err == nil && s.Type == "grammar" && strings.ContainsAny(strings.TrimSpace(s.Grammar), "\r\n") {
		return carrier.Entry{}, "", errors.New("a grammar of several lines has no place in a preset file")
	}
	if err == nil && s.Type != "grammar" {
		e.Value = carrier.PlainJSON(e.Value)
	}
	return e, lost, err
}

// iniStops writes one stop: a key stands once. Blanks at its ends are escaped.
func iniStops(v any) (any, error) {
	kept, err := escapedStops(v)
	list, ok := kept.([]string)
	if !ok || len(list) == 0 {
		return nil, err
	}
	if len(list) > 1 {
		err = errSome{fmt.Sprintf("a key stands once in a preset file: %d of the texts are left out", len(list)-1)}
	}
	s := list[0]
	if trimmed := strings.TrimRight(s, " "); trimmed != s {
		s = trimmed + strings.Repeat(`\x20`, len(s)-len(trimmed))
	}
	if trimmed := strings.TrimLeft(s, " "); trimmed != s {
		s = strings.Repeat(`\x20`, len(s)-len(trimmed)) + trimmed
	}
	return []string{s}, err
}

// iniBias writes one bias: a key stands once.
func iniBias(v any) (any, error) {
	list := v.([]value.TokenBias)
	if _, err := singleBiases(v); err != nil {
		return nil, err
	}
	if len(list) > 1 {
		return list[:1], errSome{fmt.Sprintf("a key stands once in a preset file: %d of the biases are left out", len(list)-1)}
	}
	return list, nil
}

// iniBreakers writes one sequence breaker: a key stands once.
func iniBreakers(v any) (any, error) {
	if len(v.([]string)) > 1 {
		return nil, errors.New("a key stands once in a preset file, and these are several")
	}
	return escapedList(v)
}

// A pyCallOf is a value that Python writes as a call.
type pyCallOf struct {
	name string
	args carrier.Object
}

// writeCall writes a call of Python with an argument a line.
func writeCall(module, name string) func(values []carrier.Entry) string {
	return func(values []carrier.Entry) string {
		names := []string{name}
		for _, e := range values {
			if c, ok := e.Value.(pyCallOf); ok {
				names = append(names, c.name)
			}
		}
		var b strings.Builder
		fmt.Fprintf(&b, "from %s import %s\n", module, names[0])
		for _, n := range names[1:] {
			fmt.Fprintf(&b, "from %s.sampling_params import %s\n", module, n)
		}
		fmt.Fprintf(&b, "\nsettings = %s(\n", name)
		for _, e := range values {
			fmt.Fprintf(&b, "    %s=%s,\n", e.Key, pyLiteral(e.Value))
		}
		b.WriteString(")\n")
		return b.String()
	}
}

// pyLiteral writes a value as Python does.
func pyLiteral(v any) string {
	switch v := v.(type) {
	case pyCallOf:
		var args []string
		for _, e := range v.args {
			args = append(args, e.Key+"="+pyLiteral(e.Value))
		}
		return v.name + "(" + strings.Join(args, ", ") + ")"
	case carrier.Object:
		var members []string
		for _, e := range v {
			key := pyText(e.Key)
			if _, err := strconv.Atoi(e.Key); err == nil {
				key = e.Key // a token id
			}
			members = append(members, key+": "+pyLiteral(e.Value))
		}
		return "{" + strings.Join(members, ", ") + "}"
	case json.RawMessage:
		r := strings.TrimSpace(string(v))
		if o, err := carrier.ReadObject([]byte(r), 1); err == nil {
			return pyJSON(o)
		}
		return pyJSON(parsed(r))
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case string:
		return pyText(v)
	}
	if r := reflect.ValueOf(v); r.Kind() == reflect.Slice || r.Kind() == reflect.Array {
		parts := make([]string, r.Len())
		for i := range parts {
			parts[i] = pyLiteral(r.Index(i).Interface())
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return carrier.PlainJSON(v)
}

// parsed is JSON that is not an object.
func parsed(text string) any {
	var v any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

// pyJSON writes JSON as Python: its keys are texts.
func pyJSON(v any) string {
	switch v := v.(type) {
	case carrier.Object:
		var members []string
		for _, e := range v {
			members = append(members, pyText(e.Key)+": "+pyJSON(e.Value))
		}
		return "{" + strings.Join(members, ", ") + "}"
	case []any:
		var parts []string
		for _, x := range v {
			parts = append(parts, pyJSON(x))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return pyLiteral(v)
}

// pyText writes a text in quotes. The escapes of JSON are Python's too, but for
// pairs of surrogates, which are not written.
func pyText(s string) string { return carrier.PlainJSON(s) }

// writeYAML writes a flat mapping.
func writeYAML(values []carrier.Entry) string {
	if len(values) == 0 {
		return "{}\n" // an empty file is none
	}
	var b strings.Builder
	for _, e := range values {
		fmt.Fprintf(&b, "%s: %s\n", e.Key, carrier.PlainJSON(e.Value))
	}
	return b.String()
}
