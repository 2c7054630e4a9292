package class

import (
	"container/list"
	"context"
	"maps"
	"net"
	"slices"
	"sync"
	"time"
)

// A doorway is a listener that bounds who stands in it: connections that have
// not got in yet. They have a deadline, and where there are too many the
// oldest gives way, so that a flood of them keeps nobody out who has the code.
// All that came in are bounded as well; beyond that nobody is taken.
type doorway struct {
	net.Listener
	most    int // at a time, standing or in
	half    int // of them, standing
	timeout time.Duration

	mu       sync.Mutex
	standing list.List             // of *visitor, oldest first
	all      map[*visitor]struct{} // standing or in
	empty    chan struct{}         // nil while it is open; closed once all have gone
}

// A visitor is a connection in a doorway.
type visitor struct {
	net.Conn
	of *doorway
	at *list.Element // nil once it is in; the doorway's lock guards it

	once sync.Once
}

// Accept waits for the next connection that there is room for.
func (d *doorway) Accept() (net.Conn, error) {
	for {
		c, err := d.Listener.Accept()
		if err != nil {
			return nil, err
		}
		v, old := d.take(c)
		if old != nil {
			old.Close()
		}
		if v == nil {
			c.Close()
			continue
		}
		return v, nil
	}
}

// take makes room for c; v is nil if there is none. old must be closed.
func (d *doorway) take(c net.Conn) (v, old *visitor) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.empty != nil {
		return nil, nil
	}
	if d.standing.Len() > 0 && (d.standing.Len() >= d.half || len(d.all) >= d.most) {
		old = d.standing.Front().Value.(*visitor)
		d.pass(old)
	} else if len(d.all) >= d.most {
		return nil, nil
	}
	if err := c.SetDeadline(time.Now().Add(d.timeout)); err != nil {
		return nil, old
	}
	v = &visitor{Conn: c, of: d}
	v.at = d.standing.PushBack(v)
	if d.all == nil {
		d.all = make(map[*visitor]struct{})
	}
	d.all[v] = struct{}{}
	return v, old
}

// shut takes nobody any more. Those who stand are sent away; those who are in
// have until ctx ends to go by themselves. Nobody is left when it returns.
func (d *doorway) shut(ctx context.Context) {
	d.Listener.Close()
	d.mu.Lock()
	d.empty = make(chan struct{})
	d.emptied()
	out := make([]*visitor, 0, d.standing.Len())
	for e := d.standing.Front(); e != nil; e = e.Next() {
		out = append(out, e.Value.(*visitor))
	}
	d.mu.Unlock()
	for _, v := range out {
		v.Close()
	}
	select {
	case <-d.empty:
		return
	case <-ctx.Done():
	}
	d.mu.Lock()
	out = slices.AppendSeq(out[:0], maps.Keys(d.all))
	d.mu.Unlock()
	for _, v := range out {
		v.Close()
	}
}

// emptied tells shut once nobody is left. The lock is held.
func (d *doorway) emptied() {
	if d.empty != nil && len(d.all) == 0 {
		close(d.empty)
	}
}

// pass takes v out of those who stand. The lock is held.
func (d *doorway) pass(v *visitor) bool {
	if v.at == nil {
		return false
	}
	d.standing.Remove(v.at)
	v.at = nil
	return true
}

// enter lets the visitor in: its deadline is gone.
func (v *visitor) enter() {
	if v.come() {
		v.SetDeadline(time.Time{})
	}
}

// come lets the visitor in, whose deadlines are set by who serves it. It
// reports whether it stood in the doorway until now.
func (v *visitor) come() bool {
	v.of.mu.Lock()
	defer v.of.mu.Unlock()
	return v.of.pass(v)
}

// Close closes the connection and gives its place up.
func (v *visitor) Close() error {
	v.once.Do(func() {
		v.of.mu.Lock()
		defer v.of.mu.Unlock()
		v.of.pass(v)
		delete(v.of.all, v)
		v.of.emptied()
	})
	return v.Conn.Close()
}
