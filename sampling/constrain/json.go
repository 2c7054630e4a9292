package constrain

import "fmt"

// JSON wants one JSON value by RFC 8259. Names in an object may repeat, as the
// RFC allows; lone surrogates and invalid UTF-8 are refused.
func JSON(opts JSONOptions) Source { return jsonSource(opts) }

type jsonSource JSONOptions

func (s jsonSource) define() (*definition, error) {
	d := &definition{}
	j := newJSONRules(d, s.Whitespace)
	body := call(j.value())
	if s.ObjectOnly {
		body = call(j.object())
	}
	if s.Whitespace == WhitespaceAny {
		body = seq(j.ws, body, j.ws)
	}
	d.root = d.add("json", body)
	return d, nil
}

// jsonRules adds the rules of JSON to a definition as they are asked for, each
// once.
type jsonRules struct {
	def   *definition
	ws    *expr // what may stand in a gap
	style Whitespace

	valueRule, objectRule, arrayRule, stringRule, numberRule int
}

const notYet = -1

func newJSONRules(d *definition, w Whitespace) *jsonRules {
	j := &jsonRules{def: d, style: w, valueRule: notYet, objectRule: notYet, arrayRule: notYet, stringRule: notYet, numberRule: notYet}
	j.ws = j.gap(w)
	return j
}

func (j *jsonRules) gap(w Whitespace) *expr {
	space := func(chars ...rune) *expr {
		var r []runeRange
		for _, c := range chars {
			r = append(r, runeRange{c, c})
		}
		return class(r...)
	}
	switch w {
	case WhitespaceCompact:
		return empty
	case WhitespaceAny:
		return call(j.blank(star(space(' ', '\t', '\n', '\r'))))
	}
	indent := alt(repeat(space(' '), 0, 32), repeat(space('\t'), 1, 16))
	return call(j.blank(alt(empty, text(" "), seq(optional(text("\r")), text("\n"), indent))))
}

func (j *jsonRules) blank(body *expr) int {
	at := notYet
	return j.once(&at, "blank", func() *expr { return body })
}

// once adds a rule and fills in its body, which may call the rule itself.
func (j *jsonRules) once(at *int, name string, body func() *expr) int {
	if *at == notYet {
		*at = j.def.add(name, never)
		j.def.rules[*at].body = body()
		j.def.rules[*at].common = fmt.Sprint(name, j.style)
	}
	return *at
}

func (j *jsonRules) value() int {
	return j.once(&j.valueRule, "value", func() *expr {
		return alt(call(j.object()), call(j.array()), call(j.str()), call(j.number()), text("true"), text("false"), text("null"))
	})
}

// str is any string, quotes included.
func (j *jsonRules) str() int {
	return j.once(&j.stringRule, "string", func() *expr { return seq(text(`"`), anyString(0, -1)) })
}

// anyString is the rest of a string of lo..hi code points behind its opening
// quote.
func anyString(lo, hi int32) *expr {
	return &expr{op: opString, str: &stringLang{lang: anyText{}, lo: lo, hi: hi}}
}

func (j *jsonRules) object() int {
	return j.once(&j.objectRule, "object", func() *expr {
		member := seq(call(j.str()), j.ws, text(":"), j.ws, call(j.value()))
		return seq(text("{"), j.ws, optional(j.list(member)), text("}"))
	})
}

func (j *jsonRules) array() int {
	return j.once(&j.arrayRule, "array", func() *expr {
		return seq(text("["), j.ws, optional(j.list(call(j.value()))), text("]"))
	})
}

// list is one item or more with commas, and the blanks behind the last.
func (j *jsonRules) list(item *expr) *expr {
	return seq(item, star(seq(j.comma(), item)), j.ws)
}

func (j *jsonRules) comma() *expr { return seq(j.ws, text(","), j.ws) }

func (j *jsonRules) number() int {
	return j.once(&j.numberRule, "number", func() *expr {
		n, err := regexNFA(`-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`, false)
		if err != nil {
			return never // the expression is constant and compiles
		}
		return &expr{op: opNFA, nfa: n}
	})
}
