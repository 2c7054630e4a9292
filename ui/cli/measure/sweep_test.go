package measure

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"logitscope/engine/bench"
	"logitscope/engine/stats"
)

func TestSweepInNarrowTerminals(t *testing.T) {
	a, err := bench.ParseAxis("top_k=1,20")
	if err != nil {
		t.Fatal(err)
	}
	r := &bench.Grid{Axes: []bench.Axis{a}, Seeds: []uint64{1}}
	for i := range 2 {
		c := bench.Point{At: []int{i}, Runs: []bench.Text{{Reason: "eos"}}}
		for range bench.GridMetrics() {
			c.Values = append(c.Values, stats.Estimate{Value: 0.5, Low: 0.25, High: 0.75, N: 2})
		}
		r.Cells = append(r.Cells, c)
	}
	for _, width := range []int{0, 40, 80, 200} {
		var b bytes.Buffer
		if err := writeSweepTable(bufio.NewWriter(&b), r, width); err != nil {
			t.Fatal(err)
		}
		blocks := strings.Count(b.String(), "top_k")
		if width == 0 && blocks != 1 || width == 40 && blocks < 4 {
			t.Errorf("%d cells wide: %d blocks", width, blocks)
		}
		for line := range strings.SplitSeq(strings.Split(b.String(), "\n\n")[0], "\n") {
			if width > 0 && len([]rune(line)) > width {
				t.Errorf("%d cells wide: %q", width, line)
			}
		}
	}
}
