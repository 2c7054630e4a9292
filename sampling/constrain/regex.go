package constrain

import "strings"

// Regex wants text that matches a regular expression of Go's regexp/syntax
// (RE2 without word boundaries and line anchors). With search the text only
// has to contain a match; otherwise the whole text is one.
func Regex(expr string, search bool) Source { return regexSource{expr, search} }

type regexSource struct {
	expr   string
	search bool
}

func (s regexSource) define() (*definition, error) {
	n, err := regexNFA(s.expr, s.search)
	if err != nil {
		return nil, err
	}
	d := &definition{}
	d.root = d.add("regex", &expr{op: opNFA, nfa: n})
	return d, nil
}

func lastIndex(s, sub string) int { return strings.LastIndex(s, sub) }

// reversed reports whether a repetition such as {5,2} has its bounds swapped,
// which regexp/syntax reports like a count that is too large.
func reversed(count string) bool {
	a, b, ok := strings.Cut(strings.Trim(count, "{}"), ",")
	return ok && b != "" && (len(a) > len(b) || len(a) == len(b) && a > b)
}

// clip shortens text quoted in a message.
func clip(s string) string {
	r := []rune(s)
	if len(r) > 40 {
		return string(r[:37]) + "..."
	}
	return s
}
