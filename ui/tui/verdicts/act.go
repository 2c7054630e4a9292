package verdicts

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine/bench"
	"logitscope/engine/bench/prompts"
	"logitscope/sampling"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// A number is what cells show.
type number struct {
	key   string // of the metric
	words string
}

// numbers are what cells can show, in the order of the key.
var numbers = []number{{"pass", "passed"}, {"majority", "voted answer"}, {"tokens", "tokens"}, {"bits", "bits a token"}, {"loop", "loops"}, {"repeated_4grams", "repeated 4-grams"}}

// Act takes the actions it names; see [kit.View].
func (r *Room) Act(h kit.Host, a *kit.Action) (tea.Cmd, bool) {
	switch a.ID {
	case kit.ActDown, kit.ActUp, kit.ActFirst, kit.ActLast, kit.ActRight10, kit.ActLeft10:
		r.move(a)
	case kit.ActRight:
		r.col = min(r.col+1, max(len(r.configs)-1, 0))
	case kit.ActLeft:
		r.col = max(r.col-1, 0)
	case kit.ActNumber, kit.ActPane:
		r.metric = (r.metric + 1) % len(numbers)
	case kit.ActPaneBack:
		r.metric = (r.metric + len(numbers) - 1) % len(numbers)
	case kit.ActRun:
		return r.runOrPause(h), true
	case kit.ActRaise:
		r.add(h)
	case kit.ActLower:
		r.drop(h)
	case kit.ActTake:
		r.takeOut(h)
	case kit.ActReseed:
		r.moreSeeds(h)
	case kit.ActSlower, kit.ActFaster:
		r.setWorkers(h, a.ID == kit.ActFaster)
	case kit.ActPrompt:
		r.labPrompt(h)
	case kit.ActFind:
		r.ask("", false)
	case kit.ActExport:
		r.askReport(h)
	case kit.ActOpen:
		if r.prompts == nil {
			r.ask("", false)
			return nil, true
		}
		r.openLane(h)
		return nil, true
	case kit.ActCopy:
		return h.Copy("the verdict", strings.Join(r.verdict(), "\n"), "verdict.txt"), true
	default:
		return nil, false
	}
	return nil, true
}

// ask opens the field for the name of a file.
func (r *Room) ask(text string, writes bool) {
	f := kit.NewField(text)
	r.field, r.writes = &f, writes
}

func (r *Room) askReport(h kit.Host) {
	switch {
	case r.now.Done == 0:
		h.Say("W: nothing is written yet; space writes the texts")
	case r.opt.Report == nil:
		h.Say("W: no reports here")
	default:
		r.ask("bench.html", true)
	}
}

// NotHere says what to do for what acts on the lab alone.
func (r *Room) NotHere(kit.Host) string {
	return "not in the bench; enter opens a text as a lane, esc goes to the lab"
}

// Hints are what the footer offers; see [kit.View].
func (r *Room) Hints(kit.Host) []kit.ID {
	return []kit.ID{kit.ActRun, kit.ActDown, kit.ActRight, kit.ActOpen, kit.ActRaise, kit.ActLower, kit.ActTake, kit.ActNumber, kit.ActCopy, kit.ActClose, kit.ActHelp}
}

// Footer words the hints; see [kit.Footed].
func (r *Room) Footer(h kit.Host) []kit.Hint {
	if r.field != nil {
		word := "open"
		if r.writes {
			word = "write"
		}
		return []kit.Hint{{Keys: "enter", Word: word}, {Keys: "esc", Word: "leave it"}}
	}
	space := "run"
	if r.run != nil {
		space = "pause"
	}
	return []kit.Hint{{ID: kit.ActDown, Keys: "↑↓", Word: "prompt"}, {ID: kit.ActRight, Keys: "←→", Word: "config"}, {ID: kit.ActOpen, Word: "lane"}, {ID: kit.ActRaise, Keys: "+ -", Word: "config"},
		{ID: kit.ActRun, Word: space}, {ID: kit.ActNumber, Word: "next number"}, {ID: kit.ActTake, Word: "prompt out"}, {ID: kit.ActReseed, Word: "more seeds"},
		{ID: kit.ActFind, Word: "file"}, {ID: kit.ActCopy, Word: "verdict"}, {ID: kit.ActExport, Word: "report"}, {ID: kit.ActClose, Word: "lab"}, {ID: kit.ActHelp}}
}

// Key types the name of a file.
func (r *Room) Key(h kit.Host, k tea.KeyMsg) (tea.Cmd, bool) {
	return kit.AskKey(&r.field, k, func(name string) (tea.Cmd, bool) {
		switch {
		case name == "":
			return nil, false
		case r.writes:
			return r.report(h, name), false
		}
		return r.load(h, name), false
	})
}

func (r *Room) move(a *kit.Action) {
	n := len(r.rows())
	d, _ := a.Rows(n)
	r.at = max(0, min(r.at+d, n-1))
}

// rows returns the prompts as they are listed.
func (r *Room) rows() []*prompts.Prompt {
	var in []*prompts.Prompt
	for i := range r.prompts {
		if r.plan == nil || !r.out[r.prompts[i].ID] || r.changed {
			in = append(in, &r.prompts[i])
		}
	}
	if r.plan == nil || r.changed || len(r.shown) != len(in) {
		return in
	}
	out := make([]*prompts.Prompt, len(in))
	for row, i := range r.shown {
		out[row] = in[i]
	}
	return out
}

func (r *Room) runOrPause(h kit.Host) tea.Cmd {
	if r.run != nil {
		r.run.stop()
		h.Say("paused; what is written is kept, space goes on")
		return nil
	}
	return r.start(h)
}

func (r *Room) drop(h kit.Host) {
	if len(r.configs) < 2 {
		h.Say("-: one config is the least")
		return
	}
	last := len(r.configs) - 1
	h.Say(letter(last) + " " + r.configs[last].label + " is out")
	r.configs = r.configs[:last]
	r.col = min(r.col, last-1)
	r.again()
}

// takeOut takes the selected prompt out, or puts it back.
func (r *Room) takeOut(h kit.Host) {
	rows := r.rows()
	if len(rows) == 0 {
		h.Say("x: no prompts yet")
		return
	}
	p := rows[r.at]
	looked := r.sum != nil || r.changed
	if r.out[p.ID] {
		delete(r.out, p.ID)
	} else {
		r.out[p.ID] = true
	}
	r.again()
	r.changed = looked
	for i := range r.prompts {
		if &r.prompts[i] == p {
			r.at = i
		}
	}
	h.Say("space runs what is asked now; what is written already is taken up")
}

func (r *Room) moreSeeds(h kit.Host) {
	if r.seeds = min(2*r.seeds, mostSeeds); r.plan != nil {
		r.again()
	}
	h.Say(fmt.Sprintf("%d texts for each prompt and config; space writes those that are missing", r.seeds))
}

func (r *Room) setWorkers(h kit.Host, more bool) {
	switch {
	case more:
		r.workers = min(max(2*r.workers, 1), mostWorkers)
	default:
		r.workers /= 2
	}
	words := "as many texts at once as usual"
	if r.workers > 0 {
		words = viz.Plural(r.workers, "text") + " at once"
	}
	h.Say(words + " from the next start on")
}

// labPrompt adds the lab's prompt to the set.
func (r *Room) labPrompt(h kit.Host) {
	l := h.Lane()
	if len(l.Prompt) == 0 {
		h.Say("e: the lab has no prompt; e there writes one")
		return
	}
	id := "lab"
	for n := 2; ; n++ {
		taken := false
		for _, p := range r.prompts {
			taken = taken || p.ID == id
		}
		if !taken {
			break
		}
		id = fmt.Sprintf("lab-%d", n)
	}
	r.prompts = append(r.prompts, prompts.Prompt{ID: id, Text: l.Text, Tokens: l.Prompt})
	if r.name == "" {
		r.name = "lab"
	}
	r.again()
}

// failing returns the first text of a cell that fails, else its first text.
func (r *Room) failing(at place) *bench.Text {
	var first *bench.Text
	for _, t := range r.texts[at] {
		switch {
		case t == nil || t.Error != "":
		case t.Judged && !t.Pass():
			return t
		case first == nil:
			first = t
		}
	}
	return first
}

// parting returns the index of the token at which t leaves the passing text of
// its prompt with which it has most in common; its last one where none passes.
func (r *Room) parting(prompt int, t *bench.Text) int {
	longest := -1
	for c := range r.plan.Configs {
		for _, other := range r.texts[place{prompt, c}] {
			if other == nil || !other.Pass() || t.Pass() {
				continue
			}
			n := 0
			for n < len(t.Tokens) && n < len(other.Tokens) && t.Tokens[n] == other.Tokens[n] {
				n++
			}
			longest = max(longest, n)
		}
	}
	if longest < 0 {
		longest = len(t.Tokens) - 1
	}
	return max(0, min(longest, len(t.Tokens)-1))
}

// openLane opens a text of the selected cell in the lab, at the token where it
// fails.
func (r *Room) openLane(h kit.Host) {
	if r.plan == nil {
		h.Say("enter: no texts yet; space writes them")
		return
	}
	i := r.shown[r.at]
	t := r.failing(place{i, r.col})
	if t == nil {
		h.Say("enter: this cell has no text yet")
		return
	}
	l := r.lanes.All[0]
	cfg := r.configs[r.col].config.MustWith("seed", t.Seed, sampling.FromFlag)
	set, err := l.Compile(cfg, -1)
	if err != nil {
		h.Complain(viz.FirstLine(err.Error()))
		return
	}
	read, err := r.plan.Read(h.Lane().Model, r.rows()[r.at])
	if err != nil {
		h.Complain(viz.FirstLine(err.Error()))
		return
	}
	n := r.parting(i, t)
	l.Config, l.Preset, l.Settings = cfg, -1, set
	l.Text, l.Prompt, l.Look = read.Text, read.Tokens, run.Lookback{}
	r.lanes.Start(l)
	r.lanes.AdvanceLane(l, n)
	r.lanes.Cur = 0
	id := r.rows()[r.at].ID
	h.Close()
	h.Say(fmt.Sprintf("%s under %s %s, seed %d: token %d is next", id, letter(r.col), r.configs[r.col].label, t.Seed, n+1))
}
