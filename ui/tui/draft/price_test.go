package draft

import (
	"regexp"
	"strings"
	"testing"

	"logitscope/engine/speculative"
	"logitscope/viz"
)

// The speed-up is tokens a pass over 1 + k·cost, found and lost along the
// slider.
func TestPriceWords(t *testing.T) {
	d := &speculative.View{Counted: 2, Drafted: 8, Accepted: 4, Judged: 5, PerPass: 3, Rate: .8}
	for _, tt := range []struct {
		priced     int
		want, best string
	}{
		{7, "= 3.00 ÷ (1 + 4 · 0.0143) = 2.84×", "k 12 would be best"}, // 3 / 1.05714
		{4, "= 3.00 ÷ (1 + 4 · 0.1) = 2.14×", "k 6 would be best"},     // 3 / 1.4; (1-.8^7)/.2 / 1.6 = 2.470
		{0, "= 3.00 ÷ (1 + 4 · 1) = 0.60×", "no k pays"},               // 3 / 5
	} {
		words := (&View{priced: tt.priced}).priceWords(d)
		if len(words) != 3 || !strings.Contains(words[0][0], tt.want) || !strings.Contains(words[1][0], tt.best) || !strings.Contains(words[2][0], "more than 0.50 of a pass") {
			t.Errorf("%d: %q", tt.priced, words)
		}
		result := regexp.MustCompile(`[0-9.]+×`).FindString(tt.want)
		for _, forms := range words { // 76 cells are a terminal of 80
			if short := forms[len(forms)-1]; viz.Width(short) > 76 {
				t.Errorf("no form of %q fits 76 cells", short)
			}
		}
		for w := 30; w < 200; w++ {
			if s := viz.FirstFit(w, words[0]...); !strings.Contains(s, result) {
				t.Errorf("in %d cells %q, without its result %s", w, s, result)
			}
		}
	}
	d.Rate = 1 // every drafted token stood: the more the better
	if w := (&View{priced: 7}).priceWords(d)[1][0]; !strings.Contains(w, "k 32 or more would be best") {
		t.Error(w)
	}
	if w := (&View{}).priceWords(&speculative.View{}); len(w) != 1 {
		t.Errorf("with nothing drafted: %q", w)
	}
}
