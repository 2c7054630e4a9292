package program

import (
	"logitscope/sampling/constrain/lang"
)

// MaxDetour is how much longer than its distance a completion may turn out to
// be. Only items that must differ from others make for detours.
const MaxDetour = 4096

// At least minFirsts texts are listed of those that must differ, if there are
// as many, and at most maxFirsts.
const (
	minFirsts = 64
	maxFirsts = 4096
)

// A textList is a language of texts that must differ, and the first of them in
// the order of EachText: one more than must be there, or none if they are
// hard to list.
type textList struct {
	*lang.StringLang
	Firsts []string
	all    bool // the language has no others
}

// listTexts prepares an object or array for distances to texts that differ.
func (o *Object) listTexts(differ []*lang.StringLang) {
	wanted := max(int(o.Min)+1, minFirsts)
	for _, s := range differ {
		list := textList{StringLang: s}
		if wanted <= maxFirsts {
			told := s.EachText(s.Lang.Start(), s.Lo, s.Hi, func(text string) bool {
				list.Firsts = append(list.Firsts, text)
				return len(list.Firsts) < wanted
			})
			list.all = told && len(list.Firsts) < wanted
			if !told && len(list.Firsts) <= int(o.Min) {
				list.Firsts = nil
			}
		}
		o.Texts = append(o.Texts, list)
	}
}

// Listed reports whether the first texts of all languages are known.
func (o *Object) Listed() bool {
	for _, l := range o.Texts {
		if len(l.Firsts) == 0 {
			return false
		}
	}
	return len(o.Texts) > 0
}

// finite reports whether there are no texts but those listed.
func (o *Object) finite() bool { return len(o.Texts) == 1 && o.Texts[0].all }

// free lists the lengths of the first texts after d, in ascending order, if
// there is one language. Where none of those listed is free, it is that of the
// next text.
func (o *Object) free(d Data) []int32 {
	if len(o.Texts) != 1 || !o.Listed() {
		return nil
	}
	list := &o.Texts[0]
	free := make([]int32, 0, len(list.Firsts))
	for _, t := range list.Firsts {
		if !d.Texts.Has(list.Identity(t)) {
			free = append(free, lang.JSONLength(t))
		}
	}
	if len(free) == 0 && !list.all && !list.Bare {
		st := lang.StringState{Q: list.Lang.Start(), Lo: list.Lo, Hi: list.Hi}
		next, _ := list.NearestFree(st, "", d.Texts.list())
		free = append(free, next-list.Closing())
	}
	return free
}

// Completions of text that must differ may take some bytes more than the
// distance says: the text under way may turn out to be one of the short ones
// that were counted for others. Numbers are compared by value, which is not
// counted, and so may need some digits more.
const (
	textSlack   = 3
	numberSlack = 10
)

// findDetour finds out how much longer than its distance a completion may be.
func (p *Program) findDetour() {
	for _, o := range p.Objs {
		switch {
		case len(o.Texts) == 0:
		case !o.Listed():
			p.Slack = MaxDetour
		case o.Texts[0].Bare:
			p.Slack = max(p.Slack, o.spread()+numberSlack)
		case len(o.Texts) == 1:
			p.Slack = max(p.Slack, o.spread()+textSlack)
		default: // the distance takes each text for the shortest
			p.Slack = max(p.Slack, min(lang.Mul32(o.spread(), o.Min)+textSlack, MaxDetour))
		}
	}
}

// spread is how much longer than the first text the last may be that is counted
// for others.
func (o *Object) spread() (most int32) {
	for _, l := range o.Texts {
		last := l.Firsts[min(int(o.Min), len(l.Firsts)-1)]
		most = max(most, lang.JSONLength(last)-lang.JSONLength(l.Firsts[0]))
	}
	return most
}
