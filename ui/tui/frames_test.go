package tui

import (
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the frames and scripts in testdata")

func ln(p float32) float32 { return float32(math.Log(float64(p))) }

// sameFrame compares the screen with a frame in testdata.
func sameFrame(t *testing.T, got, name string) {
	t.Helper()
	if *update {
		if err := os.WriteFile("testdata/frames/"+name+".txt", []byte(got+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want := readFrame(t, name); got != want {
		t.Errorf("%s differs:\n%s", name, diff(got, want))
	}
}

// diff shows the lines that differ, wanted ones first.
func diff(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	var b strings.Builder
	for i := range max(len(g), len(w)) {
		var a, c string
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			c = w[i]
		}
		if a != c {
			fmt.Fprintf(&b, "%3d want |%s|\n     got |%s|\n", i+1, c, a)
		}
	}
	return b.String()
}

func TestLabFrames(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{160, 45}, {120, 40}, {100, 30}, {80, 24}, {60, 20}, {40, 12}} {
		name := fmt.Sprintf("lab-%dx%d", size[0], size[1])
		t.Run(name, func(t *testing.T) {
			b := storyAt16(t, size[0], size[1])
			sameFrame(t, b.frame(), name)
		})
	}
}
