package engine

import (
	"time"

	"logitscope/engine/beam"
	"logitscope/engine/contrastive"
	"logitscope/engine/schedule"
	"logitscope/engine/speculative"
	"logitscope/sampling"
)

// A Step is one token and the record of how it was chosen. A Step does not
// change once it is in a [View].
type Step struct {
	Index    int           // from 1
	Pos      int           // position of Token in the whole sequence, prompt included, from 0
	Token    int32         // the token written, or proposed
	Forced   bool          // picked by the user, not drawn
	Drawn    int32         // where Forced, the token that would have been chosen
	Observed bool          // chosen by the server, which the settings here cannot change; the trace is a what-if
	Settings *Settings     // in force for this step: where a schedule holds, what it makes of the lane's
	Took     time.Duration // forward pass that produced its logits

	// Trace explains the choice. It is nil for a step beyond the memory
	// window; Summary stays.
	Trace   *sampling.Trace
	Summary Summary

	// Off is what the row was made without, and Whole what the whole model's
	// law would be; nil for a row of the whole model.
	Off   *Off
	Whole *WholeLaw

	// Row is the raw row of logits the step was chosen from, nil beyond the
	// memory window. Not to be modified.
	Row *Row

	// Inexact are the settings whose effect on this row is not known to be
	// what it would be on the whole row of logits, for a model on a server.
	Inexact []string
	Strayed bool // see [Row]

	// Round is the speculative round that wrote the step, nil otherwise. All
	// steps of one round share it.
	Round *speculative.Round

	// Constraint is what the constraint knew when the step was chosen, nil if
	// there was none.
	Constraint *ConstraintStep

	// state is what the step after this one is sampled with. It outlives the
	// trace, so that rewinding works however far back.
	state sampling.State
	after constraintState // of the constraint, once Token is written
	left  int             // tokens that could still come, this one included

	banned []int32 // tokens that could not be chosen, for a banned phrase that began with them

	progress schedule.Progress // of the schedule, once Token is written
}

// A Row is the model's own numbers at one step.
type Row struct {
	IDs    []int32 // nil: Values[i] scores token i
	Values []float32
	Rest   float32

	// Strayed means that a server read the text as other tokens than those
	// chosen, so that the row follows those.
	Strayed bool
	// Second is another model's or prompt's row of the same tokens, where a
	// stage weighs two; nil if none does.
	Second []float32
	of     *besides // where it comes from

	// Whole is the whole model's row of logits, where parts of it were off.
	Whole []float32
}

// A Summary is what every step keeps, however old.
type Summary struct {
	RawBits, Bits       float32 // entropy before and after the settings; of a partial row the least it can be
	Rest                float32 // raw probability that a partial row leaves to tokens it does not name
	RawLogprob, Logprob float32 // of the token written
	Rank                int32   // raw rank of the token written, from 1
	Survived            int32
	Top                 [5]float32 // raw probabilities of the five best, for the heat map
}

// A Phase says what a lane is doing.
type Phase uint8

const (
	Idle    Phase = iota // no prompt yet
	Prefill              // reading the prompt
	Running              // committing tokens
	Paused               // waiting, with a proposal ready
	Done                 // the text has ended; see View.Reason
	Failed               // see View.Err
)

func (p Phase) String() string {
	return [...]string{"idle", "prefilling", "decoding", "paused", "done", "failed"}[p]
}

// A Reason says why a text ended, in the words of the jsonl records.
type Reason string

const (
	EOS         Reason = "eos"        // the model's end token
	Length      Reason = "length"     // max_new_tokens
	ContextFull Reason = "context"    // the session has no room left
	Stop        Reason = "stop"       // a stop string
	Repetition  Reason = "repetition" // the text repeats itself; see repetition_detection
	Constraint  Reason = "constraint" // the constraint allowed nothing but the end
	Held        Reason = "until"      // what a run was to stop at holds
	Interrupted Reason = "interrupted"
	Error       Reason = "error"
)

// A View is everything the rest of the program may know about a lane at one
// moment. Views are values: keep one as long as you like and compare it with
// a later one; nothing it refers to will change.
type View struct {
	Lane     int
	Phase    Phase
	Reason   Reason // Done only
	Err      error  // Failed only
	Settings *Settings

	PromptText string
	Prompt     []int32 // read-only
	Steps      []*Step // committed so far; read-only
	Next       *Step   // the proposal; nil while it is being computed
	Written    []byte  // the text of Steps, control tokens left out; read-only; see [View.Text]
	unsaid     int     // bytes at the end of Written that a banned phrase may take back
	heldSteps  int     // and the steps that they are of
	StopAt     int     // byte of Written where a stop string begins; -1 if none

	Prefill Timing  // of the prompt
	Decode  Timing  // of the steps
	Rate    float64 // tokens per second of late; 0 if none, or if the model is a recording
	KV      KV

	Beam        *beam.View        // nil unless the lane runs beam search
	Contrastive *contrastive.View // nil unless the lane runs contrastive search
	Draft       *speculative.View // nil unless the lane runs speculative decoding

	// Looked is the answer to a [Look] command: an old step with its row
	// recomputed. Looking is the index of a step being recomputed, 0 if none.
	Looked  *Step
	Looking int

	Off *Off // what the lane's model leaves out; nil for nothing

	ForwardPositions int64 // positions the model has computed for this lane, prompt included
}

// A Timing counts tokens and the time they took.
type Timing struct {
	Done, Total int // tokens; Total is 0 if unknown
	Took        time.Duration
}

// KV is the state of the cache.
type KV struct {
	Used, Context    int // tokens
	Bytes, FullBytes int64
}
