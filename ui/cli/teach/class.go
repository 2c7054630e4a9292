package teach

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/spf13/cobra"

	"logitscope/engine"
	"logitscope/ui/class"
	"logitscope/ui/cli/console"
	"logitscope/ui/cli/screen"
	"logitscope/ui/cli/setup"
	"logitscope/ui/store"
	"logitscope/ui/tui"
	"logitscope/viz"
)

// A room is a class as flags ask for it.
type room struct {
	lab    *screen.Lab
	lesson string
	own    bool
	max    int
	ssh    string
	web    string
	code   string
	open   bool
	names  string
	csv    string
	notes  bool
}

// The most members that a class may be opened for, and frames a second that
// they get.
const (
	mostMembers  = 500
	studentsFPS  = 10
	shortestCode = 4
	longestCode  = 12
)

// How much garbage is let lie before it is collected, in percent of what is in
// use: frames for a hundred screens are garbage soon, and collecting them more
// often costs a few percent of a core.
const (
	usualGarbage = 100
	classGarbage = 30
)

// Class returns the command class.
func Class(sys console.System) *cobra.Command {
	var r room
	cmd := &cobra.Command{
		Use:   "class",
		Short: "the lab, shown to a class that votes on what comes next",
		Long: `Class opens the lab and shows it to a class in the same network: by a page for
phones and browsers, and over SSH. P asks what comes next; everybody puts ten chips
down; nobody sees a vote before the question is closed, and nobody ever sees a
single person's. Students look on; with --own each has a lab of their own over SSH.
They can do nothing else on this machine. See docs/class.md.

It listens only on this machine's address in its network, wants a code, and ends
with the program. ADDR is an address, a port, ADDRESS:PORT, or off.`,
		Example: `  logitscope class
  logitscope class --lesson temperature --own --notes
  logitscope class --ssh off --web 192.168.1.20:8000 --csv votes.csv`,
		Args: console.NoArgs,
	}
	r.lab = screen.Add(setup.Add(sys, cmd), cmd)
	r.lab.Rec = setup.AddRecord(cmd)
	f := cmd.Flags()
	f.StringVar(&r.lab.Cast, "cast", "", "also write what the screen shows to this file, as an asciicast")
	f.StringVar(&r.lesson, "lesson", "", "begin with this lesson: a name or a file")
	f.BoolVar(&r.own, "own", false, "students at a terminal have labs of their own")
	f.IntVar(&r.max, "max", 120, fmt.Sprintf("most students at a time, 1 to %d", mostMembers))
	f.StringVar(&r.ssh, "ssh", "", fmt.Sprintf("where SSH listens; port %d of this machine's address if empty", class.SSHPort))
	f.StringVar(&r.web, "web", "", fmt.Sprintf("where the page listens; port %d of this machine's address if empty", class.WebPort))
	f.StringVar(&r.code, "code", "", "the code of the class, 4 to 12 digits; made anew each time if empty")
	f.BoolVar(&r.open, "open", false, "let everybody in, without a code")
	f.StringVar(&r.names, "names", "given", "names of students: given, or free to choose")
	f.StringVar(&r.csv, "csv", "", "write names, questions, chips and scores to this file at the end; nothing is stored without it")
	console.Writes(f, "csv", "cast")
	f.BoolVar(&r.notes, "notes", false, "let the teacher read the lesson's notes in a second terminal")
	f.Lookup("fps").Usage = fmt.Sprintf("most frames a second, 1 to 60; students get %d at most", studentsFPS)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := r.check(); err != nil {
			return err
		}
		if err := r.lab.Rec.Check(); err != nil {
			return err
		}
		if r.lesson != "" {
			of, err := find(sys, r.lesson)
			if err != nil {
				return lessonFlag(r.lesson, err)
			}
			r.lab.Lesson = of
		}
		r.lab.With = r.begin
		return r.lab.Show(cmd.Context(), nil)
	}
	return cmd
}

// lessonFlag says in one line what is wrong with the lesson of a flag.
func lessonFlag(name string, err error) error {
	if first := viz.FirstLine(err.Error()); first != err.Error() {
		return console.Wrong("--lesson %s; logitscope lessons check %s lists all", first, name)
	}
	return console.Wrong("--lesson %w", err)
}

// check says what is wrong with the flags.
func (r *room) check() error {
	for _, door := range []struct{ flag, addr string }{{"ssh", r.ssh}, {"web", r.web}} {
		if door.addr == class.Off {
			continue
		}
		if _, err := class.ResolveAddress(door.flag, door.addr, 0); err != nil {
			return console.Wrong("%w", err)
		}
	}
	digits := true
	for _, c := range r.code {
		digits = digits && c >= '0' && c <= '9'
	}
	switch {
	case r.max < 1 || r.max > mostMembers:
		return console.Wrong("--max %d: 1 to %d", r.max, mostMembers)
	case r.code != "" && (!digits || len(r.code) < shortestCode || len(r.code) > longestCode):
		return console.Wrong("--code %s: want %d to %d digits", r.code, shortestCode, longestCode)
	case r.code != "" && r.open:
		return console.Wrong("--code and --open: a class has a code or none")
	case r.names != "given" && r.names != "free":
		return console.Wrong("--names %s: given or free", r.names)
	case r.own && r.ssh == class.Off:
		return console.Wrong("--own: labs of their own need --ssh; a page looks on")
	case r.notes && r.ssh == class.Off:
		return console.Wrong("--notes: notes are read over --ssh")
	case r.ssh == class.Off && r.web == class.Off:
		return console.Wrong("--ssh off --web off: nobody could join; the lab counts hands: P, then : count hands")
	}
	if r.csv != "" {
		if _, err := os.Lstat(r.csv); !errors.Is(err, fs.ErrNotExist) {
			return console.Wrong("--csv %s: is there already", r.csv)
		}
		// What cannot be written is known before the first vote, not after the last.
		probe, err := os.CreateTemp(filepath.Dir(r.csv), ".votes-*")
		if err != nil {
			return console.Wrong("--csv %w", console.FileError(r.csv, err))
		}
		probe.Close()
		os.Remove(probe.Name())
	}
	return nil
}

// begin opens the class around the lab, and returns what ends it.
func (r *room) begin(ctx context.Context, opt *tui.Options) (func() error, error) {
	sys := r.lab.Sys
	s := class.Setup{
		Options: class.Options{Max: r.max, FreeNames: r.names == "free"},
		SSH:     r.ssh, Web: r.web, Code: r.code, Anybody: r.open,
		StateDir: console.StateDir(sys), FPS: min(r.lab.FPS(), studentsFPS), Light: r.lab.Light(), Notes: r.notes,
	}
	if r.own {
		base, gate := *opt, engine.NewGate(1) // one core for all of them; the teacher's lane has its own
		s.Own = func(ctx context.Context, o class.Own) (class.Lab, error) {
			mine := base
			mine.Output = o.Output
			return tui.NewGuest(ctx, mine, tui.Window{W: o.W, H: o.H, Depth: o.Depth, ASCII: o.ASCII}, o.Dark, gate), nil
		}
	}
	c, err := class.Open(ctx, s)
	if err != nil {
		return nil, err
	}
	if old := debug.SetGCPercent(classGarbage); old != usualGarbage {
		debug.SetGCPercent(old) // GOGC was set
	}
	opt.Class, opt.Join = c, c.Card
	r.say(c)
	return func() error { return r.end(c) }, nil
}

// say prints what the card on the screen has as well, for when the lab is
// closed again.
func (r *room) say(c *class.Class) {
	w := r.lab.Sys.Out
	for _, line := range [][2]string{{"page", c.Card.Web}, {"SSH", c.Card.SSH}, {"code", c.Card.Code}, {"host key", c.Card.Fingerprint}, {"notes", c.Card.Notes}} {
		if line[1] != "" {
			fmt.Fprintf(w, "%-9s %s\n", line[0], line[1])
		}
	}
	if c.Card.Exposed {
		fmt.Fprintln(w, "every network of this machine can reach this class")
	}
}

// end ends the class and writes what was voted, where that was asked for.
func (r *room) end(c *class.Class) error {
	c.Close(class.ErrEnded.Error())
	if r.csv == "" {
		return nil
	}
	var b bytes.Buffer
	if err := c.WriteCSV(&b); err != nil {
		return err
	}
	if err := store.WriteFile(r.csv, b.Bytes(), false); err != nil {
		r.lab.Sys.Out.Write(b.Bytes()) // nothing is lost
		return fmt.Errorf("--csv %w; it is printed instead", console.FileError(r.csv, err))
	}
	return nil
}
