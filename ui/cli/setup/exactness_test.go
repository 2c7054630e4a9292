package setup

import (
	"testing"

	"logitscope/models"
	"logitscope/sampling"
)

// The lab's own preset keeps of itself what a server can make exact; what
// somebody asked for stays.
func TestExactOver(t *testing.T) {
	chat := sampling.Config{}.MustWith("repetition_penalty", 1.05, sampling.FromPreset).MustWith("top_k", 50, sampling.FromPreset)
	asked := chat.MustWith("repetition_penalty", 1.2, sampling.FromFlag).MustWith("top_k", 60, sampling.FromFlag)
	for _, c := range []struct {
		cfg     sampling.Config
		caps    models.Caps
		penalty float64
		k       int
	}{
		{chat, models.Caps{}, 1.05, 50},
		{chat, models.Caps{TopN: 20, Normalised: true}, 1, 20},
		{chat, models.Caps{TopN: 256}, 1.05, 50},
		{chat, models.Caps{Normalised: true}, 1, 50},
		{asked, models.Caps{TopN: 20, Normalised: true}, 1.2, 60},
	} {
		got := exactOver(c.cfg, c.caps)
		if p, k := got.Float("repetition_penalty"), got.Int("top_k"); p != c.penalty || k != c.k {
			t.Errorf("%+v: penalty %v, top_k %v; want %v, %v", c.caps, p, k, c.penalty, c.k)
		}
	}
}
