package quiz

// MinCalibrated is how many questions a [Book] must hold before its
// calibration says anything.
const MinCalibrated = 10

// An Answer is a guess beside what was asked.
type Answer struct {
	Question Question
	Guess    Guess
}

// A Book is what one forecaster answered, in order. Its zero value is empty.
type Book struct{ answers []Answer }

// Add puts an answer down, which the book then owns.
func (b *Book) Add(a Answer) { b.answers = append(b.answers, a) }

// TakeBack takes the last answer out; an empty book stays as it is.
func (b *Book) TakeBack() {
	if n := len(b.answers); n > 0 {
		b.answers = b.answers[:n-1]
	}
}

// Questions is how many were answered.
func (b *Book) Questions() int { return len(b.answers) }

// A Mean is what the questions of a book cost on average, in bits.
type Mean struct {
	Guess float64 // the forecaster
	Model float64 // the law the draws were made by
	Floor float64 // the entropy of that law: what it costs in the long run
	Blind float64 // equal chances
}

// Mean averages over all questions; it is all 0 if there is none.
func (b *Book) Mean() Mean {
	var m Mean
	for _, a := range b.answers {
		m.Guess += a.Guess.Bits(a.Question.Drawn)
		m.Model += a.Question.Model()
		m.Floor += a.Question.Floor()
		m.Blind += Blind(len(a.Guess))
	}
	if n := float64(len(b.answers)); n > 0 {
		m = Mean{Guess: m.Guess / n, Model: m.Model / n, Floor: m.Floor / n, Blind: m.Blind / n}
	}
	return m
}

// A Cell is one cell of the calibration: of the options that were given this
// many chips, how many were drawn.
type Cell struct {
	Chips, Given, Drawn int
}

// Rate is how often what had these chips was drawn, 0 to 1; ok is false if
// nothing had as many.
func (c Cell) Rate() (rate float64, ok bool) {
	if c.Given == 0 {
		return 0, false
	}
	return float64(c.Drawn) / float64(c.Given), true
}

// Calibration returns the ten cells of 1 to 10 chips, that is 10% to 100%.
// Of a forecaster who knows what is known and what is not, what has 30% of
// the chips is drawn 30% of the time. Before [MinCalibrated] questions ok is
// false.
func (b *Book) Calibration() (cells [Chips]Cell, ok bool) {
	for i := range cells {
		cells[i].Chips = i + 1
	}
	for _, a := range b.answers {
		for i, c := range a.Guess {
			if c == 0 {
				continue
			}
			cells[c-1].Given++
			if i == a.Question.Drawn {
				cells[c-1].Drawn++
			}
		}
	}
	return cells, len(b.answers) >= MinCalibrated
}
