package engine

import (
	"fmt"
	"time"

	"logitscope/engine/phrases"
	"logitscope/engine/speculative"
	"logitscope/models"
	"logitscope/sampling"
	"logitscope/sampling/luck"
)

// prefillChunk is how many tokens a lane gives the model at once while it
// reads a prompt: commands are taken and progress is shown between chunks.
const prefillChunk = 128

// Options are what a lane can be told at birth. The zero value is usable.
type Options struct {
	Draft        Draft          // proposes tokens for speculative decoding
	LogitsBudget int64          // bytes of raw rows to keep; 0 means 96 MiB
	Memory       *Budget        // of rows and traces, shared with other lanes, in place of LogitsBudget; may be nil
	TraceWindow  int            // steps that keep their trace; 0 means 16,384
	Gate         *Gate          // shares the cores among lanes; nil for a lane alone
	Rows         int            // tokens that a row should name at least, where fewer would decide the step; 0 leaves it to the lane
	Greedy       bool           // beam search follows the greedy text as well, for contrast: one more row a step
	Session      models.Session // a session to start from instead of a new one; the lane closes it
	Cached       []int32        // the tokens Session holds
}

// A Lane decodes one sequence. Its methods may be called from any goroutine.
type Lane struct {
	id    int
	model models.Model
	opt   Options
	inbox inbox
	views chan View // holds at most the newest view
	watch watchers

	// Everything below belongs to the goroutine in Run.

	cache    cache
	beside   beside        // the second session, where a stage weighs two rows
	intact   beside        // the whole model's session, while parts of it are off
	said     phrases.Watch // what banned phrases have taken back
	settings *Settings
	text     string
	turns    []models.Message // for a server that wraps conversations itself
	prompt   []int32
	steps    []*Step // append-only: views hold prefixes of it
	pending  []*Step // the proposal: one step, or the tokens of a round
	tokens   []int32 // prompt and steps as the model sees them
	written  []byte  // the text of the steps
	stopAt   int     // byte of written where a stop string begins, -1 if none
	whole    bool    // the constraint allows nothing more
	looped   bool    // the text repeats itself; see settle

	until     Until // what stops it; its zero value is nothing
	budget    int   // tokens still to commit; negative means no limit
	every     time.Duration
	last      time.Time // of the last commit
	pins      []int32
	cancelled bool // reading the prompt was stopped
	full      bool // the context has no room for the next token
	narrowed  bool // the proposal's row names the most probable tokens only, though all can be had
	err       error

	feed      *feed // of a server that chooses by itself; nil for every other model
	strategy  strategy
	search    search               // beams or contrastive search; nil when tokens are drawn
	decoder   *speculative.Decoder // nil until a round was asked for
	drafted   *speculative.View
	tuned     *Settings // what decoder was told
	algorithm speculative.Algorithm

	prefill, decode Timing
	forwarded       int64
	rate            rate
	looked          *Step
	looking         int

	waiting []chan<- View // for the lane to settle

	width   width
	memory  memory
	scratch sampling.Scratch
	mt      luck.MT // for draws to come
}

// NewLane returns an idle lane on m. It does nothing until [Lane.Run].
func NewLane(id int, m models.Model, opt Options) *Lane {
	return &Lane{
		id: id, model: m, opt: opt,
		inbox:  newInbox(),
		views:  make(chan View, 1),
		stopAt: -1,
		memory: newMemory(opt),
	}
}

// Post queues a command. It never blocks, so it may be called from a Bubble
// Tea Update.
func (l *Lane) Post(c Command) { l.inbox.put(c) }

// Views delivers the lane's state. The channel holds only the newest view: a
// slow reader skips old ones and misses nothing, since each view contains all
// that came before. It is closed when Run returns.
func (l *Lane) Views() <-chan View { return l.views }

// left returns how many tokens may still come after n steps.
func (l *Lane) left(n int) int {
	left := l.settings.left(len(l.prompt), n, l.model.Info().ContextLen)
	return min(left, l.settings.limit-n-l.said.Taken) // tokens taken back are not given back
}

// left returns how many tokens may still come after a prompt and n tokens, in
// a context of that many tokens; 0 is no limit.
func (s *Settings) left(prompt, n, context int) int {
	left := s.limit - n
	if context > 0 {
		// The last token need not fit: nothing follows it.
		left = min(left, context+1-prompt-n)
	}
	return left
}

// fail ends the lane at the step it was about to make. Start and Rewind bring
// it back.
func (l *Lane) fail(err error) {
	n := len(l.steps)
	if l.search != nil {
		n = l.search.steps()
	}
	l.err = fmt.Errorf("step %d: %w", n+1, err)
	l.pending, l.budget = nil, 0
}

// commit writes steps. Those after the first that ends the text are dropped.
func (l *Lane) commit(steps ...*Step) {
	l.pending = nil
	for _, s := range steps {
		l.steps = append(l.steps, s)
		l.append(s)
		l.settle()
		l.memory.add(s)
		if l.repent() || l.ended() != "" {
			break
		}
	}
	l.last = time.Now()
	if l.budget > 0 {
		l.budget--
	}
	if l.ended() != "" {
		l.budget = 0
	}
	l.steps = l.memory.evict(l.steps)
}

// append adds the token of s to what is derived from the steps.
func (l *Lane) append(s *Step) {
	l.tokens = append(l.tokens, s.Token)
	l.write(s)
}

// write adds the token of s to the text.
func (l *Lane) write(s *Step) {
	old := len(l.written)
	if !s.Settings.Ends(s.Token) {
		l.written = appendPiece(l.written, l.model.Vocab(), s.Token)
	}
	if l.stopAt < 0 {
		l.stopAt = l.settings.stopper.find(l.written, old)
	}
}

// settle finds out whether the constraint in force next allows nothing more,
// and whether the text repeats itself.
func (l *Lane) settle() {
	l.whole, l.looped = false, false
	n := len(l.steps)
	if n == 0 || l.settings == nil {
		return
	}
	if l.settings.repetition.On() && n >= l.settings.Config().Int("min_new_tokens") {
		_, l.looped = l.settings.repetition.Ends(l.tokens[len(l.prompt):])
	}
	last := l.steps[n-1]
	next, err := l.settings.under(l.settings.schedule.before(stepInput{output: l.tokens[len(l.prompt):], before: last}))
	if err == nil && next.constraint != nil && last.after.of == next.constraint {
		l.whole = last.after.complete()
	}
}

// ended returns why the text has ended, or "".
func (l *Lane) ended() Reason {
	n := len(l.steps)
	switch {
	case l.full:
		return ContextFull
	case l.search != nil:
		return l.search.ended()
	case l.feed.ended() != "" && len(l.pending) == 0:
		return l.feed.ended()
	case n == 0:
		return ""
	case l.settings.Ends(l.steps[n-1].Token):
		return EOS
	case l.whole:
		return Constraint
	case l.stopAt >= 0:
		return Stop
	case n+l.said.Taken >= l.settings.limit:
		return Length
	case l.looped:
		return Repetition
	}
	return ""
}

// publish makes the lane's state the newest view, and returns it.
func (l *Lane) publish() View {
	v := l.view()
	select {
	case <-l.views: // replace the view nobody has read yet
	default:
	}
	l.views <- v // cannot block: we are the only sender and the buffer is empty
	l.watch.tell(v)
	return v
}

// view returns the lane's state.
func (l *Lane) view() View {
	v := View{
		Lane: l.id, Err: l.err, Settings: l.settings,
		PromptText: l.text, Prompt: l.prompt,
		Steps:   l.steps[:len(l.steps):len(l.steps)],
		Written: l.written[:len(l.written):len(l.written)],
		StopAt:  l.stopAt, Prefill: l.prefill, Decode: l.decode,
		KV: l.cache.size(), Looked: l.looked, Looking: l.looking, Off: l.off(),
		ForwardPositions: l.forwarded,
	}
	if !l.model.Info().Caps.Recorded {
		v.Rate = l.rate.perSecond()
	}
	v.unsaid, v.heldSteps = l.unsaid()
	if len(l.pending) > 0 {
		v.Next = l.pending[0]
	}
	if l.search != nil {
		l.search.show(&v)
	}
	if l.settings != nil && l.drafting() {
		v.Draft = l.drafted
	}
	switch {
	case l.err != nil:
		v.Phase = Failed
	case l.settings == nil:
		v.Phase = Idle
	case l.ended() != "":
		v.Phase, v.Reason = Done, l.ended()
	case l.cancelled:
		v.Phase = Paused
	case len(l.pending) == 0 && len(l.steps) == 0 && l.search == nil:
		v.Phase = Prefill
	case l.budget == 0:
		v.Phase = Paused
	default:
		v.Phase = Running
	}
	return v
}
