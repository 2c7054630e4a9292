package class

import (
	"errors"
	"sync"
	"time"

	"logitscope/engine/quiz"
	"logitscope/ui/tui"
	"logitscope/ui/tui/kit"
	"logitscope/viz"
)

// A Key is who somebody is: what a browser was given, the fingerprint of an
// SSH key, or something made for one connection.
type Key string

// What keeps somebody out, or a vote.
var (
	errFull      = errors.New("the class is full")
	errLocked    = errors.New("the class is locked: nobody new gets in")
	ErrEnded     = errors.New("the class has ended")
	errClosed    = errors.New("this question is closed")
	errAway      = errors.New("you are not in the class: load the page")
	errElsewhere = errors.New("you are here from another window; this one is closed")
)

// Options are the rules of a class.
type Options struct {
	Max       int  // most members here at a time
	FreeNames bool // members may choose their names
}

// seatsPerMember bounds how many seats are kept for those who left, for each
// that may be taken.
const seatsPerMember = 4

// countPause is the least time between two views that differ in counts alone.
const countPause = 200 * time.Millisecond

// A Hub is one class. All its methods may be called from anywhere.
type Hub struct {
	opt Options

	mu      sync.Mutex
	seats   map[Key]*member
	names   names
	here    int
	joins   []time.Time // within the last minute
	locked  bool
	ended   string
	scene   tui.Scene
	ballot  *ballot // open or last closed; nil for none
	asked   int     // questions, dropped ones too
	scored  int     // of them, those whose votes count
	watched watch
	seen    *viz.Canvas // newest picture of the lab that is watched
	desks   int         // changes in own labs
	own     *tui.Push   // what own labs are asked to show

	now     *View
	next    chan struct{} // closed when now is replaced
	flushed time.Time
	pending bool
}

// A member is one seat; the hub's lock guards it.
type member struct {
	key     Key
	name    string
	window  *tui.Window   // looked at; nil for a page
	gone    chan struct{} // closed when the seat is taken from its connection; nil while nobody is here
	left    time.Time
	active  time.Time  // when it last did anything
	guess   quiz.Guess // of the open question; nil for none
	book    quiz.Book
	answers []answer
	tasks   []bool // done, of the lesson in an own lab
}

// A View is what may be shown to everybody, at one moment. It is never
// changed.
type View struct {
	Scene  tui.Scene
	Poll   *Poll // nil before the first question
	Here   int
	Locked bool
	Ended  string    // why the class has ended; empty while it goes on
	Bring  *tui.Push // what own labs are asked to show; nil for nothing yet

	once             sync.Once // makes the events of the page
	room, step, poll string
}

// newHub returns a class without members.
func newHub(opt Options) *Hub {
	h := &Hub{opt: opt, seats: map[Key]*member{}, names: newNames()}
	h.now, h.next = &View{}, make(chan struct{})
	return h
}

// Now returns the newest view, and a channel that is closed as soon as there
// is a newer one.
func (h *Hub) Now() (*View, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now, h.next
}

// flush publishes a view. The lock is held.
func (h *Hub) flush() {
	h.flushed = time.Now()
	v := &View{Scene: h.scene, Here: h.here, Locked: h.locked, Ended: h.ended, Bring: h.own}
	if h.ballot != nil {
		v.Poll = h.ballot.poll(h.here)
	}
	h.now = v
	close(h.next)
	h.next = make(chan struct{})
}

// count publishes a view soon: counts that change in quick succession are
// shown together. The lock is held.
func (h *Hub) count() {
	if h.pending {
		return
	}
	h.pending = true
	time.AfterFunc(max(countPause-time.Since(h.flushed), 0), func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.pending = false
		h.flush()
	})
}

// Show publishes what the lab looks like now.
func (h *Hub) Show(s tui.Scene) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.scene = s
	h.flush()
}

// Windows are the windows that somebody looks at, most looked at first.
func (h *Hub) Windows() []tui.Window {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []*tui.Window
	for _, m := range h.seats {
		if m.gone != nil && m.window != nil {
			list = append(list, m.window)
		}
	}
	return inUse(list)
}

// Standing is how many are here, how many of them have voted, and whether the
// room is locked.
func (h *Hub) Standing() kit.Standing {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := kit.Standing{Here: h.here, Locked: h.locked, Joins: len(h.recent()), Desks: h.desks}
	if h.ballot != nil && h.ballot.open {
		s.Voted = h.ballot.voted
	}
	return s
}

// recent are the joins of the last minute. The lock is held.
func (h *Hub) recent() []time.Time {
	for len(h.joins) > 0 && time.Since(h.joins[0]) > time.Minute {
		h.joins = h.joins[1:]
	}
	return h.joins
}

// Lock keeps everybody out who is not in yet, or lets them in again.
func (h *Hub) Lock(on bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.locked = on
	h.flush()
}

// End ends the class; why is what everybody is told. Only the first counts.
func (h *Hub) End(why string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended == "" {
		h.ended = why
		h.flush()
	}
}

// Bring asks the own labs of all members to show p.
func (h *Hub) Bring(p tui.Push) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.own = &p
	h.flush()
}

// A Seat is one connection's hold on a member. The newest connection of a
// member has the seat; the older one finds it gone.
type Seat struct {
	hub  *Hub
	of   *member
	gone chan struct{}
}

// join gives a connection a seat: the one it had, if key was here before. w is
// what it looks at, nil for a page.
func (h *Hub) join(key Key, w *tui.Window) (*Seat, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := h.seats[key]
	switch {
	case h.ended != "":
		return nil, ErrEnded
	case m == nil && h.locked:
		return nil, errLocked
	case h.here >= h.opt.Max && (m == nil || m.gone == nil):
		return nil, errFull
	}
	if m == nil {
		if len(h.seats) >= seatsPerMember*h.opt.Max && !h.forgetOne() {
			return nil, errFull
		}
		m = &member{key: key, name: h.names.give()}
		h.seats[key] = m
		h.joins = append(h.recent(), time.Now())
	}
	if m.gone != nil {
		close(m.gone)
	} else {
		h.here++
	}
	m.gone, m.window, m.active = make(chan struct{}), w, time.Now()
	h.count()
	return &Seat{h, m, m.gone}, nil
}

// forgetOne gives up the seat of who left first, of those without an answer.
// The lock is held.
func (h *Hub) forgetOne() bool {
	var first *member
	for _, m := range h.seats {
		if m.gone == nil && m.guess == nil && len(m.answers) == 0 && (first == nil || m.left.Before(first.left)) {
			first = m
		}
	}
	if first == nil {
		return false
	}
	h.names.free(first.name)
	delete(h.seats, first.key)
	return true
}

// knows reports whether key has a seat.
func (h *Hub) knows(key Key) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.seats[key] != nil
}

// seat is the seat that a member has now, for what it does apart from its
// connection.
func (h *Hub) seat(key Key) (*Seat, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := h.seats[key]
	switch {
	case h.ended != "":
		return nil, ErrEnded
	case m == nil || m.gone == nil:
		return nil, errAway
	}
	m.active = time.Now()
	return &Seat{h, m, m.gone}, nil
}

// quiet is how long the member has done nothing.
func (s *Seat) quiet() time.Duration {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	return time.Since(s.of.active)
}

// Gone is closed when another connection took the seat.
func (s *Seat) Gone() <-chan struct{} { return s.gone }

// Leave gives the seat up; what was voted stays.
func (s *Seat) Leave() {
	h := s.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.of.gone != s.gone {
		return
	}
	s.of.gone, s.of.window, s.of.left = nil, nil, time.Now()
	h.here--
	h.count()
}

// Look says what the connection looks at now.
func (s *Seat) Look(w tui.Window) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	if s.of.gone == s.gone {
		s.of.window = &w
	}
}

// You is what a member may know of itself alone.
type You struct {
	Name      string
	Guess     quiz.Guess // of the question that is open or was last; nil for none
	Bits      float64    // what it cost, once the question is closed
	Questions int        // answered so far
	Mean      float64    // bits a question
}

// you returns what the member of s may know of itself.
func (s *Seat) you() You {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	return s.of.you(s.hub.ballot)
}

// you returns what m may know of itself; the lock is held.
func (m *member) you(b *ballot) You {
	y := You{Name: m.name, Questions: m.book.Questions(), Mean: m.book.Mean().Guess}
	switch {
	case b == nil:
	case b.open:
		y.Guess = m.guess
	case len(m.answers) > 0 && m.answers[len(m.answers)-1].question == b.n:
		a := m.answers[len(m.answers)-1]
		y.Guess, y.Bits = a.guess, a.bits
	}
	return y
}

// rename gives the member the name it chose.
func (s *Seat) rename(name string) error {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	if !s.hub.opt.FreeNames {
		return errGiven
	}
	if err := s.hub.names.swap(s.of.name, name); err != nil {
		return err
	}
	s.of.name = name
	s.hub.count() // so that its own page shows it
	return nil
}

// Done says which tasks of the lesson are done in the member's own lab.
func (s *Seat) Done(tasks []bool) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	s.of.tasks = append([]bool{}, tasks...)
	s.hub.desks++
}
