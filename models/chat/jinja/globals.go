package jinja

import (
	"math/big"

	"logitscope/models/chat/jinja/python"
)

// globals are the functions that every template has.
var globals = functions(map[string]func(st *python.Run, args []python.Value, kw python.Kwargs) python.Value{
	"range": rangeOf,
	"dict": func(st *python.Run, args []python.Value, kw python.Kwargs) python.Value {
		return dictOf(st, "dict", args, kw)
	},
	"lipsum": func(*python.Run, []python.Value, python.Kwargs) python.Value {
		python.Refuse("the function \"lipsum\"")
		return nil
	},
	"cycler": func(st *python.Run, args []python.Value, kw python.Kwargs) python.Value {
		python.NoNames("cycler", kw)
		if len(args) == 0 {
			python.Fail("cycler wants at least one item")
		}
		return &cycler{items: args}
	},
	"joiner": func(st *python.Run, args []python.Value, kw python.Kwargs) python.Value {
		return &joiner{sep: python.Bind("joiner", python.Optional("sep", ", "), args, kw)[0]}
	},
	"namespace": func(st *python.Run, args []python.Value, kw python.Kwargs) python.Value {
		return &python.Namespace{Attrs: dictOf(st, "namespace", args, kw)}
	},
	"raise_exception": func(st *python.Run, args []python.Value, kw python.Kwargs) python.Value {
		v := python.Bind("raise_exception", python.Params("message"), args, kw)[0]
		panic(&python.Error{Kind: python.Raised, Line: st.Line, Message: st.Str(v)})
	},
	"strftime_now": func(st *python.Run, args []python.Value, kw python.Kwargs) python.Value {
		v := python.Bind("strftime_now", python.Params("format"), args, kw)[0]
		return st.Text(st.Strftime(python.WantText("strftime_now", v)))
	},
})

func functions(of map[string]func(st *python.Run, args []python.Value, kw python.Kwargs) python.Value) map[string]python.Value {
	out := map[string]python.Value{}
	for name, fn := range of {
		out[name] = &python.Function{Name: name, Fn: fn}
	}
	return out
}

func rangeOf(st *python.Run, args []python.Value, kw python.Kwargs) python.Value {
	python.NoNames("range", kw)
	if len(args) == 0 || len(args) > 3 {
		python.Fail("range wants one to three numbers")
	}
	n := [3]int64{0, 0, 1}
	for i, v := range args {
		if _, ok := v.(*big.Int); ok {
			python.Exceed("range wants numbers of at most 64 bits")
		}
		n[i] = int64(python.Whole("range", v))
	}
	if len(args) == 1 {
		n[0], n[1] = 0, n[0]
	}
	if n[2] == 0 {
		python.Fail("range wants a step that is not 0")
	}
	size := new(big.Int).Sub(big.NewInt(n[1]), big.NewInt(n[0]))
	size.Quo(size, big.NewInt(n[2]))
	if size.Cmp(big.NewInt(maxRange)) > 0 || (python.RangeValue{Start: n[0], Stop: n[1], Step: n[2]}).Len() > maxRange {
		python.Exceed("range has more than %d numbers", maxRange)
	}
	return python.RangeValue{Start: n[0], Stop: n[1], Step: n[2]}
}

// dictOf is Python's dict(...).
func dictOf(st *python.Run, fn string, args []python.Value, kw python.Kwargs) *python.Dict {
	if len(args) > 1 {
		python.Fail("%s wants at most one argument by place", fn)
	}
	d := python.NewDict()
	if len(args) == 1 {
		switch v := args[0].(type) {
		case *python.Dict:
			d.Update(v)
		default:
			for _, pair := range st.List(v) {
				kv := st.List(pair)
				if len(kv) != 2 {
					python.Fail("%s wants pairs", fn)
				}
				d.Put(kv[0], kv[1])
			}
		}
	}
	d.Update(kw.Dict())
	st.Alloc(64 * len(d.Keys()))
	return d
}

// What is a value of a template here is an object to python.
var (
	_ python.Object   = (*macro)(nil)
	_ python.Object   = (*loopContext)(nil)
	_ python.Object   = (*cycler)(nil)
	_ python.Object   = (*joiner)(nil)
	_ python.Callable = (*macro)(nil)
	_ python.Callable = (*loopContext)(nil)
	_ python.Callable = (*joiner)(nil)
	_ python.Written  = (*loopContext)(nil)
	_ python.Iterated = (*loopContext)(nil)
)

// cycler gives its items in turn.
type cycler struct {
	items []python.Value
	pos   int
}

// joiner writes nothing at first, then its text.
type joiner struct {
	sep  python.Value
	used bool
}

func (j *joiner) Call(st *python.Run, args []python.Value, kw python.Kwargs) python.Value {
	python.Bind("joiner", nil, args, kw)
	if !j.used {
		j.used = true
		return ""
	}
	return j.sep
}

func (j *joiner) TypeName() string { return "Joiner" }

func (j *joiner) Attr(_ *python.Run, name string) (python.Value, bool) {
	switch name {
	case "sep":
		return j.sep, true
	case "used":
		return j.used, true
	}
	return nil, false
}

func (c *cycler) Attr(_ *python.Run, name string) (python.Value, bool) {
	method := python.MethodsOf(name)
	switch name {
	case "current":
		return c.items[c.pos], true
	case "items":
		return &python.Tuple{Items: c.items}, true
	case "pos":
		return int64(c.pos), true
	case "next":
		return method(nil, func([]python.Value) python.Value {
			v := c.items[c.pos]
			c.pos = (c.pos + 1) % len(c.items)
			return v
		})
	case "reset":
		return method(nil, func([]python.Value) python.Value { c.pos = 0; return nil })
	}
	return nil, false
}

func (c *cycler) TypeName() string { return "Cycler" }
