package sampling

const (
	// MaxStages is the most stages a pipeline may have, the logits included.
	MaxStages = 28

	// MaxRows is the most tokens a trace shows one by one.
	MaxRows = 40

	// cutRows is how many of the tokens that were cut a trace shows at least.
	cutRows = 2

	// MaxPins is the most pinned tokens a trace follows.
	MaxPins = 6
)

// A Trace records one step: what each stage did, the tokens worth showing,
// and the draw. It holds no references to the buffers it was made from, so
// copying it takes a snapshot. Its zero value is empty.
type Trace struct {
	Vocab    int     // tokens in the row, before anything was masked
	Output   int     // tokens generated before this step
	NoPiece  int     // ids without a piece, masked before every stage
	RawBits  float32 // entropy of the raw distribution, bits; the least it can be for a partial row
	Bits     float32 // entropy of the final distribution, bits
	Survived int     // tokens the draw could have chosen
	Rest     float32 // raw probability outside a partial row, 0 to 1

	Token               int32   // the token chosen
	Rank                int32   // its rank by raw probability, from 1
	RawProb             float32 // its probability under the model
	Prob                float32 // its probability when it was drawn
	RawLogprob, Logprob float32 // natural logarithms of the two, not rounded through float32 probabilities

	Greedy bool    // no draw was made: the best token was taken
	U      float64 // the draw, in [0, 1); 0 if Greedy
	Lo, Hi float64 // the interval of the cumulative distribution that U fell in, [Lo, Hi)
	Race   Race    // how the race went, if the draw was one: U, Lo and Hi are 0 then

	// State is what the next step must be given as [Input.State].
	State State

	// Constraint is how the mask of [Input.Mask] met this row; its zero
	// value means there was no mask.
	Constraint ConstraintTrace

	nstages, nrows int
	stages         [MaxStages]StageTrace
	rows           [MaxRows]Row
}

// Stages returns what each stage did, in order of application. The first is
// always "logits", the row as the model gave it.
func (t *Trace) Stages() []StageTrace { return t.stages[:t.nstages] }

// Rows returns the tokens worth showing, best raw probability first: the best
// by raw probability, joined with the best by final probability, the chosen
// token and the pinned ones.
func (t *Trace) Rows() []Row { return t.rows[:t.nrows] }

// Row returns the row of token id, or nil if the trace does not show it.
func (t *Trace) Row(id int32) *Row {
	for i := range t.rows[:t.nrows] {
		if t.rows[i].ID == id {
			return &t.rows[i]
		}
	}
	return nil
}

// A StageTrace is the effect of one stage on the whole row.
type StageTrace struct {
	Name    string  // the stage, as in an order list: "top_p"
	Label   string  // with its setting as the screen shows it: "top_p 0.90"
	Setting string  // the setting alone: "0.90"; empty if it has none to show
	Kept    int     // tokens left after it
	Size    int     // entries of the array of candidates; more than Kept where an engine leaves some at -Inf
	Removed int     // tokens it removed
	Mass    float32 // share of the probability it was given that it kept, 0 to 1
	Bits    float32 // entropy after it
	Touched int     // tokens whose logit it changed on its own account (penalties, biases); 0 for a scale

	// LastRank is the largest raw rank among the tokens left after it, and
	// LastCum the raw probability of all tokens down to that rank: where its
	// cut line stands. Both are 0 for a stage that removed nothing.
	LastRank int32
	LastCum  float32
}

// NoStage is the index of no stage.
const NoStage = -1

// A Row is one token on its way through the stages.
type Row struct {
	ID       int32
	Rank     int32 // by raw probability, from 1; ties rank by ascending id
	RawLogit float32
	RawProb  float32
	RawCum   float32 // raw probability of all tokens down to and with this one
	Logit    float32 // after the last stage that left it in; unscaled by removal
	Prob     float32 // final probability; 0 if removed
	Cut      int8    // index in Trace.Stages of the stage that removed it, or NoStage
	Pinned   bool

	Lowered, Raised uint32 // bit i: stage i moved its logit down, up, on its own account (not a scale)

	// Probs[i] is its probability after stage i, 0 once removed.
	Probs [MaxStages]float32
}

// ConstraintTrace is how a constraint's mask met one row.
type ConstraintTrace struct {
	Active  bool
	Allowed int     // tokens the mask allows
	Mass    float32 // raw probability of the tokens allowed, Z
	Bits    float32 // -log2 Mass: bits spent on the constraint
	EOS     bool    // the text may end here
	Redrawn bool    // draw-then-check: the first draw was refused and drawn again
}

// State is what a stateful stage carries from one step to the next. It is a
// value: storing it in the step makes rewinding and forking exact.
type State struct {
	Started       bool    // false: the stages start from their initial values
	Mu            float64 // mirostat's bound, in the engine's own unit
	AdaptWeighted float64 // adaptive-p's running weighted sum
	AdaptTotal    float64 // and its total
	Draws         uint32  // outputs taken from the draw's own generator, for engines that have one
	XTCDraws      uint32  // outputs taken from XTC's generator
}
