package jinja

import (
	"logitscope/models/chat/jinja/python"
)

// node is a statement.
type node interface {
	run(st *state, f *frame) flow
}

// expr is an expression.
type expr interface {
	eval(st *state, f *frame) python.Value
}

// flow is how a block of statements ended.
type flow int

const (
	flowOn flow = iota
	flowBreak
	flowContinue
)

type (
	dataNode   struct{ text string }
	outputNode struct {
		line int
		x    expr
	}
	ifNode struct {
		line  int
		arms  []ifArm
		other []node
	}
	ifArm struct {
		test expr
		body []node
	}
	forNode struct {
		line                         int
		target                       expr // a name or a tuple of targets
		iter, test                   expr
		body, other                  []node
		recursive                    bool
		inner, testFrame, otherFrame *frameNode
		loopSlot                     int  // of the variable loop in inner; -1 if the body does not read it
		testTarget                   expr // target, as testFrame holds it
	}
	setNode struct {
		line   int
		target expr
		x      expr
	}
	setBlock struct {
		line   int
		target expr
		filter expr // applied to a captured text; nil for none
		body   []node
		inner  *frameNode
	}
	filterBlock struct {
		line   int
		filter expr
		body   []node
		inner  *frameNode
	}
	withNode struct {
		line    int
		targets []expr
		values  []expr
		body    []node
		inner   *frameNode
	}
	scopeNode struct {
		line  int
		body  []node
		inner *frameNode
	}
	macroNode struct {
		line                                int
		name                                string
		target                              *nameExpr // the variable that holds it; nil for a call block
		params                              []*nameExpr
		defaults                            []expr // of the last parameters
		body                                []node
		inner                               *frameNode
		callerSlot, kwargsSlot, varargsSlot int // -1 if the body does not read them
		explicitCaller                      bool
	}
	callBlock struct {
		line   int
		call   *callExpr // nil for a generation block, which only writes its body
		caller *macroNode
	}
	blockNode struct {
		line  int
		name  string
		body  []node
		inner *frameNode
	}
	refusedNode struct { // include, import, from, extends: there is no loader
		line int
		tag  string
	}
	jumpNode struct{ kind flow }
)

// captured stands for the text that a filter block or a set block has written.
type captured struct{}

type (
	constExpr struct{ v python.Value }
	nameExpr  struct {
		line  int
		name  string
		store bool
		binding
	}
	nsTarget struct { // ns.attr as a target
		line int
		ns   *nameExpr
		attr string
	}
	tupleExpr struct {
		line  int
		items []expr
	}
	listExpr struct {
		line  int
		items []expr
	}
	dictExpr struct {
		line         int
		keys, values []expr
	}
	attrExpr struct {
		line int
		x    expr
		name string
	}
	itemExpr struct {
		line int
		x    expr
		arg  expr
	}
	sliceExpr struct {
		line             int
		x                expr
		from, to, stride expr // nil if not given
	}
	callExpr struct {
		line             int
		fn               expr
		args             []expr
		names            []string
		values           []expr
		dynArgs, dynKwds expr
	}
	filterExpr struct {
		callExpr
		name string
		x    expr // nil at the start of the filters of a block
	}
	testExpr struct {
		callExpr
		name string
		x    expr
	}
	notExpr  struct{ x expr }
	signExpr struct {
		line  int
		minus bool
		x     expr
	}
	binExpr struct {
		line int
		op   string
		a, b expr
	}
	andExpr    struct{ a, b expr }
	orExpr     struct{ a, b expr }
	concatExpr struct {
		line  int
		items []expr
	}
	compareExpr struct {
		line int
		x    expr
		ops  []string
		args []expr
	}
	condExpr struct {
		line    int
		test    expr
		yes, no expr // no may be nil
	}
)
