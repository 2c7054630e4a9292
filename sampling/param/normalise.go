package param

import (
	"strings"

	"logitscope/sampling/value"
)

// Normalise turns any form a file or flag may use into the one type the
// parameter's kind names, and checks it against the table.
func (p *Param) Normalise(v any) (any, error) {
	if p.Names != nil {
		return p.named(v)
	}
	if s, ok := v.(string); ok && p.Kind >= Bias {
		return p.Parse(s)
	}
	val, err := p.Convert(v)
	if err != nil {
		return nil, err
	}
	// Engines compute in float32: what is 0 there is 0.
	if f, ok := val.(float64); ok && float32(f) == 0 {
		if val = 0.0; p.outside(0) {
			return nil, p.Check(f)
		}
	}
	return val, p.Check(val)
}

// named reads one of p's names, or a list of them.
func (p *Param) named(v any) (any, error) {
	text, ok := v.(string)
	if !ok {
		list, ok := value.List(v)
		if !ok {
			return nil, p.wrongForm(v)
		}
		text = strings.Join(list.([]string), ",")
	}
	return p.Names.Read(text)
}

// Convert is Normalise without the check of what the table allows: the error
// is about the value's form alone.
func (p *Param) Convert(v any) (any, error) {
	val, ok := p.convert(v)
	if !ok {
		return nil, p.wrongForm(v)
	}
	return val, nil
}

func (p *Param) convert(v any) (any, bool) {
	if s, ok := v.(string); ok && p.Kind >= Bias {
		val, err := p.Parse(s)
		return val, err == nil
	}
	switch p.Kind {
	case Bool:
		return value.Bool(v)
	case Int:
		return value.Int(v)
	case Uint:
		return value.Uint(v)
	case Float:
		return value.Float(v)
	case Choice:
		return value.Choice(v)
	case Text:
		return value.Text(v)
	case List:
		return value.List(v)
	case Bias:
		return value.Bias(v)
	case IDs:
		return value.IDs(v)
	case Seqs:
		return value.Seqs(v)
	}
	return nil, false
}
