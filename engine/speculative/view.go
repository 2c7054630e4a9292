package speculative

// A View is the running account of a speculative decoder.
type View struct{}

// A Round is one draft and its verification.
type Round struct{}
