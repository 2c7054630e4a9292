// Package goal answers: does it hold here? It reads expressions over what a
// lane has decoded and evaluates them on immutable views:
//
//	prob(" Paris") >= 1% and only(temperature)
//	raw_bits > 4 or loop >= 3
//
// The language is total: no loops, no names, no effects. An expression has at
// most [MaxNodes] nodes and stands in itself at most [MaxDepth] deep; [Parse]
// checks the kinds of all its parts, so that evaluating it cannot fail. What
// does not exist, such as the draw before the first token, is undefined:
// arithmetic with it is undefined, every comparison with it is false, and where
// it stands for yes or no it is no.
//
//	expr  = and { "or" and }
//	and   = not { "and" not }
//	not   = "not" not | cmp
//	cmp   = sum [ ( "=" | "!=" | "<" | "<=" | ">" | ">=" ) sum ]
//	sum   = prod { ( "+" | "-" ) prod }
//	prod  = sign { ( "*" | "/" ) sign }
//	sign  = "-" sign | atom
//	atom  = number [ "%" ] | text | term | call | "(" expr ")"
//	call  = name "(" argument { "," argument } ")"
//
// # Use
//
// [Parse] turns a text into an [Expr], which is immutable and safe for
// concurrent use. Whoever shows a lane fills a [State], a value made of views,
// and looks at it through a [Scene], which remembers what several expressions
// ask of one state:
//
//	e, err := goal.Parse(`prob(" cat") > 50%`, goal.Names{})
//	sc := goal.NewScene(goal.State{Lanes: []goal.Lane{{View: v, Model: m, Compile: c.Settings, Proposal: true}}})
//	ok := e.Eval(sc).Holds()
//
// The terms are those of the table in terms.go, and every parameter of package
// sampling by its key.
//
// # The step looked at
//
// Terms about a step, such as prob, survivors and drawn, are about the step
// looked at under the settings now in force: a knob moved after the step was
// decoded makes a what-if on the same context. The steps of a lane are those
// written, and where [Lane.Proposal] says so the token proposed as well, which
// is decoded though not yet written: the laboratory shows it and lets settings
// change it. The step looked at is [Lane.Look], or the last of them.
package goal
