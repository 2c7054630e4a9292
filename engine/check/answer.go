package check

import (
	"regexp"
	"strconv"
	"strings"
)

// A Rule says what of a text is its answer, where texts vote.
type Rule uint8

// The rules, in the order to offer them.
const (
	ByFirstLine  Rule = iota // the first line that is not blank
	ByLastNumber             // the last number, by its value
	ByWhole                  // all of it
	ByMatch                  // what an expression finds
	nRules
)

// Rules is how many rules there are.
const Rules = int(nRules)

// String names the rule: "the first line".
func (r Rule) String() string {
	return [...]string{"the first line", "the last number", "the whole text", "an expression's match"}[r]
}

// An Answer is a rule, with its expression for [ByMatch]: its first group, or
// its match, is the answer.
type Answer struct {
	Rule    Rule
	Extract *regexp.Regexp
}

// String names what of a text is its answer: "the match of \d+".
func (a Answer) String() string {
	if a.Rule == ByMatch && a.Extract != nil {
		return "the match of " + a.Extract.String()
	}
	return a.Rule.String()
}

// Of returns the answer of a text, white space at both ends aside; false for a
// text without one, which has no vote.
func (a Answer) Of(text string) (string, bool) {
	switch a.Rule {
	case ByFirstLine:
		text = strings.TrimSpace(text)
		line, _, _ := strings.Cut(text, "\n")
		return strings.TrimSpace(line), text != ""
	case ByLastNumber:
		n, ok := lastNumber(text)
		return strconv.FormatFloat(n.Value, 'g', -1, 64), ok
	case ByMatch:
		if a.Extract == nil {
			return "", false
		}
		found, _, ok := Extract(a.Extract, text)
		return strings.TrimSpace(found), ok
	}
	return strings.TrimSpace(text), true
}
