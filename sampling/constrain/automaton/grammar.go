package automaton

import (
	"logitscope/sampling/constrain/lang"
	"logitscope/sampling/constrain/program"
)

// Compile compiles a definition. The error is a *RefusedError.
func Compile(def *lang.Definition) (*Grammar, error) {
	p, err := program.Build(def)
	if err != nil && def.Pointers {
		err = lang.InSchema(err)
	}
	if err != nil {
		return nil, err
	}
	return &Grammar{prog: p, notes: def.Notes}, nil
}

// A Grammar is a compiled source. It is immutable and safe for concurrent use.
type Grammar struct {
	prog     *program.Program
	notes    []lang.Note
	checkers checkerPool
}

// Notes returns what was noticed while compiling: keywords that restrict
// nothing and parts that cannot be used. The slice is the grammar's own.
func (g *Grammar) Notes() []lang.Note { return g.notes }

// MinBytes returns the length of the shortest complete text, in bytes.
func (g *Grammar) MinBytes() int { return int(g.prog.RuleMin[g.prog.Root]) }
