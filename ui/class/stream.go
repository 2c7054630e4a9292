package class

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"logitscope/engine/quiz"
)

// A stream writes events to one browser. What has not changed is not sent
// again.
type stream struct {
	w    http.ResponseWriter
	out  *http.ResponseController
	hub  *Hub
	seat *Seat
	sent map[string]string // the last of each event
}

// run sends views until ctx ends, the class does, or the seat is lost.
func (st *stream) run(ctx context.Context) {
	st.sent = map[string]string{}
	opened := time.Now()
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		view, next := st.hub.Now()
		if why := st.over(view, opened); why != "" {
			st.send("end", encode(why))
			return
		}
		if !st.show(view) {
			return
		}
		select {
		case <-next:
		case <-beat.C: // a connection that is gone is found by writing to it
			if !st.send("beat", encode(time.Since(opened).Seconds())) {
				return
			}
		case <-st.seat.Gone():
			st.send("end", encode(errElsewhere.Error()))
			return
		case <-ctx.Done():
			if view, _ := st.hub.Now(); view.Ended != "" {
				st.send("end", encode(view.Ended))
			}
			return
		}
		select {
		case <-time.After(webPause):
		case <-ctx.Done():
		}
	}
}

// over says why the stream ends now; empty if it goes on.
func (st *stream) over(v *View, opened time.Time) string {
	switch {
	case v.Ended != "":
		return v.Ended
	case st.seat.quiet() > idleTime:
		return errQuiet.Error()
	case time.Since(opened) > longestStay:
		return errLong.Error()
	}
	return ""
}

// show sends what is new in a view.
func (st *stream) show(v *View) bool {
	room, step, poll := v.events()
	return st.send("room", room) && st.send("step", step) && st.sendPoll(v.Poll, poll) &&
		st.send("you", st.you(v)) && st.send("quiet", encode(st.seat.quiet() > idleWarning))
}

// you is what the browser may know of itself.
func (st *stream) you(v *View) string {
	y := st.seat.you()
	out := youEvent{Name: y.Name, Free: st.hub.opt.FreeNames, Chips: y.Guess, Bits: y.Bits, Mean: y.Mean}
	if v.Poll != nil && y.Guess != nil {
		out.Question = v.Poll.N
	}
	return encode(out)
}

// sendPoll sends a question, with how long it is open from now on.
func (st *stream) sendPoll(p *Poll, event string) bool {
	if st.sent["poll"] == event {
		return true
	}
	st.sent["poll"] = event
	if p != nil && p.Open && !p.Ends.IsZero() {
		left := max(time.Until(p.Ends).Milliseconds(), 0)
		out := pollOf(p)
		out.Left = &left
		event = encode(out)
	}
	return st.write("poll", event)
}

// send sends an event that differs from the last of its kind.
func (st *stream) send(name, event string) bool {
	if last, ok := st.sent[name]; ok && last == event {
		return true
	}
	st.sent[name] = event
	return st.write(name, event)
}

// write reports whether the browser took the event.
func (st *stream) write(name, event string) bool {
	if st.out.SetWriteDeadline(time.Now().Add(writeTime)) != nil {
		return false
	}
	if _, err := st.w.Write([]byte("event: " + name + "\ndata: " + event + "\n\n")); err != nil {
		return false
	}
	return st.out.Flush() == nil
}

// The events, as the page reads them.
type (
	roomEvent struct {
		Here int `json:"here"`
	}
	stepEvent struct {
		Text   string     `json:"text"`
		Title  string     `json:"title"`
		Hidden bool       `json:"hidden"`
		Rows   []rowEvent `json:"rows"`
	}
	rowEvent struct {
		Token  string  `json:"token"`
		Raw    float64 `json:"raw"`
		Final  float64 `json:"final"`
		Cut    bool    `json:"cut,omitempty"`
		Chosen bool    `json:"chosen,omitempty"`
	}
	pollEvent struct {
		N       int          `json:"n"`
		Context string       `json:"context"`
		Options []string     `json:"options"`
		Open    bool         `json:"open"`
		Here    int          `json:"here"`
		Voted   int          `json:"voted"`
		Left    *int64       `json:"left,omitempty"` // milliseconds
		Result  *resultEvent `json:"result,omitempty"`
	}
	resultEvent struct {
		Drawn int       `json:"drawn"`
		Law   []float64 `json:"law"`
		Held  []float64 `json:"held,omitempty"`
		Class float64   `json:"class"`
		Mean  float64   `json:"mean"`
		Model float64   `json:"model"`
		Floor float64   `json:"floor"`
		Blind float64   `json:"blind"`
	}
	youEvent struct {
		Name     string     `json:"name"`
		Free     bool       `json:"free,omitempty"` // the name may be changed
		Question int        `json:"question,omitempty"`
		Chips    quiz.Guess `json:"chips,omitempty"`
		Bits     float64    `json:"bits"`
		Mean     float64    `json:"mean"`
	}
)

// events are what everybody gets of a view, encoded once for all.
func (v *View) events() (room, step, poll string) {
	v.once.Do(func() {
		v.room = encode(roomEvent{v.Here})
		s := stepEvent{Text: v.Scene.Text, Title: v.Scene.Title, Hidden: v.Scene.Hidden, Rows: []rowEvent{}}
		for _, r := range v.Scene.Rows {
			s.Rows = append(s.Rows, rowEvent(r))
		}
		v.step, v.poll = encode(s), encode(pollOf(v.Poll))
	})
	return v.room, v.step, v.poll
}

func pollOf(p *Poll) *pollEvent {
	if p == nil {
		return nil
	}
	e := &pollEvent{N: p.N, Context: p.Context, Options: p.Options, Open: p.Open, Here: p.Here, Voted: p.Voted}
	if r := p.Result; r != nil {
		e.Result = &resultEvent{r.Drawn, r.Law, r.Held, r.Class, r.Mean, r.Model, r.Floor, r.Blind}
	}
	return e
}

// encode writes a value that always can be: no NaN is in it.
func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // of this request alone
	}
	return string(b)
}
