package course

import (
	"fmt"
	"strings"

	"logitscope/engine/goal"
	"logitscope/engine/lesson"
	"logitscope/models"
)

// Condition reads an expression that a run stops at: it is yes or no.
func Condition(text string) (*goal.Expr, error) {
	e, err := goal.Parse(text, goal.Names{Views: lesson.Opens})
	if err != nil {
		return nil, err
	}
	if e.Kind() != goal.Truth {
		return nil, fmt.Errorf("%s: its kind is %s; want yes or no, as in raw_bits > 4", goal.Shown(e.String()), e.Kind())
	}
	return e, nil
}

// TokensOf returns the tokens that an expression names. The error names one
// that is not one token of the model.
func TokensOf(e *goal.Expr, m models.Model) (map[string]int32, error) {
	ids := map[string]int32{}
	for _, t := range e.Tokens() {
		id, ok := goal.Word(m, t)
		if !ok {
			return nil, fmt.Errorf("%s", lesson.NotAToken(m, t))
		}
		ids[t] = id
	}
	return ids, nil
}

// Became says what became true, with what its terms come to.
func Became(leaf goal.Leaf, ascii bool) string {
	var now []string
	for _, x := range leaf.Of {
		if x.Value.Kind != goal.Truth {
			now = append(now, x.Source+" is "+Words(x.Value, ascii))
		}
	}
	if len(now) == 0 {
		return leaf.Source
	}
	return leaf.Source + " (" + strings.Join(now, ", ") + ")"
}
