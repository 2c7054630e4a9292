package tui

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/engine"
)

// A script is a session: commands on top, the frames they lead to below.
// Lines of commands are
//
//	size W H       the window
//	start TEXT     reads a prompt; \n is a newline
//	keys K K …     presses keys
//	type TEXT      types a text
//	lanes P P …    opens compare on the story, a lane for each preset
//	steps N        waits until N tokens are written
//	beams N        waits until a beam search has taken N steps
//	rounds N       waits until N speculative rounds are drafted
//	together N     waits until every lane has N tokens
//	done           waits until the text has ended
//	frame NAME     compares the screen with the frame of that name
type script struct {
	lines  []string
	frames map[string]string
}

func readScript(t *testing.T, name string) script {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	s := script{frames: make(map[string]string)}
	now := ""
	for _, line := range strings.Split(strings.TrimSuffix(string(b), "\n"), "\n") {
		if strings.HasPrefix(line, "-- ") && strings.HasSuffix(line, " --") {
			now = line[3 : len(line)-3]
			continue
		}
		if now == "" {
			s.lines = append(s.lines, line)
			continue
		}
		s.frames[now] += line + "\n"
	}
	return s
}

func (s script) write(t *testing.T, name string, order []string) {
	t.Helper()
	out := strings.Join(s.lines, "\n") + "\n"
	for _, n := range order {
		out += "-- " + n + " --\n" + s.frames[n]
	}
	if err := os.WriteFile(name, []byte(out), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/scripts/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			s := readScript(t, file)
			b := newBench(t, withModels(testOptions(t)), 80, 24)
			var order []string
			for _, line := range s.lines {
				word, rest, _ := strings.Cut(line, " ")
				f := strings.Fields(rest)
				switch word {
				case "", "#":
				case "size":
					w, _ := strconv.Atoi(f[0])
					h, _ := strconv.Atoi(f[1])
					b.send(tea.WindowSizeMsg{Width: w, Height: h})
				case "start":
					b.start(strings.ReplaceAll(rest, `\n`, "\n"))
				case "keys":
					b.keys(f...)
				case "type":
					b.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(rest)})
				case "steps":
					n, _ := strconv.Atoi(rest)
					b.steps(n)
				case "beams":
					n, _ := strconv.Atoi(rest)
					b.beams(n)
				case "rounds":
					n, _ := strconv.Atoi(rest)
					b.rounds(n)
				case "tuned":
					b.wait(func(v engine.View) bool { return v.Next != nil && v.Next.Settings == b.m.Lane().Settings })
				case "lanes":
					b = newLanes(t, b.m.w, b.m.h, f...)
				case "together":
					n, _ := strconv.Atoi(rest)
					b.together(n)
				case "done":
					b.wait(func(v engine.View) bool { return v.Phase == engine.Done })
				case "frame":
					got := b.settled()
					if *update {
						s.frames[rest] = got
					}
					order = append(order, rest)
					if want := s.frames[rest]; got != want {
						t.Errorf("frame %s differs:\n%s", rest, diff(got, want))
					}
				default:
					t.Fatalf("%s: no command %q", file, word)
				}
			}
			if *update {
				s.write(t, file, order)
			}
		})
	}
}

// settled returns the screen once no computation is on its way, without the
// blanks at the ends of lines.
func (b *bench) settled() string {
	b.run(b.m.WantEffect())
	var out strings.Builder
	for _, line := range strings.Split(b.frame(), "\n") {
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return out.String()
}
