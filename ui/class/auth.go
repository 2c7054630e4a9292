package class

import (
	"io"
	"net"
	"sync"
	"time"

	"github.com/charmbracelet/ssh"
	gossh "golang.org/x/crypto/ssh"
)

// A caller is what is known of a connection.
type caller struct {
	conn  *visitor
	out   io.Writer // its terminal, once a session is open
	mu    sync.Mutex
	tried bool // the user name was taken for a code
	byUse bool // and was right
	tries int  // codes that were answered
	shown bool // a session was opened
}

type callerKey struct{}

// meet takes up a connection.
func (s *shell) meet(ctx ssh.Context, c net.Conn) net.Conn {
	v, ok := c.(*visitor)
	if !ok {
		return nil
	}
	ctx.SetValue(callerKey{}, &caller{conn: v})
	return c
}

func callerOf(ctx ssh.Context) *caller { return ctx.Value(callerKey{}).(*caller) }

// recovered keeps a fault in a callback of the library from ending the
// program.
func recovered() { _ = recover() }

// asUser takes the user name for the code, where it may be one. It is judged
// once a connection.
func (s *shell) asUser(ctx ssh.Context, c *caller) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.gate.code == "" {
		return true
	}
	if !c.tried && len(ctx.User()) == len(s.gate.code) {
		c.tried = true
		c.conn.SetDeadline(time.Now().Add(rowTime))
		c.byUse = s.gate.enter(ctx, ctx.RemoteAddr(), ctx.User()) == nil
	}
	return c.byUse
}

// byKey lets in who has a key and the code as user name, so that the key's
// owner keeps a seat; and the teacher.
func (s *shell) byKey(ctx ssh.Context, key ssh.PublicKey) bool {
	defer recovered()
	if ctx.User() == notesUser {
		return s.teacher != nil && ssh.KeysEqual(key, s.teacher)
	}
	return s.asUser(ctx, callerOf(ctx))
}

// byCode asks for the code, unless the user name was it.
func (s *shell) byCode(ctx ssh.Context, ask gossh.KeyboardInteractiveChallenge) bool {
	defer recovered()
	c := callerOf(ctx)
	if ctx.User() == notesUser {
		return false
	}
	if s.asUser(ctx, c) {
		return true
	}
	if c.tries++; c.tries > codeTries {
		return false
	}
	c.conn.SetDeadline(time.Now().Add(answerTime))
	answers, err := ask("logitscope class", "", []string{"code of the class: "}, []bool{true})
	if err != nil || len(answers) != 1 {
		return false
	}
	c.conn.SetDeadline(time.Now().Add(rowTime))
	return s.gate.enter(ctx, ctx.RemoteAddr(), answers[0]) == nil
}
