package jinja

import "math/big"

// globals are the functions that every template has.
var globals map[string]Value

func init() {
	globals = map[string]Value{}
	for name, fn := range map[string]func(st *spent, args []Value, kw kwargs) Value{
		"range":  rangeOf,
		"dict":   func(st *spent, args []Value, kw kwargs) Value { return st.dictOf("dict", args, kw) },
		"lipsum": func(*spent, []Value, kwargs) Value { refuse("the function \"lipsum\""); return nil },
		"cycler": func(st *spent, args []Value, kw kwargs) Value {
			noNames("cycler", kw)
			if len(args) == 0 {
				fail("cycler wants at least one item")
			}
			return &cycler{items: args}
		},
		"joiner": func(st *spent, args []Value, kw kwargs) Value {
			return &joiner{sep: bind("joiner", optional("sep", ", "), args, kw)[0]}
		},
		"namespace": func(st *spent, args []Value, kw kwargs) Value {
			return &namespace{st.dictOf("namespace", args, kw)}
		},
		"raise_exception": func(st *spent, args []Value, kw kwargs) Value {
			v := bind("raise_exception", params("message"), args, kw)[0]
			panic(&Error{Kind: Raised, Line: st.line, Message: st.str(v)})
		},
		"strftime_now": func(st *spent, args []Value, kw kwargs) Value {
			v := bind("strftime_now", params("format"), args, kw)[0]
			return st.text(st.strftime(wantText("strftime_now", v)))
		},
	} {
		globals[name] = &function{name: name, fn: fn}
	}
}

func rangeOf(st *spent, args []Value, kw kwargs) Value {
	noNames("range", kw)
	if len(args) == 0 || len(args) > 3 {
		fail("range wants one to three numbers")
	}
	n := [3]int64{0, 0, 1}
	for i, v := range args {
		if _, ok := v.(*big.Int); ok {
			exceed("range wants numbers of at most 64 bits")
		}
		n[i] = int64(whole("range", v))
	}
	if len(args) == 1 {
		n[0], n[1] = 0, n[0]
	}
	if n[2] == 0 {
		fail("range wants a step that is not 0")
	}
	size := new(big.Int).Sub(big.NewInt(n[1]), big.NewInt(n[0]))
	size.Quo(size, big.NewInt(n[2]))
	if size.Cmp(big.NewInt(maxRange)) > 0 || rangeValue(struct{ start, stop, step int64 }{n[0], n[1], n[2]}).len() > maxRange {
		exceed("range has more than %d numbers", maxRange)
	}
	return rangeValue{n[0], n[1], n[2]}
}

// dictOf is Python's dict(...).
func (st *spent) dictOf(fn string, args []Value, kw kwargs) *Dict {
	if len(args) > 1 {
		fail("%s wants at most one argument by place", fn)
	}
	d := NewDict()
	if len(args) == 1 {
		switch v := args[0].(type) {
		case *Dict:
			d.update(v)
		default:
			for _, pair := range st.list(v) {
				kv := st.list(pair)
				if len(kv) != 2 {
					fail("%s wants pairs", fn)
				}
				d.set(kv[0], kv[1])
			}
		}
	}
	d.update(kw.dict())
	st.alloc(64 * len(d.Keys()))
	return d
}

// cycler gives its items in turn.
type cycler struct {
	items []Value
	pos   int
}

// joiner writes nothing at first, then its text.
type joiner struct {
	sep  Value
	used bool
}

func (j *joiner) call(st *spent, args []Value, kw kwargs) Value {
	bind("joiner", nil, args, kw)
	if !j.used {
		j.used = true
		return ""
	}
	return j.sep
}

func (j *joiner) typeName() string { return "Joiner" }

func (j *joiner) attr(_ *spent, name string) (Value, bool) {
	switch name {
	case "sep":
		return j.sep, true
	case "used":
		return j.used, true
	}
	return nil, false
}

func (c *cycler) attr(_ *spent, name string) (Value, bool) {
	method := methodsOf(name)
	switch name {
	case "current":
		return c.items[c.pos], true
	case "items":
		return &Tuple{c.items}, true
	case "pos":
		return int64(c.pos), true
	case "next":
		return method(nil, func([]Value) Value {
			v := c.items[c.pos]
			c.pos = (c.pos + 1) % len(c.items)
			return v
		})
	case "reset":
		return method(nil, func([]Value) Value { c.pos = 0; return nil })
	}
	return nil, false
}

func (c *cycler) typeName() string { return "Cycler" }
