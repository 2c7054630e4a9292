package picker

import (
	"strings"
	"testing"

	"logitscope/models"
	"logitscope/viz"
)

// Details that do not fit are counted in a line of their own, over none of
// those shown.
func TestFactsLeftOut(t *testing.T) {
	v := &modelView{facts: []models.Fact{{Name: "one", Value: "1"}, {Name: "two", Value: "2"}, {Name: "three", Value: "3"}}}
	for _, tt := range []struct {
		h    int
		want string // of the lines, by their first words
	}{
		{3, "one two three"},
		{2, "one ⋮ 2 more · pgdn"},
		{1, "⋮ 3 more · pgdn"},
	} {
		c := viz.NewCanvas(40, tt.h, false)
		v.drawFacts(c)
		var got []string
		for _, line := range strings.Split(c.Text(), "\n") {
			line = strings.TrimSpace(line)
			if !strings.HasPrefix(line, "⋮") {
				line, _, _ = strings.Cut(line, " ")
			}
			got = append(got, line)
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("in %d lines %q, want %q", tt.h, s, tt.want)
		}
	}
}
