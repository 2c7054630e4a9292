package kit

// Standing counts a class.
type Standing struct {
	Here   int
	Voted  int // on the question that is open
	Joins  int // new ones within the last minute
	Locked bool
	Desks  int // changes seen in own labs
}
