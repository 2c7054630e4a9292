package class

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"

	gossh "golang.org/x/crypto/ssh"

	"logitscope/ui/tui/join"
)

// Off turns a server off, as an address.
const Off = "off"

// A Setup says how a class is run.
type Setup struct {
	Options
	SSH, Web string                                  // addresses; see [ResolveAddress]; [Off] for none
	Code     string                                  // empty makes one
	Anybody  bool                                    // no code
	StateDir string                                  // where the keys are kept
	FPS      int                                     // most frames a second to a terminal
	Light    bool                                    // terminals are drawn for a light background
	Notes    bool                                    // the teacher may read notes in a second terminal
	Own      func(context.Context, Own) (Lab, error) // makes an own lab; nil to look on
}

// A Class is a hub with its servers.
type Class struct {
	*Hub
	Card join.Card

	end   context.CancelFunc
	shell *shell
	web   *http.Server
	doors []*doorway
	done  []chan struct{}
}

// Open starts the servers of a class. It ends with ctx, or with Close.
func Open(ctx context.Context, s Setup) (c *Class, err error) {
	code := s.Code
	switch {
	case s.Anybody:
		code = ""
	case code == "":
		if code, err = newCode(); err != nil {
			return nil, err
		}
	}
	if s.SSH == Off && s.Web == Off {
		return nil, errors.New("class: --ssh off --web off leaves no way in; count hands in the lab instead: P, then : count hands")
	}
	c = &Class{Hub: newHub(s.Options)}
	c.Card.Code = code
	ctx, c.end = context.WithCancel(ctx)
	defer func() {
		if err != nil {
			c.Close("the class did not start")
			c = nil
		}
	}()
	g := newGate(code)
	if s.SSH != Off {
		if err := c.openShell(ctx, s, g); err != nil {
			return c, err
		}
	}
	if s.Web != Off {
		if err := c.openSite(ctx, s, g); err != nil {
			return c, err
		}
	}
	return c, nil
}

// listen opens the port of a doorway for most connections, half of them those
// that are not let in yet.
func (c *Class) listen(flag, addr string, port, most, half int) (*doorway, Address, error) {
	a, err := ResolveAddress(flag, addr, port)
	if err != nil {
		return nil, a, err
	}
	l, err := net.Listen("tcp", a.Listen)
	if err != nil {
		return nil, a, fmt.Errorf("--%s: %w; --%s ADDRESS:PORT names another place", flag, err, flag)
	}
	c.Card.Exposed = c.Card.Exposed || a.All
	if _, p, err := net.SplitHostPort(l.Addr().String()); err == nil { // port 0 becomes a real one
		if host, _, err := net.SplitHostPort(a.Shown); err == nil {
			a.Shown = net.JoinHostPort(host, p)
		}
	}
	d := &doorway{Listener: l, most: most, half: half, timeout: handshakeTime}
	c.doors = append(c.doors, d)
	return d, a, nil
}

func (c *Class) openShell(ctx context.Context, s Setup, g *gate) error {
	host, err := keyIn(s.StateDir, hostKeyFile)
	if err != nil {
		return err
	}
	sh := shell{hub: c.Hub, gate: g, fps: s.FPS, dark: !s.Light, screens: screens{student: newStudent(c.Hub)}}
	if s.Own != nil {
		sh.screens.student = newOwner(c.Hub, s.Own)
	}
	var teacher string
	if s.Notes {
		key, err := keyIn(s.StateDir, teacherKeyFile)
		if err != nil {
			return err
		}
		sh.teacher, teacher = key.PublicKey(), s.StateDir
		sh.screens.notes = newNotes(c.Hub)
	}
	d, a, err := c.listen("ssh", s.SSH, SSHPort, 4*s.Max+64, 2*s.Max)
	if err != nil {
		return err
	}
	sh.door = d
	if c.shell, err = newShell(ctx, sh, host); err != nil {
		return err
	}
	ip, port, _ := net.SplitHostPort(a.Shown)
	c.Card.SSH = fmt.Sprintf("ssh -p %s %s", port, ip)
	c.Card.Fingerprint = gossh.FingerprintSHA256(host.PublicKey())
	if teacher != "" {
		c.Card.Notes = fmt.Sprintf("ssh -p %s -o IdentitiesOnly=yes -i %s %s@%s", port, quoted(filepath.Join(teacher, teacherKeyFile)), notesUser, ip)
	}
	c.serve(func() { c.shell.srv.Serve(d) })
	return nil
}

func (c *Class) openSite(ctx context.Context, s Setup, g *gate) error {
	// A browser keeps a stream, and asks beside it.
	d, a, err := c.listen("web", s.Web, WebPort, 6*s.Max+64, 2*s.Max)
	if err != nil {
		return err
	}
	c.web = newSite(ctx, c.Hub, g, a.Shown).server()
	c.Card.Web = "http://" + a.Shown + "/" + g.code
	c.serve(func() { c.web.Serve(d) })
	return nil
}

func (c *Class) serve(f func()) {
	done := make(chan struct{})
	c.done = append(c.done, done)
	go func() {
		defer close(done)
		f()
	}()
}

// Close ends the class: everybody is told why, terminals are restored, and
// nothing listens any more when it returns.
func (c *Class) Close(why string) {
	c.End(why)
	c.end()
	for _, d := range c.doors {
		d.Close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), closingTime)
	defer cancel()
	if c.web != nil {
		if c.web.Shutdown(ctx) != nil {
			c.web.Close()
		}
	}
	if c.shell != nil {
		// The library's Shutdown would miss a connection that is just coming in.
		c.shell.door.shut(ctx)
		c.shell.srv.Close()
	}
	for _, d := range c.done {
		<-d
	}
}

// quoted is a path as a shell reads it.
func quoted(path string) string {
	if strings.ContainsAny(path, " '\"\\$`&;()<>|*?[]#~!") {
		return strconv.Quote(path)
	}
	return path
}
