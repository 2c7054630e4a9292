package jinja

import (
	"logitscope/models/chat/jinja/python"
)

// macro is a macro, or the body of a call block, with the frame around it.
type macro struct {
	st    *state
	node  *macroNode
	frame *frame
}

func (m *macro) Call(_ *python.Run, args []python.Value, kw python.Kwargs) python.Value {
	st, n := m.st, m.node
	in := st.enter(n.inner, m.frame)
	given := min(len(args), len(n.params))
	foundCaller := given == len(n.params) && n.explicitCaller
	for i, p := range n.params {
		v := missing
		if i < given {
			v = args[i]
		} else {
			if x, ok := kw.Take(p.name); ok {
				v = x
			}
			foundCaller = foundCaller || p.name == "caller"
		}
		in.vars[p.slot] = v
	}
	if n.callerSlot >= 0 && !foundCaller {
		v, _ := kw.Take("caller")
		if v == nil {
			v = &python.Undefined{Hint: "there is no caller"}
		}
		in.vars[n.callerSlot] = v
	}
	switch {
	case n.kwargsSlot >= 0:
		in.vars[n.kwargsSlot] = kw.Dict()
	case len(kw.Names) > 0:
		python.Fail("the macro %s has no parameter %s", python.Quoted(n.name), python.Quoted(kw.Names[0]))
	}
	switch {
	case n.varargsSlot >= 0:
		in.vars[n.varargsSlot] = &python.Tuple{Items: args[given:]}
	case len(args) > given:
		python.Fail("the macro %s wants at most %d arguments, has %d", python.Quoted(n.name), len(n.params), len(args))
	}
	for i, p := range n.params {
		if in.vars[p.slot] != missing {
			continue
		}
		if d := i - (len(n.params) - len(n.defaults)); d >= 0 {
			in.vars[p.slot] = n.defaults[d].eval(st, in)
		} else {
			in.vars[p.slot] = &python.Undefined{Hint: "the parameter " + python.Quoted(p.name) + " was not given"}
		}
	}
	var out string
	line := st.Line
	st.nested(func() {
		out = st.capture(func() { st.run(n.body, in) })
	})
	st.Line = line
	return out
}

func (m *macro) Attr(_ *python.Run, name string) (python.Value, bool) {
	switch name {
	case "name":
		return m.node.name, true
	case "arguments":
		var list []python.Value
		for _, p := range m.node.params {
			list = append(list, p.name)
		}
		return &python.Tuple{Items: list}, true
	case "catch_kwargs":
		return m.node.kwargsSlot >= 0, true
	case "catch_varargs":
		return m.node.varargsSlot >= 0, true
	case "caller":
		return m.node.callerSlot >= 0 || m.node.explicitCaller, true
	}
	return nil, false
}

func (m *macro) TypeName() string { return "Macro" }

// String is its text.
func (m *macro) String() string { return "<Macro " + python.ReprText(m.node.name) + ">" }
