package record

import "strconv"

// A tally counts the lines of a take as their writer did, so that a line which
// was taken out is missed by those after it.
type tally struct {
	prompt   int // tokens
	configs  int
	rounds   int
	searched int
	next     map[int]int // step of a search, by group
	tokens   map[int]int // by branch
	branch   int         // written last
}

func newTally(t *Take) *tally {
	return &tally{prompt: len(t.Run.PromptTokens), configs: 1, next: map[int]int{}, tokens: map[int]int{}, branch: 1}
}

// line counts e and returns what does not follow from the lines before it.
func (n *tally) line(e *Event) *Difference {
	switch {
	case e.Set != nil:
		n.configs++
	case e.Round != nil:
		n.rounds++
	case e.Branch != nil:
		n.branch = e.Branch.ID
		n.tokens[n.branch] = e.Branch.Keep
	case e.Search != nil:
		n.searched++
		want := n.next[e.Search.Group]
		n.next[e.Search.Group] = e.Search.Step + 1
		if e.Search.Step >= 0 && e.Search.Step < want {
			return nil // the search went back, or began again
		}
		return counted("step", e.Search.Step, want)
	case e.Step != nil:
		n.branch = e.Step.Branch
		n.tokens[n.branch]++
		if s := e.Step; s.Round > n.rounds {
			return &Difference{Step: s.Pos - n.prompt + 1, Field: "round", Recorded: strconv.Itoa(s.Round), Derived: strconv.Itoa(n.rounds)}
		}
		if e.Step.ConfigID > 0 { // version 1 has none
			d := counted("config_id", e.Step.ConfigID, n.configs)
			if d != nil {
				d.Step = e.Step.Pos - n.prompt + 1
			}
			return d
		}
	case e.End != nil && n.searched == 0 && e.End.Tokens > n.tokens[n.branch]:
		return counted("tokens", e.End.Tokens, n.tokens[n.branch])
	}
	return nil
}

func counted(field string, got, want int) *Difference {
	if got == want {
		return nil
	}
	return &Difference{Field: field, Recorded: strconv.Itoa(got), Derived: strconv.Itoa(want)}
}
