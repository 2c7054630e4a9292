package schema

import (
	"fmt"

	"logitscope/sampling/constrain/lang"
)

// JSON wants one JSON value by RFC 8259. Names in an object may repeat, as the
// RFC allows; lone surrogates and invalid UTF-8 are refused.
func JSON(opts JSONOptions) lang.Source { return jsonSource(opts) }

type jsonSource JSONOptions

func (s jsonSource) Define() (*lang.Definition, error) {
	d := &lang.Definition{}
	j := newJSONRules(d, s.Whitespace)
	body := lang.Call(j.value())
	if s.ObjectOnly {
		body = lang.Call(j.object())
	}
	if s.Whitespace == WhitespaceAny {
		body = lang.Seq(j.ws, body, j.ws)
	}
	d.Root = d.Add("json", body)
	return d, nil
}

// jsonRules adds the rules of JSON to a definition as they are asked for, each
// once.
type jsonRules struct {
	def   *lang.Definition
	ws    *lang.Expr // what may stand in a gap
	style Whitespace

	valueRule, objectRule, arrayRule, stringRule, numberRule int
}

const notYet = -1

func newJSONRules(d *lang.Definition, w Whitespace) *jsonRules {
	j := &jsonRules{def: d, style: w, valueRule: notYet, objectRule: notYet, arrayRule: notYet, stringRule: notYet, numberRule: notYet}
	j.ws = j.gap(w)
	return j
}

func (j *jsonRules) gap(w Whitespace) *lang.Expr {
	space := func(chars ...rune) *lang.Expr {
		var r []lang.RuneRange
		for _, c := range chars {
			r = append(r, lang.RuneRange{Lo: c, Hi: c})
		}
		return lang.Class(r...)
	}
	switch w {
	case WhitespaceCompact:
		return lang.Empty
	case WhitespaceAny:
		return lang.Call(j.blank(lang.Star(space(' ', '\t', '\n', '\r'))))
	}
	indent := lang.Alt(lang.Repeat(space(' '), 0, 32), lang.Repeat(space('\t'), 1, 16))
	return lang.Call(j.blank(lang.Alt(lang.Empty, lang.Text(" "), lang.Seq(lang.Optional(lang.Text("\r")), lang.Text("\n"), indent))))
}

func (j *jsonRules) blank(body *lang.Expr) int {
	at := notYet
	return j.once(&at, "blank", func() *lang.Expr { return body })
}

// once adds a rule and fills in its body, which may call the rule itself.
func (j *jsonRules) once(at *int, name string, body func() *lang.Expr) int {
	if *at == notYet {
		*at = j.def.Add(name, lang.Never)
		j.def.Rules[*at].Body = body()
		j.def.Rules[*at].Common = fmt.Sprint(name, j.style)
	}
	return *at
}

func (j *jsonRules) value() int {
	return j.once(&j.valueRule, "value", func() *lang.Expr {
		return lang.Alt(lang.Call(j.object()), lang.Call(j.array()), lang.Call(j.str()), lang.Call(j.number()), lang.Text("true"), lang.Text("false"), lang.Text("null"))
	})
}

// str is any string, quotes included.
func (j *jsonRules) str() int {
	return j.once(&j.stringRule, "string", func() *lang.Expr { return lang.Seq(lang.Text(`"`), anyString(0, -1)) })
}

// anyString is the rest of a string of lo..hi code points after its opening
// quote.
func anyString(lo, hi int32) *lang.Expr {
	return &lang.Expr{Op: lang.OpString, Str: &lang.StringLang{Lang: lang.AnyText{}, Lo: lo, Hi: hi}}
}

func (j *jsonRules) object() int {
	return j.once(&j.objectRule, "object", func() *lang.Expr {
		member := lang.Seq(lang.Call(j.str()), j.ws, lang.Text(":"), j.ws, lang.Call(j.value()))
		return lang.Seq(lang.Text("{"), j.ws, lang.Optional(j.list(member)), lang.Text("}"))
	})
}

func (j *jsonRules) array() int {
	return j.once(&j.arrayRule, "array", func() *lang.Expr {
		return lang.Seq(lang.Text("["), j.ws, lang.Optional(j.list(lang.Call(j.value()))), lang.Text("]"))
	})
}

// list is one item or more with commas, and the blanks after the last.
func (j *jsonRules) list(item *lang.Expr) *lang.Expr {
	return lang.Seq(item, lang.Star(lang.Seq(j.comma(), item)), j.ws)
}

func (j *jsonRules) comma() *lang.Expr { return lang.Seq(j.ws, lang.Text(","), j.ws) }

func (j *jsonRules) number() int {
	return j.once(&j.numberRule, "number", func() *lang.Expr {
		n, err := lang.RegexNFA(`-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`, false)
		if err != nil {
			return lang.Never // the expression is constant and compiles
		}
		return &lang.Expr{Op: lang.OpNFA, NFA: n}
	})
}
