package exchange

import (
	"encoding/json"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"logitscope/presets/exchange/carrier"
)

// maxNodes bounds what aliases of a YAML file may unfold to.
const maxNodes = 100_000

// readYAML reads a YAML document as an object, with lines.
func readYAML(data []byte) (carrier.Object, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("want a mapping of keys and values")
	}
	left := maxNodes
	v, err := yamlValue(doc.Content[0], &left, 0)
	if err != nil {
		return nil, err
	}
	return v.(carrier.Object), nil
}

func yamlValue(n *yaml.Node, left *int, depth int) (any, error) {
	if *left--; *left < 0 || depth > carrier.MaxDepth {
		return nil, fmt.Errorf("line %d: larger or deeper than settings are", n.Line)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return yamlValue(n.Alias, left, depth+1)
	case yaml.MappingNode:
		out := carrier.Object{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			k, v := n.Content[i], n.Content[i+1]
			value, err := yamlValue(v, left, depth+1)
			if err != nil {
				return nil, err
			}
			if inner, ok := value.(carrier.Object); ok && k.Tag == "!!merge" {
				out = append(inner, out...)
				continue
			}
			e := carrier.Entry{Key: k.Value, Value: value, Line: k.Line}
			if v.Kind == yaml.ScalarNode {
				e.Text = v.Value
			}
			out = append(out, e)
		}
		return out, nil
	case yaml.SequenceNode:
		out := []any{}
		for _, x := range n.Content {
			value, err := yamlValue(x, left, depth+1)
			if err != nil {
				return nil, err
			}
			out = append(out, value)
		}
		return out, nil
	}
	return yamlScalar(n), nil
}

func yamlScalar(n *yaml.Node) any {
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		var b bool
		if n.Decode(&b) == nil {
			return b
		}
	case "!!int":
		var i int64
		if n.Decode(&i) == nil {
			return json.Number(strconv.FormatInt(i, 10))
		}
		var u uint64
		if n.Decode(&u) == nil {
			return json.Number(strconv.FormatUint(u, 10))
		}
	case "!!float":
		var f float64
		if n.Decode(&f) == nil && !math.IsInf(f, 0) && !math.IsNaN(f) {
			return json.Number(strconv.FormatFloat(f, 'g', -1, 64))
		}
	}
	return n.Value
}

// yamlSource reads a YAML file: a container's command line or environment,
// a preset of tabbyAPI or text-generation-webui, a proxy's models. Of several
// services or models it reads number n, from 1.
func yamlSource(data []byte, n int) (*source, error) {
	o, err := readYAML(data)
	if err != nil {
		return nil, err
	}
	sites, err := containers(data)
	if err != nil {
		return nil, err
	}
	if len(sites) > 0 {
		return choose(sites, n, "service")
	}
	if sites := litellmProxy(o); len(sites) > 0 {
		return choose(sites, n, "model")
	}
	overrides := func(e carrier.Entry) bool { inner, ok := e.Value.(carrier.Object); return ok && inner.Has("override") }
	if slices.ContainsFunc(o, overrides) {
		for i, e := range o {
			if inner, ok := e.Value.(carrier.Object); ok {
				o[i].Value = inner.Get("override")
				o[i].Text = ""
			}
		}
		return &source{format: &tabby, entries: o}, nil
	}
	if most := mostKnown(o, []*Format{&textgen, &tabby, &vllm}); most != nil {
		return &source{format: most, entries: o}, nil
	}
	return nil, nil
}

// A container is what a compose file or the like runs.
type container struct {
	command []carrier.Word
	env     []carrier.Entry
	name    string
	line    int
}

// containers finds the containers that run a program we know.
func containers(data []byte) ([]site, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	var found []container
	left := maxNodes
	findContainers(doc.Content[0], "", &found, &left)
	var sites []site
	for _, c := range found {
		if s, err := c.source(); s == nil && err == nil {
			continue
		}
		sites = append(sites, site{carrier.Unread{Line: c.line, Key: c.name, Text: c.name, Why: "another service, not read"}, c.source})
	}
	return sites, nil
}

// source reads what a container runs, nil if it is nothing we know.
func (c container) source() (*source, error) {
	if p, args, ok := findProgram(c.command); ok {
		return p.read(c.command[args:], c.env)
	}
	name := func(w carrier.Word) string { n, _, _ := strings.Cut(w.Text, "="); return n }
	if slices.ContainsFunc(c.command, func(w carrier.Word) bool { return llamaFlag(name(w)) != nil }) {
		return llamaArgs(c.command, c.env)
	}
	if slices.ContainsFunc(c.command, func(w carrier.Word) bool { return name(w) == overrideFlag }) {
		return vllmArgs(c.command, c.env)
	}
	if slices.ContainsFunc(c.env, func(e carrier.Entry) bool { return isVariable(e.Key) }) {
		return &source{format: &llamaCPP, entries: c.env}, nil
	}
	return nil, nil
}

// findContainers looks for mappings with a command, arguments or variables.
func findContainers(n *yaml.Node, name string, found *[]container, left *int) {
	if *left--; *left < 0 {
		return
	}
	if n.Kind == yaml.SequenceNode {
		for _, x := range n.Content {
			findContainers(x, name, found, left)
		}
		return
	}
	if n.Kind != yaml.MappingNode {
		return
	}
	c := container{name: name, line: n.Line}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i].Value, n.Content[i+1]
		switch k {
		case "entrypoint", "command", "args":
			c.command = append(c.command, yamlWords(v)...)
		case "environment", "env":
			c.env = append(c.env, yamlEnvironment(v)...)
		case "name":
			c.name = v.Value
		}
	}
	if len(c.command)+len(c.env) > 0 {
		if c.name == "" {
			c.name = name
		}
		*found = append(*found, c)
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		findContainers(n.Content[i+1], n.Content[i].Value, found, left)
	}
}

// yamlWords are the words of a command: a list, or a text as a shell splits
// it.
func yamlWords(n *yaml.Node) []carrier.Word {
	if n.Kind == yaml.ScalarNode {
		line := n.Line
		if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
			line++ // the text begins below its mark
		}
		words, err := carrier.SplitWords(n.Value, line)
		if err != nil {
			return nil
		}
		return slices.DeleteFunc(words, func(w carrier.Word) bool { return w.Control })
	}
	var out []carrier.Word
	for _, x := range n.Content {
		w := carrier.Word{Text: x.Value, Line: x.Line}
		if strings.Contains(x.Value, "${") {
			w.Dark = x.Value
		}
		out = append(out, w)
	}
	return out
}

// yamlEnvironment reads variables: a mapping, a list of NAME=value, or a list
// of names and values.
func yamlEnvironment(n *yaml.Node) []carrier.Entry {
	var out []carrier.Entry
	add := func(name, value string, line int) {
		w := carrier.Word{Text: value, Line: line}
		if strings.Contains(value, "${") {
			w.Dark = value
		}
		out = append(out, flagEntry(name, value, w))
	}
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			add(n.Content[i].Value, n.Content[i+1].Value, n.Content[i].Line)
		}
		return out
	}
	for _, x := range n.Content {
		if name, value, ok := strings.Cut(x.Value, "="); ok {
			add(name, value, x.Line)
			continue
		}
		var name, value string
		for i := 0; i+1 < len(x.Content); i += 2 {
			switch x.Content[i].Value {
			case "name":
				name = x.Content[i+1].Value
			case "value":
				value = x.Content[i+1].Value
			}
		}
		if name != "" {
			add(name, value, x.Line)
		}
	}
	return out
}

// litellmProxy finds the models of a proxy's model_list.
func litellmProxy(o carrier.Object) []site {
	var sites []site
	list, _ := o.Get("model_list").([]any)
	for _, m := range list {
		model, _ := m.(carrier.Object)
		params, ok := model.Get("litellm_params").(carrier.Object)
		if !ok {
			continue
		}
		name, _ := model.Get("model_name").(string)
		sites = append(sites, site{carrier.Unread{Line: model[0].Line, Key: name, Text: name, Why: "another model, not read"}, func() (*source, error) {
			return &source{format: &liteLLM, entries: params}, nil
		}})
	}
	return sites
}

// mostKnown returns the format that knows most of the keys, nil if none knows
// any.
func mostKnown(o carrier.Object, among []*Format) *Format {
	var best *Format
	most := 0
	for _, f := range among {
		known := 0
		for _, e := range o {
			if x := f.field(e.Key); x != nil {
				known += 2
			} else if _, acts := f.acting(e.Key); acts || f.setsAside(e.Key) {
				known++
			}
		}
		if known > most {
			best, most = f, known
		}
	}
	return best
}

// base is the last part of a path without what a container's tag adds.
func base(s string) string {
	s = path.Base(s)
	s, _, _ = strings.Cut(s, ":")
	return s
}
