package run

import (
	"time"

	"logitscope/engine"
)

// A Tempo is how fast the lanes write.
type Tempo struct {
	Pace    int // index in Paces
	Fastest int // the last of them that can be chosen
}

// Paces are the speeds of a run: the least time between two tokens.
var Paces = []struct {
	Every time.Duration
	name  string
}{
	{2 * time.Second, "1 token in 2 s"}, {time.Second, "1 token a second"}, {time.Second / 2, "2 tokens a second"},
	{time.Second / 5, "5 tokens a second"}, {time.Second / 10, "10 tokens a second"},
	{time.Second / 30, "30 tokens a second"}, {0, "as fast as it goes"},
}

// startPace is how fast the lab begins: slow enough to watch every step.
const startPace = 4

// every is the least time between two tokens.
func (t *Tempo) every() time.Duration { return Paces[t.Pace].Every }

// SetPace makes a run slower or faster.
func (ls *Lanes) SetPace(d int) {
	ls.Pace = min(max(ls.Pace+d, 0), ls.Fastest)
	ls.Repace()
	ls.Say("speed: " + Paces[ls.Pace].name)
}

// Repace puts the pace that was chosen in force again.
func (ls *Lanes) Repace() {
	for _, l := range ls.All {
		l.Eng.Post(engine.Pace{Every: ls.every()})
	}
}
