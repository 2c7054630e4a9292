package class

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// Guessing the code is slowed down by address: after [freely] wrong codes
// within [guessSpan] an address has its answers taken one each turn, a second
// for a code of four digits and a tenth of that for each digit more: so much
// the less a guess is worth. The right ones among them get in: a school is one
// address, and nobody is locked out by a neighbour.
const (
	freely     = 20
	guessSpan  = time.Minute
	longTurn   = time.Second
	longestRow = 30 // answers that wait for their turn; more are refused unread
	addresses  = 4096

	rowTime = longestRow*longTurn + handshakeTime // for an answer to be taken
)

var (
	errCode = errors.New("wrong code")
	errBusy = errors.New("too many wrong codes from here; try again in some seconds")
)

// A gate takes the class's code.
type gate struct {
	code string // empty lets everybody in
	turn time.Duration

	mu   sync.Mutex
	from map[netip.Addr]*guesses
}

// guesses are what one address tried.
type guesses struct {
	wrong []time.Time // the last ones, freely at most
	next  time.Time   // when the next answer in turn is taken; before it those in the row are
}

// newCode returns four digits that nobody can foresee.
func newCode() (string, error) {
	n, err := rand.Int(rand.Reader, big.NewInt(10_000))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%04d", n), nil
}

func newGate(code string) *gate {
	g := &gate{code: code, turn: longTurn, from: map[netip.Addr]*guesses{}}
	for range len(code) - 4 {
		g.turn /= 10
	}
	return g
}

// enter takes an answer from an address, waiting for its turn where there were
// too many wrong ones. It returns nil for the right code.
func (g *gate) enter(ctx context.Context, from net.Addr, answer string) error {
	if g.code == "" {
		return nil
	}
	if strings.ContainsFunc(answer, notDigit) {
		return errCode // a login name or a browser's icon, not a guess
	}
	who := addressOf(from)
	wait, err := g.line(who)
	if err != nil {
		return err
	}
	if wait > 0 {
		t := time.NewTimer(wait)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if subtle.ConstantTimeCompare([]byte(answer), []byte(g.code)) == 1 {
		return nil
	}
	g.mistake(who)
	return errCode
}

func notDigit(r rune) bool { return r < '0' || r > '9' }

// line puts an answer in the row of its address and returns how long it waits
// there. Who gives up keeps the place until its turn has passed: the row is
// never longer for it.
func (g *gate) line(who netip.Addr) (time.Duration, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f, now := g.from[who], time.Now()
	if f == nil || len(f.wrong) < freely || now.Sub(f.wrong[0]) > guessSpan {
		return 0, nil
	}
	if f.next.Before(now) {
		f.next = now
	}
	if f.next.Sub(now) > (longestRow-1)*g.turn {
		return 0, errBusy
	}
	f.next = f.next.Add(g.turn)
	return f.next.Sub(now), nil
}

// mistake puts a wrong code down.
func (g *gate) mistake(who netip.Addr) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	f := g.from[who]
	if f == nil {
		if len(g.from) >= addresses {
			g.forget(now)
		}
		f = &guesses{}
		g.from[who] = f
	}
	f.wrong = append(f.wrong, now)
	if len(f.wrong) > freely {
		f.wrong = f.wrong[1:]
	}
}

// forget drops addresses without a recent mistake, all that do not wait if
// there is none of those.
func (g *gate) forget(now time.Time) {
	for _, span := range []time.Duration{guessSpan, 0} {
		for who, f := range g.from {
			if !f.next.After(now) && now.Sub(f.wrong[len(f.wrong)-1]) >= span {
				delete(g.from, who)
			}
		}
		if len(g.from) < addresses {
			return
		}
	}
}

// addressOf is the address that mistakes are counted for: of IPv6 the network,
// since a host has as many addresses there as it likes.
func addressOf(a net.Addr) netip.Addr {
	if a == nil {
		return netip.Addr{}
	}
	ap, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return netip.Addr{}
	}
	ip := ap.Addr().Unmap()
	if ip.Is6() {
		p, err := ip.Prefix(64)
		if err == nil {
			return p.Addr()
		}
	}
	return ip
}
