package replay

import (
	"fmt"

	"logitscope/engine/record"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// Header replaces the parts of the header that speak of a model that runs.
func (p *Player) Header(h kit.Host, k kit.Class) (left, right []kit.HeaderPart) {
	l := h.Lane()
	muted, bold := viz.Ink{Role: viz.Muted}, viz.Ink{}.With(viz.Bold)
	stopped, playing := "‖", "▶"
	if h.Screen().ASCII() {
		stopped, playing = "||", ">"
	}
	state := stopped
	if p.playing {
		state = playing
	}
	left = []kit.HeaderPart{
		{Text: "logitscope", Rank: 9, Ink: muted}, {Text: "replay " + viz.Printable(p.name, h.Screen().ASCII()), Rank: 6, Ink: muted},
		{Text: fmt.Sprintf("%s step %s of %s", state, viz.Count(p.at), viz.Count(len(p.told))), Rank: 0, Ink: bold},
		{Text: viz.Printable(l.ShownLabel(), h.Screen().ASCII()), Rank: 0}, {Text: l.ShownConfig().Order().Name(), Rank: 5}, {Text: l.SeedWords(), Rank: 4},
	}
	if p.at > 0 && p.at <= len(p.told) {
		if off := p.told[p.at-1].Off; len(off) > 0 {
			left = append(left, kit.HeaderPart{Text: viz.Printable(run.NotWhole(off, 1), h.Screen().ASCII()), Rank: 1, Ink: viz.Ink{Role: viz.Warning}})
		}
	}
	right = []kit.HeaderPart{{Text: "no model loaded", Rank: 7, Ink: muted}, {Text: p.rows(), Rank: 8, Ink: muted}}
	return left, right
}

// rows says what the file has of each step.
func (p *Player) rows() string {
	switch m := p.take.Model; {
	case m.Rows() == 0:
		return "no rows"
	case m.Whole():
		return "rows complete"
	default:
		return fmt.Sprintf("%d rows a step", m.Info().Caps.TopN)
	}
}

// Help is the help line while nothing else is to be said.
func (p *Player) Help() string {
	made := "Recorded"
	if when := p.take.Run.Recorded; len(when) >= 10 {
		made += " " + when[:10]
	}
	if by := p.take.Run.Program; by != "" {
		made += " by " + by
	}
	made += " on " + p.take.Run.Model.Name + "."
	switch m := p.take.Model; {
	case p.take.Searches():
		made += " A search of texts keeps no rows: it is in the file, not on the screen."
	case m.Rows() == 0:
		made += " The file has no rows: knobs change nothing that is shown."
	case m.Whole():
		made += " Every knob is exact: the file holds the whole row of each step."
	case p.take.Run.Rows == record.RowsBest:
		made += fmt.Sprintf(" The file holds the %d best of each step: what looks beyond them is marked.", record.BestRows)
	default:
		made += fmt.Sprintf(" This file holds %d rows a step: what looks beyond them is marked.", m.Info().Caps.TopN)
	}
	return viz.Printable(made, false)
}

// Footer are the keys of a replay.
func (p *Player) Footer() []kit.Hint {
	word := "play"
	if p.playing {
		word = "pause"
	}
	return []kit.Hint{
		{ID: kit.ActRun, Word: word}, {ID: kit.ActRight, Keys: "←→", Word: "step"}, {ID: kit.ActFaster, Keys: ",.", Word: "speed"}, {ID: kit.ActFirst, Keys: "home end"},
		{ID: kit.ActNextMark, Keys: "[]", Word: "mark"}, {ID: kit.ActLower, Keys: "-/+", Word: "what if"}, {ID: kit.ActTimeline}, {ID: kit.ActExport}, {ID: kit.ActHelp},
	}
}

// pacing is the speed in words.
func (p *Player) pacing() string {
	if s := speeds[p.speed]; s != 1 {
		return fmt.Sprintf("plays at %g of the recorded speed", s)
	}
	return "plays at the recorded speed"
}

// clock is where the replay stands in time.
func (p *Player) clock() string {
	n := len(p.told)
	if n == 0 || p.told[n-1].At == 0 {
		return fmt.Sprintf("%d of %d", p.at, n)
	}
	now := 0.0
	if p.at > 0 {
		now = p.told[p.at-1].At
	}
	return fmt.Sprintf("%d of %d · %.1f s of %.1f s", p.at, n, now/1e3, p.told[n-1].At/1e3)
}

// Bar draws the bar into one row of c, from x on w cells.
func (p *Player) Bar(c *viz.Canvas, cues map[int]string, x, y, w int) {
	if w < 8 {
		return
	}
	clock := " " + p.clock() + " "
	if viz.Width(clock)+12 > w {
		clock = ""
	}
	track := p.Track(w)
	ends, line, knob, mark := [2]string{"├", "┤"}, "─", "●", "┼"
	if c.ASCII {
		ends, line, knob, mark = [2]string{"[", "]"}, "-", "O", "+"
	}
	muted := viz.Ink{Role: viz.Muted}
	c.Put(x, y, " "+ends[0], muted)
	for i := range track {
		c.Put(x+2+i, y, line, muted)
	}
	for pos := range cues {
		if k := pos - len(p.take.Run.PromptTokens); k >= 0 && k <= len(p.told) {
			c.Put(x+2+p.column(k, track), y, mark, viz.Ink{Role: viz.Pinned})
		}
	}
	c.Put(x+2+p.column(p.at, track), y, knob, viz.Ink{Role: viz.Focus})
	end := c.Put(x+2+track, y, ends[1], muted)
	if clock != "" {
		c.Put(end, y, clock, viz.Ink{})
	}
}

// Track is how many cells of a bar of w cells the knob moves over.
func (p *Player) Track(w int) int {
	clock := viz.Width(p.clock()) + 2
	if clock+12 > w {
		clock = 0
	}
	return max(w-3-clock-1, 1)
}

func (p *Player) column(k, track int) int {
	if len(p.told) == 0 {
		return 0
	}
	return k * (track - 1) / len(p.told)
}

// Scrub shows what column x of a bar of w cells stands for; ok is false if x is
// not on its track.
func (p *Player) Scrub(h kit.Host, x, w int) (ok bool) {
	track := p.Track(w)
	if x -= 2; x < 0 || x >= track || len(p.told) == 0 {
		return false
	}
	p.Go(h, (x*len(p.told)+(track-1)/2)/max(track-1, 1))
	return true
}
