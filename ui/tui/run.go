package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
	"golang.org/x/term"

	"logitscope/ui/tui/disk"
	"logitscope/ui/tui/run"
	"logitscope/ui/tui/wire"
	"logitscope/viz"
)

// Run shows the lab until the user quits, ctx ends or the process is told to
// terminate. The terminal is restored in every case, a panic included, which
// Run returns as an error.
func Run(ctx context.Context, opt Options) error {
	keys := newKeymap(actions())
	door := doorOf(opt)
	opt.Problems = append(opt.Problems, loadKeys(keys, door)...)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	m := newModel(ctx, opt, door, paletteFor(opt), keys)
	defer func() {
		cancel()
		m.End()
	}()
	if err := m.prompts.Keep(door); err != nil {
		m.opt.Problems = append(m.opt.Problems, err)
	}
	door.Tidy(time.Now())
	// ctx ends with the signals. A handler of Bubble Tea's own would meet the
	// same signal and, if the loop has already ended, wait for it for ever.
	popts := []tea.ProgramOption{tea.WithAltScreen(), tea.WithContext(ctx), tea.WithoutSignalHandler()}
	if !opt.NoMouse {
		popts = append(popts, tea.WithMouseCellMotion())
	}
	if opt.Input != nil {
		popts = append(popts, tea.WithInput(opt.Input))
	}
	if m.opt.Output == nil {
		m.opt.Output = os.Stdout
	}
	line := wire.New(m.opt.Output, m.pal)
	defer line.Close()
	m.opt.Output = line // what is copied must not fall between two halves of a frame
	program := tea.NewProgram(painted{m, line}, append(popts, tea.WithOutput(line.Output()))...)
	defer readableDump(program.ReleaseTerminal)()
	_, err := program.Run()
	if errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil && !errors.Is(err, tea.ErrProgramPanic) {
		return ctx.Err()
	}
	for _, l := range m.All {
		var p *run.PanicError
		if errors.As(l.Ended, &p) {
			return fmt.Errorf("%w\n%s", p, p.Stack)
		}
	}
	return err
}

// A painted model shows its frames on a line of its own. What Bubble Tea would
// draw is nothing, so its renderer sends the terminal's modes alone.
type painted struct {
	*Model
	line *wire.Terminal
}

// Update takes a message, and shows the frame if it has changed.
func (p painted) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	_, cmd := p.Model.Update(msg)
	if p.dirty && p.w > 0 {
		p.dirty = false
		p.line.Show(p.draw(), byHand(msg))
	}
	return p, cmd
}

// View returns nothing: the frame is on its way.
func (p painted) View() string { return "" }

// byHand reports whether somebody waits for the answer to msg.
func byHand(msg tea.Msg) bool {
	switch msg.(type) {
	case tea.KeyMsg, tea.MouseMsg, tea.WindowSizeMsg:
		return true
	}
	return false
}

// paletteFor returns the palette for the terminal that opt describes.
func paletteFor(opt Options) *viz.Palette {
	env := environ(opt.Environ)
	out := opt.Output
	if out == nil {
		out = os.Stdout
	}
	term := env["TERM"]
	depth := viz.DepthOf(renderer(out, opt.Environ).ColorProfile())
	if opt.NoColor || env["NO_COLOR"] != "" {
		depth = viz.NoColors
	}
	if term == "dumb" {
		depth = viz.NoSGR
	}
	ascii := opt.ASCII || term == "linux" || term == "dumb"
	return viz.NewPalette(dark(opt.Theme, env["COLORFGBG"]), depth, ascii)
}

// renderer returns the lipgloss renderer of this program, which knows what
// colours the terminal has.
func renderer(out io.Writer, environ []string) *lipgloss.Renderer {
	if f, ok := out.(*os.File); environ == nil && ok && term.IsTerminal(int(f.Fd())) {
		// A terminal is one, whatever CI says about the machine.
		return lipgloss.NewRenderer(out, termenv.WithTTY(true))
	}
	if environ == nil {
		return lipgloss.NewRenderer(out)
	}
	return lipgloss.NewRenderer(out, termOptions(environ)...)
}

// dark decides between dark and light colours: as asked, else by COLORFGBG,
// else dark.
func dark(theme, colorfgbg string) bool {
	switch theme {
	case "dark":
		return true
	case "light":
		return false
	}
	i := strings.LastIndexByte(colorfgbg, ';')
	switch colorfgbg[i+1:] {
	case "7", "15":
		return false
	}
	return true
}

// environ returns the environment as a map.
func environ(list []string) map[string]string {
	if list == nil {
		list = os.Environ()
	}
	m := make(map[string]string, len(list))
	for _, s := range list {
		k, v, _ := strings.Cut(s, "=")
		m[k] = v
	}
	return m
}

// doorOf is the door to files that opt asks for.
func doorOf(opt Options) *disk.Door {
	if opt.Sealed {
		return nil
	}
	return disk.Open(opt.ConfigDir)
}

// loadKeys reads the user's file of keys, if there is one. What is wrong in it
// is left out and returned.
func loadKeys(k *keymap, door *disk.Door) []error {
	f, name, err := door.Keys()
	if err != nil {
		return []error{err}
	}
	if f == nil {
		return nil
	}
	defer f.Close()
	return k.rebind(f, name)
}
