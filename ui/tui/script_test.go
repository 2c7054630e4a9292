package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"logitscope/ui/tui/run"
)

// A session is a script a session: commands on top, the frames they lead to below. Its
// lines are those of a [script.Player], and
//
//	long           leaves the session out of a short run
//	lanes P P …    opens compare on the story, a lane for each preset
//	frame NAME     compares the screen with the frame of that name
type session struct {
	lines  []string
	frames map[string]string
}

func readScript(t *testing.T, name string) session {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	s := session{frames: make(map[string]string)}
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

func (s session) write(t *testing.T, name string, order []string) {
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
	t.Parallel()
	files, err := filepath.Glob("testdata/scripts/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			s := readScript(t, file)
			b := newBench(t, withModels(testOptions(t)), 80, 24)
			b.m.Frugal, b.m.Pace = false, len(run.Paces)-1 // nobody watches
			var order []string
			verbs := map[string]func(string) error{
				"long": func(string) error {
					if testing.Short() {
						t.Skip("decodes thousands of tokens")
					}
					return nil
				},
				"lanes": func(rest string) error { b = newLanes(t, b.m.w, b.m.h, strings.Fields(rest)...); return nil },
				"frame": func(name string) error {
					got := b.settled()
					if *update {
						s.frames[name] = got
					}
					order = append(order, name)
					if want := s.frames[name]; got != want {
						t.Errorf("frame %s differs:\n%s", name, diff(got, want))
					}
					return nil
				},
			}
			for _, line := range s.lines {
				p := b.player()
				p.Verbs = verbs
				if err := p.Line(line); err != nil {
					t.Fatal(err)
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
