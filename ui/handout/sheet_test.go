package handout

import (
	"strings"
	"testing"
)

// What a lesson says is text on the page, whatever it says, and the answers
// stand only on the teacher's copy.
func TestSheet(t *testing.T) {
	const hostile = "</script><img src=x onerror=alert(1)> \u202e\x1b[31m"
	say := func(s string) []SheetBlock {
		return []SheetBlock{{SheetParagraph, s}, {SheetItem, s}, {SheetHeading, s}, {SheetCode, s + "\nsecond"}}
	}
	s := &Sheet{Title: hostile, Section: hostile, Minutes: 3, Intro: say(hostile), Tasks: []SheetTask{
		{
			Title: hostile, Text: say(hostile), Ask: hostile, Form: "choice", Because: "because it is", Goals: []string{hostile}, Hints: [][]SheetBlock{say("a hint")},
			Choices: []SheetChoice{{Text: hostile, Why: "why not"}, {Text: "b", Why: "why so", Right: true}}, Reveal: say("seen"), Notes: [][]SheetBlock{say("a note")}, Solution: []string{"set top_k=2"},
		},
		{Title: "two", Ask: "how much?", Form: "percent", Answer: "59.1%", Within: "5 points"},
	}}
	for _, answers := range []bool{false, true} {
		var b strings.Builder
		if err := s.writeHTML(&b, answers); err != nil {
			t.Fatal(err)
		}
		page := b.String()
		if strings.Contains(page, "<img") || strings.Contains(page, "</script>") || strings.ContainsAny(page, "\u202e\x1b") {
			t.Errorf("hostile text acts: %s", page)
		}
		for _, x := range []string{"a hint", "seen", "5 points", "second"} {
			if !strings.Contains(page, x) {
				t.Errorf("answers %v: no %q", answers, x)
			}
		}
		for _, x := range []string{"why not", "why so", " checked", "because it is", "a note", "set top_k=2", "59.1%", "<details open>"} {
			if strings.Contains(page, x) != answers {
				t.Errorf("answers %v: %q", answers, x)
			}
		}
	}
}
