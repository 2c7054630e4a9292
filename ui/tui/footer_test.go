package tui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"logitscope/engine"
	"logitscope/sampling"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/lab"
	"logitscope/ui/tui/run"
	"logitscope/viz"
)

// At the end of a text no view offers a key that only says that the text has
// ended, and the header of a search does not show the lane's own cache.
func TestFootersAtTheEnd(t *testing.T) {
	t.Parallel()
	for _, open := range []string{"", "z", "T", "C", "B", "S", "J"} {
		opt := withModels(testOptions(t))
		opt.Config = opt.Config.MustWith("max_new_tokens", 3, sampling.FromFlag)
		b := newBench(t, opt, 160, 45)
		b.m.Pace = len(run.Paces) - 1
		b.start(storyPrompt)
		if open != "B" && open != "S" {
			b.keys("space")
			b.wait(func(v engine.View) bool { return v.Phase == engine.Done })
		}
		if open != "" {
			b.keys(open)
		}
		switch open {
		case "B":
			b.beams(1)
		case "S":
			b.rounds(1)
		case "C":
			b.pump(func() bool { return b.m.All[1].View.Phase == engine.Done })
		}
		if open == "B" || open == "S" {
			if head, _, _ := strings.Cut(b.frame(), "\n"); strings.Contains(head, "kv ") {
				t.Errorf("%s: the header shows the lane's cache: %s", open, head)
			}
			b.keys("space")
			b.wait(func(v engine.View) bool { return v.Phase == engine.Done })
		}
		for _, s := range b.m.footerSpans(b.m.w, kit.ClassOf(b.m.w, b.m.h)) {
			if s.id == kit.ActRun || s.id == kit.ActNext {
				t.Errorf("%q: the footer offers %q", open, s.text)
			}
		}
		if open != "J" { // nothing is under a constraint there
			b.has("r again")
		}
	}
}

// The header of a lane that was copied does not pass off a token as the
// reading of its prompt.
func TestHeaderOfACopiedLane(t *testing.T) {
	t.Parallel()
	b := newBench(t, testOptions(t), 160, 45)
	b.start(storyPrompt)
	b.has("prefill 14 tok")
	b.keys("C")
	b.pump(func() bool { return b.m.All[1].View.Next != nil })
	b.keys("tab", "enter")
	if b.m.Lane() != b.m.All[1] {
		t.Fatal("the lab shows the first lane")
	}
	if strings.Contains(b.frame(), "prefill") {
		t.Errorf("the header of a copy: %s", strings.SplitN(b.frame(), "\n", 2)[0])
	}
}

// What does not fit is left out from the end, in whole sentences and clauses.
func TestCutSentence(t *testing.T) {
	t.Parallel()
	const s = "One two; three. Four five; six."
	for w, want := range map[int]string{31: s, 30: "One two; three.", 15: "One two; three.", 14: "One two", 7: "One two", 6: "One t…"} {
		if got := viz.CutSentence(s, w); got != want {
			t.Errorf("%d cells: %q, want %q", w, got, want)
		}
	}
}

// Every sentence that a key is answered with, and that a view has for a help
// line, fits the help line of a projector.
func TestAnswersFit(t *testing.T) {
	t.Parallel()
	var files []string
	err := filepath.WalkDir(".", func(name string, _ fs.DirEntry, err error) error {
		if filepath.Ext(name) == ".go" {
			files = append(files, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		fits := func(x ast.Expr) {
			text, literal := x.(*ast.BasicLit)
			if !literal {
				return
			}
			says, err := strconv.Unquote(text.Value)
			if err != nil {
				t.Fatal(err)
			}
			seen++
			for sentence := range strings.SplitAfterSeq(says, ". ") {
				if w := viz.Width(strings.TrimSpace(sentence)); w > 78 && !strings.Contains(sentence, " · ") {
					t.Errorf("%s: %d cells: %s", name, w, sentence)
				}
			}
		}
		helps := false
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				helps = n.Name.Name == "Help"
			case *ast.ReturnStmt:
				if helps && len(n.Results) > 0 {
					fits(n.Results[0])
				}
			case *ast.CallExpr:
				fun, ok := n.Fun.(*ast.SelectorExpr)
				if ok && len(n.Args) == 1 && (fun.Sel.Name == "Say" || fun.Sel.Name == "Complain") {
					fits(n.Args[0])
				}
			}
			return true
		})
	}
	if seen < 100 {
		t.Errorf("only %d sentences were found", seen)
	}
}

// The footer and the help line follow the focused pane: a key that they say
// steps turns no knob, and one that they say turns a knob does.
func TestFooterFollowsTheFocus(t *testing.T) {
	t.Parallel()
	states := map[string]func(b *bench){
		"paused": func(*bench) {}, "past": func(b *bench) { b.keys("b", "b") }, "zoomed": func(b *bench) { b.keys("z") },
		"what-if": func(b *bench) { b.keys("1", "4"); b.tuned() },
		"done":    func(b *bench) { b.m.Advance(-1); b.wait(func(v engine.View) bool { return v.Phase == engine.Done }) },
	}
	keys := map[string]string{"→": "right", "←": "left", "space": "space"}
	tried := 0
	for name, reach := range states {
		for _, size := range some([][2]int{{160, 45}, {120, 40}, {100, 30}, {80, 24}, {60, 18}, {40, 12}}, 2) {
			for p := lab.PaneText; p <= lab.PaneEntropy; p++ {
				opt := testOptions(t)
				opt.Config = opt.Config.MustWith("max_new_tokens", int64(4), sampling.FromFlag)
				b := newBench(t, opt, size[0], size[1])
				b.m.Pace = len(run.Paces) - 1
				b.start("Once upon a time")
				b.keys("n", "n")
				b.steps(2)
				b.m.lab.Focus = p
				b.m.lab.FocusShown()
				b.m.SelectKnob("temperature")
				reach(b)
				text, _ := b.m.helpLine(kit.ClassOf(b.m.w, b.m.h))
				offers := map[string]bool{} // key, and whether it turns a knob
				for key := range keys {
					if strings.Contains(text, key+" takes it") || strings.Contains(b.frame(), key+" look back") {
						offers[key] = false
					}
				}
				for _, s := range b.m.footerSpans(b.m.w, kit.ClassOf(b.m.w, b.m.h)) {
					switch key, word, _ := strings.Cut(s.text, " "); s.id {
					case kit.ActRight, kit.ActLeft:
						for _, k := range []string{"→", "←"} {
							if strings.Contains(key, k) {
								offers[k] = word == "change"
							}
						}
					case kit.ActNext, kit.ActBack:
						offers[key] = false
					}
				}
				for key, turns := range offers { // one of them: the others are of the state before
					tried++
					l := b.m.Lane()
					before, look, n := l.ShownConfig().Float("temperature"), l.Look.At, len(l.View.Steps)
					press := key
					if k, ok := keys[key]; ok {
						press = k
					}
					b.keys(press)
					after := b.m.Lane().ShownConfig().Float("temperature")
					as := before != after
					if !turns {
						as = before == after || l.Look.At != look // another step has settings of its own
					}
					if !as {
						t.Errorf("%s, %v, pane %d: %s is said to turn a knob: %v; temperature %v to %v, look %d, %d steps\n%s",
							name, size, b.m.lab.Focus, key, turns, before, after, look, n, b.frame())
					}
					break
				}
			}
		}
	}
	t.Logf("%d cases", tried)
	if tried < 60 {
		t.Errorf("only %d cases", tried)
	}
}

// While a text is written, space pauses in the zoomed pane too.
func TestZoomedFooterWhileRunning(t *testing.T) {
	t.Parallel()
	b := newBench(t, testOptions(t), 80, 24)
	b.start(storyPrompt)
	b.keys("z")
	b.has("space run")
	b.keys("space")
	b.wait(func(v engine.View) bool { return v.Phase == engine.Running })
	b.lacks("space run")
	b.has("space pause")
}
