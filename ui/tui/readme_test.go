package tui

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const readme = "../../README.md"

// readmeFrame is the picture of the lab in the README: the first text block.
var readmeFrame = regexp.MustCompile("(?s)```text\n(.*?)\n```")

// The picture in the README is what the program draws 14 tokens after its
// default start. The speed in it is the README's own, since it was measured.
func TestReadmeFrame(t *testing.T) {
	page, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	found := readmeFrame.FindSubmatchIndex(page)
	if found == nil {
		t.Fatal("the README has no text block")
	}
	want := string(page[found[2]:found[3]])
	b := newBench(t, testOptions(t), 110, 36)
	b.start(storyPrompt)
	for n := range 14 {
		b.keys("n")
		b.steps(n + 1)
	}
	b.m.Notice.Text = ""
	if s := regexp.MustCompile(`([\d,]+) tok/s`).FindStringSubmatch(want); s != nil {
		rate, err := strconv.ParseFloat(strings.ReplaceAll(s[1], ",", ""), 64)
		if err != nil {
			t.Fatal(err)
		}
		b.m.Lane().View.Rate = rate
	}
	b.m.dirty = true
	lines := strings.Split(strings.TrimSuffix(b.settled(), "\n"), "\n")
	if *update {
		out := string(page[:found[2]]) + strings.Join(lines, "\n") + string(page[found[3]:])
		if err := os.WriteFile(readme, []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("the README shows another frame; -update rewrites it:\n%s", diff(got, want))
	}
}
