package param

import (
	"encoding/json"
	"io"
	"strings"

	"logitscope/sampling/value"
)

// Parse reads a value as a flag or an editor gives it. "off" is the off value
// of a parameter that has one. Lists may be JSON arrays or comma-separated.
func (p *Param) Parse(s string) (any, error) {
	text := strings.TrimSpace(s)
	if strings.EqualFold(text, "off") && p.Off != nil && p.Kind != Text {
		return p.Off, nil
	}
	switch p.Kind {
	case Text:
		return s, nil
	case List:
		if !strings.HasPrefix(text, "[") {
			return p.Normalise(value.SplitList(s))
		}
	case IDs:
		if !strings.HasPrefix(text, "[") && text != "" {
			text = "[" + text + "]"
		}
	case Bias:
		if !strings.HasPrefix(text, "[") && !strings.HasPrefix(text, "{") && text != "" {
			list, ok := value.SplitBias(s)
			if !ok {
				return nil, p.wrongForm(s)
			}
			return p.Normalise(list)
		}
	}
	if p.Kind < Choice || p.Kind == Choice {
		return p.Normalise(text)
	}
	if text == "" {
		return p.Off, nil
	}
	var v any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if d.Decode(&v) != nil || d.Decode(new(any)) != io.EOF {
		return nil, p.wrongForm(s)
	}
	return p.Normalise(v)
}
