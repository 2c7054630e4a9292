package jinja

// macro is a macro, or the body of a call block, with the frame around it.
type macro struct {
	st    *state
	node  *macroNode
	frame *frame
}

func (m *macro) call(_ *spent, args []Value, kw kwargs) Value {
	st, n := m.st, m.node
	in := st.enter(n.inner, m.frame)
	given := min(len(args), len(n.params))
	foundCaller := given == len(n.params) && n.explicitCaller
	for i, p := range n.params {
		v := missing
		if i < given {
			v = args[i]
		} else {
			if x, ok := kw.take(p.name); ok {
				v = x
			}
			foundCaller = foundCaller || p.name == "caller"
		}
		in.vars[p.slot] = v
	}
	if n.callerSlot >= 0 && !foundCaller {
		v, _ := kw.take("caller")
		if v == nil {
			v = &Undefined{hint: "there is no caller"}
		}
		in.vars[n.callerSlot] = v
	}
	switch {
	case n.kwargsSlot >= 0:
		in.vars[n.kwargsSlot] = kw.dict()
	case len(kw.names) > 0:
		fail("the macro %s has no parameter %s", quoted(n.name), quoted(kw.names[0]))
	}
	switch {
	case n.varargsSlot >= 0:
		in.vars[n.varargsSlot] = &Tuple{args[given:]}
	case len(args) > given:
		fail("the macro %s wants at most %d arguments, has %d", quoted(n.name), len(n.params), len(args))
	}
	for i, p := range n.params {
		if in.vars[p.slot] != missing {
			continue
		}
		if d := i - (len(n.params) - len(n.defaults)); d >= 0 {
			in.vars[p.slot] = n.defaults[d].eval(st, in)
		} else {
			in.vars[p.slot] = &Undefined{hint: "the parameter " + quoted(p.name) + " was not given"}
		}
	}
	var out string
	line := st.line
	st.nested(func() {
		out = st.capture(func() { st.run(n.body, in) })
	})
	st.line = line
	return out
}

func (m *macro) attr(_ *spent, name string) (Value, bool) {
	switch name {
	case "name":
		return m.node.name, true
	case "arguments":
		var list []Value
		for _, p := range m.node.params {
			list = append(list, p.name)
		}
		return &Tuple{list}, true
	case "catch_kwargs":
		return m.node.kwargsSlot >= 0, true
	case "catch_varargs":
		return m.node.varargsSlot >= 0, true
	case "caller":
		return m.node.callerSlot >= 0 || m.node.explicitCaller, true
	}
	return nil, false
}

func (m *macro) typeName() string { return "Macro" }

// String is its text.
func (m *macro) String() string { return "<Macro " + reprText(m.node.name) + ">" }
