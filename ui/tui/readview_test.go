package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/models"
	"logitscope/sampling"
	"logitscope/ui/tui/kit"
)

const miller = "Once upon a time there was a poor miller who had a beautiful daughter. One day he told the king that she could spin straw into gold, and the king believed him."

// A text is pasted and read; a knob changes what could have been written, at
// all of its steps; space and f go on from a token in the lab.
func TestReadAText(t *testing.T) {
	t.Parallel()
	b := newLanes(t, 120, 40, "chat")
	b.keys("R")
	b.typed(miller)
	b.keys("ctrl+d")
	wait := func(words ...string) {
		t.Helper()
		b.pump(func() bool {
			f := b.frame()
			return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(f, w) })
		})
		for _, w := range words {
			if !strings.Contains(b.frame(), w) {
				t.Fatalf("want %q:\n%s", w, b.frame())
			}
		}
	}
	wait("■ read", "pasted text, 159 bytes", "38 tokens, 159 bytes", "3.52 bits a token", "0.841 bits a byte", "best token in 16 of 38", "10 tokens it could never have", "token 1 Once: 5.24 bits, rank 9")
	for range 8 {
		b.keys("right")
	}
	wait("token 9 of the text", "149 ◆ ␣mill", "cut by top_k")
	b.keys("[")
	if !strings.Contains(b.frame(), "could have written all tokens that way") {
		t.Errorf("no ✗ stands before token 9:\n%s", b.frame())
	}
	b.keys("]")
	wait("token 20 of the text", "◆ ␣told")

	// Neutral cuts nothing.
	if !b.m.Apply(sampling.Config{}.MustWith("top_k", 0, sampling.FromYou), -1, "", "all off") {
		t.Fatal("the settings were not taken")
	}
	wait("could have written all of it")
	if strings.Contains(b.frame(), "✗✗") {
		t.Errorf("a token is still cut:\n%s", b.frame())
	}
	for _, size := range [][2]int{{80, 24}, {60, 20}, {40, 12}, {200, 60}, {20, 5}} {
		b.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		if f := b.frame(); strings.Count(f, "\n") != size[1]-1 {
			t.Errorf("%v: %d lines", size, strings.Count(f, "\n")+1)
		}
	}
	b.send(tea.WindowSizeMsg{Width: 120, Height: 40})
	b.keys("m")
	wait("coloured by entropy")

	b.keys("down", "f")
	b.pump(func() bool { return b.m.screen.id == kit.ViewLab && b.m.Lane().View.Next != nil })
	l := b.m.Lane()
	if n := len(l.Prompt); n != 21 || strings.HasSuffix(l.Text, "told") || !strings.HasPrefix(l.Text, "Once upon a time there was a poor miller") {
		t.Errorf("f: prompt of %d tokens, %q", n, l.Text)
	}
	b.keys("R")
	b.typed(miller)
	b.keys("ctrl+d")
	wait("■ read")
	b.keys("end", "space")
	b.pump(func() bool { return b.m.screen.id == kit.ViewLab && b.m.Lane().View.Next != nil })
	if l := b.m.Lane(); l.Text != miller {
		t.Errorf("space: %q", l.Text)
	}
}

// A text longer than the context is read in windows, and says so; esc leaves
// the field, then the view.
func TestReadALongText(t *testing.T) {
	t.Parallel()
	b := newLanes(t, 120, 40, "chat")
	b.keys("R")
	if b.keys("ctrl+d"); !strings.Contains(b.frame(), "nothing to read yet") {
		t.Errorf("an empty text is read:\n%s", b.frame())
	}
	b.typed(strings.Repeat(miller+" ", 20))
	b.keys("ctrl+d")
	b.pump(func() bool { return strings.Contains(b.frame(), "read in 2 windows") })
	if f := b.frame(); !strings.Contains(f, "the context holds 512: read in ") {
		t.Errorf("windows are not said:\n%s", f)
	}
	if b.keys("end"); !strings.Contains(b.frame(), "token 761 ␣: ") {
		t.Errorf("end is not the last token:\n%s", b.frame())
	}
	b.keys("R", "esc")
	if !strings.Contains(b.frame(), "timeline") {
		t.Errorf("esc does not go back to the text:\n%s", b.frame())
	}
	if b.keys("esc"); b.m.screen.id != kit.ViewLab {
		t.Errorf("esc leaves %s", b.m.screen.id)
	}
}

// Responses that a server sent open as they were saved: rows of the tokens that
// the file names, no value where it has none, and no model to go on with.
func TestReadSavedResponses(t *testing.T) {
	t.Parallel()
	entry := func(token string, logprob float64) string {
		return fmt.Sprintf(`{"token": %q, "logprob": %v, "bytes": %s}`, token, logprob, strings.ReplaceAll(fmt.Sprint([]byte(token)), " ", ","))
	}
	token := func(token string, logprob float64, top ...string) string {
		return fmt.Sprintf(`%s, "top_logprobs": [%s]}`, strings.TrimSuffix(entry(token, logprob), "}"), strings.Join(top, ","))
	}
	choice := func(n int, text string, tokens ...string) string {
		return fmt.Sprintf(`{"index": %d, "message": {"role": "assistant", "content": %q}, "logprobs": {"content": [%s]}, "finish_reason": "stop"}`, n, text, strings.Join(tokens, ","))
	}
	file := `{"object": "chat.completion", "model": "some-4o", "choices": [` +
		choice(0, "Yes, indeed.", token("Yes", -0.3793786, entry("Yes", -0.3793786), entry("No", -1.8746432)), token(",", -9999, entry(" old", -1.268), entry(" it", -1.731)),
			token(" indeed", -1.2283599, entry(" red", -1.1), entry(" indeed", -1.2283599)), token(".", -0.7408528, entry(".", -0.7408528))) + "," +
		choice(1, "No", token("No", -2, entry("Yes", -0.4), entry("No", -2))) + `]}`
	name := filepath.Join(t.TempDir(), "saved.json")
	if err := os.WriteFile(name, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newLanes(t, 120, 40, "neutral watermark_bias=4")
	wait := func(words ...string) {
		t.Helper()
		b.pump(func() bool {
			f := b.frame()
			return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(f, w) })
		})
		for _, w := range words {
			if !strings.Contains(b.frame(), w) {
				t.Fatalf("want %q:\n%s", w, b.frame())
			}
		}
	}
	b.keys("R", "ctrl+o")
	b.typed(name)
	b.keys("enter")
	// Σ of −ln p is 2.3485913 over three tokens of 3, 7 and 1 bytes.
	wait("some-4o", "this file holds 2 rows a step", "4 tokens, 12 bytes", "1.13 bits a token · perplexity 2.19", "0.308 bits a byte", "best token in at least 1 of 3", "1 token without a value",
		"token 1 Yes: 0.55 bits, rank 1, 68.4% raw", "response 1 of 2")
	if f := b.frame(); strings.Contains(f, "green") || !strings.Contains(f, "81.7% under the settings, of those named") {
		t.Errorf("a watermark acts on ids that are made up:\n%s", f)
	}
	b.keys("right")
	wait("token 2 ,: the file has no value for it")
	b.keys("right")
	wait("token 3 ␣indeed: 1.77 bits, rank not known", "◆ ␣indeed", "␣red")
	b.keys("space")
	wait("the file has no model to go on with")
	// Settings act on what the file names.
	if !b.m.Apply(sampling.Config{}.MustWith("top_k", 1, sampling.FromYou), -1, "", "greedy") {
		t.Fatal("the settings were not taken")
	}
	wait("1 token it could never have", "cut by top_k")
	b.keys("tab")
	wait("response 2 of 2", "1 token, 2 bytes")
	for _, size := range [][2]int{{80, 24}, {40, 10}, {200, 60}, {20, 5}} {
		b.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		if f := b.frame(); strings.Count(f, "\n") != size[1]-1 {
			t.Errorf("%v: %d lines", size, strings.Count(f, "\n")+1)
		}
	}
	b.send(tea.WindowSizeMsg{Width: 120, Height: 40})
	b.keys("R")
	b.typed(miller)
	b.keys("ctrl+d")
	wait("fable", "bits a byte")
	if strings.Contains(b.frame(), "this file holds") {
		t.Errorf("a pasted text is taken for the file:\n%s", b.frame())
	}
}

// Under a watermark the timeline marks the green tokens, as many as the
// detector counts.
func TestReadMarksGreenTokens(t *testing.T) {
	t.Parallel()
	b := newLanes(t, 160, 40, "neutral watermark_bias=2")
	b.keys("R")
	b.typed(miller)
	b.keys("ctrl+d")
	b.pump(func() bool { return strings.Contains(b.frame(), "■ read") })
	l := b.m.Lane()
	m, err := l.Config.Watermark()
	if err != nil {
		t.Fatal(err)
	}
	d, err := m.Detect(l.Vocab().(interface {
		Encode(string, models.EncodeOptions) []int32
	}).Encode(miller, models.EncodeOptions{}), l.Model.Info().VocabSize, 0)
	if err != nil || d.Greens == 0 || d.Scored != 37 {
		t.Fatalf("%+v, %v", d, err)
	}
	want := fmt.Sprintf("watermark: %d of %d green, z %.2f", d.Greens, d.Scored, d.Z)
	if f := b.frame(); !strings.Contains(f, want) || strings.Count(f, "▒▒ ") != d.Greens {
		t.Errorf("%d marks, want %q:\n%s", strings.Count(f, "▒▒ "), want, f)
	}
}

// Of a file that names two tokens a step the rest of the model's mass has a
// line, and nothing is said of it that the file does not: neither the rank of a
// token that its list lacks, nor how many the model chose among.
func TestReadWhatAFileDoesNotName(t *testing.T) {
	t.Parallel()
	const file = `{"choices":[{"index":0,"message":{"role":"assistant","content":"Paris big"},"finish_reason":"stop","logprobs":{"content":[
{"token":"Paris","bytes":[80,97,114,105,115],"logprob":-0.9,"top_logprobs":[{"token":"Paris","bytes":[80,97,114,105,115],"logprob":-0.9},{"token":"Lyon","bytes":[76,121,111,110],"logprob":-1.6}]},
{"token":" big","bytes":[32,98,105,103],"logprob":-2.2,"top_logprobs":[{"token":" a","bytes":[32,97],"logprob":-1.2},{"token":" the","bytes":[32,116,104,101],"logprob":-1.3}]}]}}]}`
	name := filepath.Join(t.TempDir(), "two.json")
	if err := os.WriteFile(name, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, testOptions(t), 120, 40)
	b.keys("R", "ctrl+o")
	b.typed(name)
	b.keys("enter")
	b.pump(func() bool { return strings.Contains(b.frame(), "full bar") })
	// exp(-0.9) is 0.4066 and exp(-1.6) 0.2019: they leave 0.3915.
	for _, want := range []string{"#   token               raw    final  of those named", "not named         39.2%        –", "among at least 4", "best token in at least 1 of 2", "rank 1, 40.7% raw"} {
		b.has(want)
	}
	b.keys("right")
	b.pump(func() bool { return strings.Contains(b.frame(), "token 2 of the text · among") })
	for _, want := range []string{"rank not known, 11.1% raw", "– ◆ ␣big              11.1%", "not named         31.5%"} {
		b.has(want)
	}
	for size, want := range map[[2]int]string{{80, 24}: "Paste a text: it is read token by token, under the settings in force. ", {40, 12}: "Paste a text to read. "} {
		b.keys("R")
		b.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		b.has(want)
		b.keys("esc")
	}
}
