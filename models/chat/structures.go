package chat

import (
	"bytes"
	"errors"
	"fmt"

	control "github.com/nikolalohinski/gonja/v2/builtins/control_structures"
	"github.com/nikolalohinski/gonja/v2/exec"
	"github.com/nikolalohinski/gonja/v2/nodes"
	"github.com/nikolalohinski/gonja/v2/parser"
	"github.com/nikolalohinski/gonja/v2/tokens"
)

// structures are the statements that templates may use: the engine's, bounded,
// and those that it lacks.
func (st *state) structures() *exec.ControlStructureSet {
	set := map[string]parser.ControlStructureParser{
		"set":        st.parseSet,
		"generation": st.parseGeneration,
	}
	for _, name := range []string{"for", "if", "macro", "raw", "with", "do", "break", "continue"} {
		parse, _ := control.All.Get(name)
		set[name] = func(p, args *parser.Parser) (nodes.ControlStructure, error) {
			inner, err := parse(p, args)
			if err != nil {
				return nil, err
			}
			if f, ok := inner.(*control.ForControlStructure); ok && f.Recursive {
				return nil, errors.New("recursive loops are not supported")
			}
			if m, ok := inner.(*control.MacroControlStructure); ok {
				return &macro{m, st}, nil
			}
			return &bounded{inner, inner.(exec.ControlStructure), st}, nil
		}
	}
	return exec.NewControlStructureSet(set)
}

// bounded is a statement that looks at the bounds before it runs.
type bounded struct {
	nodes.ControlStructure
	inner exec.ControlStructure
	st    *state
}

func (b *bounded) Execute(r *exec.Renderer, tag *nodes.ControlStructureBlock) error {
	if err := b.st.step(); err != nil {
		return err
	}
	return b.inner.Execute(b.st.guarded(r), tag)
}

// macro is a macro whose calls are counted: they can be recursive.
type macro struct {
	*control.MacroControlStructure
	st *state
}

func (m *macro) Execute(r *exec.Renderer, _ *nodes.ControlStructureBlock) error {
	call, err := exec.MacroNodeToFunc(m.Macro, r)
	if err != nil {
		return err
	}
	st := m.st
	r.Environment.Context.Set(m.Name, exec.Macro(func(params *exec.VarArgs) *exec.Value {
		for _, a := range params.Args {
			if err := st.admit(a); err != nil {
				return exec.AsValue(err)
			}
		}
		for _, a := range params.KwArgs {
			if err := st.admit(a); err != nil {
				return exec.AsValue(err)
			}
		}
		if st.depth++; st.depth > maxDepth {
			return exec.AsValue(st.stop(fmt.Errorf("macros call each other more than %d deep", maxDepth)))
		}
		defer func() { st.depth-- }()
		return st.admitted(call(params))
	}))
	return nil
}

// set is the engine's set with a bound on the value: {% set a = … %}, {% set
// ns.a = … %} and the block form {% set a %}…{% endset %}.
type set struct {
	st     *state
	at     *tokens.Token
	target nodes.Expression
	value  nodes.Expression // nil for the block form
	when   nodes.Expression // of {% set a = value if when else other %}
	other  nodes.Expression
	body   *nodes.Wrapper
}

func (s *set) Position() *tokens.Token { return s.at }
func (s *set) String() string          { return fmt.Sprintf("set(Line=%d)", s.at.Line) }

func (st *state) parseSet(p, args *parser.Parser) (nodes.ControlStructure, error) {
	s := &set{st: st, at: p.Current()}
	target, err := args.ParseVariableOrLiteral()
	if err != nil {
		return nil, err
	}
	switch target.(type) {
	case *nodes.Name, *nodes.GetAttribute, *nodes.GetItem:
		s.target = target
	default:
		return nil, args.Error("cannot set this", args.Current())
	}
	if args.Match(tokens.Assign) == nil {
		if !args.End() {
			return nil, args.Error("expected '=' or the end of the tag", args.Current())
		}
		var end *parser.Parser
		if s.body, end, err = p.WrapUntil("endset"); err != nil {
			return nil, err
		}
		if !end.End() {
			return nil, end.Error("endset takes no arguments", nil)
		}
		return s, nil
	}
	if s.value, err = args.ParseExpression(); err != nil {
		return nil, err
	}
	if s.when, s.other, err = args.ParseCondition(); err != nil {
		return nil, err
	}
	if !args.End() {
		return nil, args.Error("expected the end of the tag", args.Current())
	}
	return s, nil
}

func (s *set) Execute(r *exec.Renderer, _ *nodes.ControlStructureBlock) error {
	v, err := s.evaluate(r)
	if err != nil {
		return err
	}
	if err := s.st.admit(v); err != nil {
		return err
	}
	var owner, key *exec.Value
	switch t := s.target.(type) {
	case *nodes.Name:
		r.Environment.Context.Set(t.Name.Val, v.Interface())
		return nil
	case *nodes.GetAttribute:
		owner, key = r.Eval(t.Node), exec.AsValue(t.Attribute)
	case *nodes.GetItem:
		owner, key = r.Eval(t.Node), r.Eval(t.Arg)
	}
	if owner.IsError() {
		return owner
	}
	if key.IsError() {
		return key
	}
	if err := owner.Set(key, v.Interface()); err != nil {
		return err
	}
	return s.st.admit(owner) // which may now hold itself
}

func (s *set) evaluate(r *exec.Renderer) (*exec.Value, error) {
	if s.body != nil {
		var buf bytes.Buffer
		sub := r.Inherit()
		sub.Output = &writer{&buf, s.st}
		if err := sub.ExecuteWrapper(s.body); err != nil {
			return nil, err
		}
		return exec.AsSafeValue(buf.String()), nil
	}
	expr := s.value
	if s.when != nil {
		c := r.Eval(s.when)
		if c.IsError() {
			return nil, c
		}
		if !c.IsTrue() {
			expr = s.other
		}
	}
	if expr == nil {
		return exec.AsValue(nil), nil
	}
	v := r.Eval(expr)
	if v.IsError() {
		return nil, v
	}
	return v, nil
}

// generation is Hugging Face's {% generation %}…{% endgeneration %}, which
// marks what the model wrote and changes nothing in the text.
type generation struct {
	at   *tokens.Token
	body *nodes.Wrapper
}

func (g *generation) Position() *tokens.Token { return g.at }
func (g *generation) String() string          { return fmt.Sprintf("generation(Line=%d)", g.at.Line) }

func (st *state) parseGeneration(p, args *parser.Parser) (nodes.ControlStructure, error) {
	g := &generation{at: p.Current()}
	if !args.End() {
		return nil, args.Error("generation takes no arguments", nil)
	}
	var err error
	g.body, _, err = p.WrapUntil("endgeneration")
	if err != nil {
		return nil, err
	}
	return &bounded{g, g, st}, nil
}

func (g *generation) Execute(r *exec.Renderer, _ *nodes.ControlStructureBlock) error {
	return r.ExecuteIfWrapper(g.body)
}
