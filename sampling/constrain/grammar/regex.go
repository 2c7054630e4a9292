package grammar

import (
	"logitscope/sampling/constrain/lang"
)

// Regex wants text that matches a regular expression of Go's regexp/syntax
// (RE2 without word boundaries and line anchors). With search the text only
// has to contain a match; otherwise the whole text is one.
func Regex(expr string, search bool) lang.Source { return regexSource{expr, search} }

type regexSource struct {
	expr   string
	search bool
}

func (s regexSource) Define() (*lang.Definition, error) {
	n, err := lang.RegexNFA(s.expr, s.search)
	if err != nil {
		return nil, err
	}
	d := &lang.Definition{}
	d.Root = d.Add("regex", &lang.Expr{Op: lang.OpNFA, NFA: n})
	return d, nil
}
