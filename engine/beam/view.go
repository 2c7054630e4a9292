package beam

// A View is the state of a beam search after one step.
type View struct{}
