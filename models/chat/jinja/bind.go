package jinja

// param is a parameter of a function of the package.
type param struct {
	name string // "" if it is given by its place only
	def  Value
	opt  bool
}

// params are parameters without defaults.
func params(names ...string) (list []param) {
	for _, n := range names {
		list = append(list, param{name: n})
	}
	return list
}

// with adds a parameter with a default.
func with(list []param, name string, def Value) []param {
	return append(list[:len(list):len(list)], param{name: name, def: def, opt: true})
}

// optional are parameters with defaults, given as name, default, name, default.
func optional(pairs ...Value) (list []param) {
	for i := 0; i < len(pairs); i += 2 {
		list = with(list, pairs[i].(string), pairs[i+1])
	}
	return list
}

// bind puts arguments in the places of a function's parameters.
func bind(fn string, ps []param, args []Value, kw kwargs) []Value {
	if len(args) > len(ps) {
		fail("%s wants at most %d arguments, has %d", fn, len(ps), len(args))
	}
	out := make([]Value, len(ps))
	set := make([]bool, len(ps))
	for i, v := range args {
		out[i], set[i] = v, true
	}
next:
	for i, name := range kw.names {
		for j, p := range ps {
			if p.name != name || name == "" {
				continue
			}
			if set[j] {
				fail("%s is given its argument %s twice", fn, quoted(name))
			}
			out[j], set[j] = kw.values[i], true
			continue next
		}
		fail("%s has no argument %s", fn, quoted(name))
	}
	for j, p := range ps {
		if set[j] {
			continue
		}
		if !p.opt {
			if p.name == "" {
				fail("%s wants %d arguments, has %d", fn, len(ps), len(args))
			}
			fail("%s wants its argument %s", fn, quoted(p.name))
		}
		out[j] = p.def
	}
	return out
}

// noNames refuses arguments by name.
func noNames(fn string, kw kwargs) {
	if len(kw.names) > 0 {
		fail("%s has no argument %s", fn, quoted(kw.names[0]))
	}
}

// kwargs are arguments by name, in their order.
type kwargs struct {
	names  []string
	values []Value
}

func (k *kwargs) set(name string, v Value) {
	k.names = append(k.names, name)
	k.values = append(k.values, v)
}

// take removes an argument.
func (k *kwargs) take(name string) (Value, bool) {
	for i, n := range k.names {
		if n == name {
			v := k.values[i]
			k.names = append(append([]string(nil), k.names[:i]...), k.names[i+1:]...)
			k.values = append(append([]Value(nil), k.values[:i]...), k.values[i+1:]...)
			return v, true
		}
	}
	return nil, false
}

func (k kwargs) dict() *Dict {
	d := NewDict()
	for i, n := range k.names {
		d.set(n, k.values[i])
	}
	return d
}
