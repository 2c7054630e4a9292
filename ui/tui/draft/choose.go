package draft

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/models/shallow"
	"logitscope/ui/tui/kit"
)

// builtinDraft is the draft that goes with the built-in model.
const builtinDraft = "fable-draft"

// offers are the drafts that the lane's model can be given without a file.
func (v *View) offers() (names []string) {
	if v.lane.Model.Info().Name == "fable" && v.open != nil {
		names = append(names, builtinDraft)
	}
	if name := shallow.Offer(v.lane.Model); name != "" {
		names = append(names, name)
	}
	return append(names, engine.NGramDraft, engine.LookaheadDraft)
}

// nextOffer is the one after name, the first for a name that is not offered.
func (v *View) nextOffer(name string) string {
	list := v.offers()
	return list[(slices.Index(list, name)+1)%len(list)]
}

// A draftMsg brings a draft model.
type draftMsg struct {
	view  *View
	name  string
	model models.Model
	err   error
}

// use makes name the draft.
func (v *View) use(host kit.Host, name string) tea.Cmd {
	if d, ok := engine.Modelless(name); ok {
		v.take(name, d)
		return nil
	}
	if m, ok, err := shallow.Open(v.lane.Model, name); ok {
		if err != nil {
			host.Complain(name + ": " + err.Error())
			return nil
		}
		v.take(name, engine.Draft{Model: m})
		return nil
	}
	if v.open == nil {
		host.Complain("no model can be opened here; ngram needs none")
		return nil
	}
	v.wait = true
	open, target := v.open, v.lane.Model
	return func() tea.Msg {
		d, err := open(name)
		if err == nil {
			if err = engine.CheckDraft(target, d); err != nil {
				d.Close()
			}
		}
		if err != nil {
			return draftMsg{v, name, nil, err}
		}
		return draftMsg{v, name, d, nil}
	}
}

// take gives the lane a draft.
func (v *View) take(name string, d engine.Draft) {
	v.name, v.draft, v.own, v.err = name, d, true, ""
	v.round, v.pos = 0, -1
	v.lane.Eng.Post(engine.Assist{Draft: d})
	if v.judge != "" && !d.Judges(v.judge) {
		v.judge = ""
	}
	v.lane.Eng.Post(engine.Judge{Algorithm: v.judge})
}

// draftWords say what a draft does that needs no file.
var draftWords = map[string]string{
	builtinDraft:          "a smaller model of the same vocabulary drafts",
	engine.NGramDraft:     "drafts what followed the same words before",
	engine.LookaheadDraft: "the model guesses many places at once; n-grams it found are drafts",
}

// otherDraft goes to the next of the drafts that are offered.
func (v *View) otherDraft(host kit.Host) tea.Cmd {
	if v.wait {
		host.Say("x: a draft model is being opened")
		return nil
	}
	name := v.nextOffer(v.name)
	words, ok := draftWords[name]
	if !ok {
		words = "the model itself drafts, without those layers"
	}
	host.Say(name + ": " + words)
	return v.use(host, name)
}

// Typing reports whether a name is being typed.
func (v *View) Typing() bool { return v.field != nil }
