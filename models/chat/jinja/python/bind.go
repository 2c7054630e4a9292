package python

// Param is a parameter of a function of the package.
type Param struct {
	name string // "" if it is given by its place only
	def  Value
	opt  bool
}

// Params are parameters without defaults.
func Params(names ...string) (list []Param) {
	for _, n := range names {
		list = append(list, Param{name: n})
	}
	return list
}

// With adds a parameter with a default.
func With(list []Param, name string, def Value) []Param {
	return append(list[:len(list):len(list)], Param{name: name, def: def, opt: true})
}

// Optional are parameters with defaults, given as name, default, name, default.
func Optional(pairs ...Value) (list []Param) {
	for i := 0; i < len(pairs); i += 2 {
		list = With(list, pairs[i].(string), pairs[i+1])
	}
	return list
}

// Bind puts arguments in the places of a function's parameters.
func Bind(fn string, ps []Param, args []Value, kw Kwargs) []Value {
	if len(args) > len(ps) {
		Fail("%s wants at most %d arguments, has %d", fn, len(ps), len(args))
	}
	out := make([]Value, len(ps))
	set := make([]bool, len(ps))
	for i, v := range args {
		out[i], set[i] = v, true
	}
next:
	for i, name := range kw.Names {
		for j, p := range ps {
			if p.name != name || name == "" {
				continue
			}
			if set[j] {
				Fail("%s is given its argument %s twice", fn, Quoted(name))
			}
			out[j], set[j] = kw.values[i], true
			continue next
		}
		Fail("%s has no argument %s", fn, Quoted(name))
	}
	for j, p := range ps {
		if set[j] {
			continue
		}
		if !p.opt {
			if p.name == "" {
				Fail("%s wants %d arguments, has %d", fn, len(ps), len(args))
			}
			Fail("%s wants its argument %s", fn, Quoted(p.name))
		}
		out[j] = p.def
	}
	return out
}

// NoNames refuses arguments by name.
func NoNames(fn string, kw Kwargs) {
	if len(kw.Names) > 0 {
		Fail("%s has no argument %s", fn, Quoted(kw.Names[0]))
	}
}

// Kwargs are arguments by name, in their order.
type Kwargs struct {
	Names  []string
	values []Value
}

// Set adds an argument.
func (k *Kwargs) Set(name string, v Value) {
	k.Names = append(k.Names, name)
	k.values = append(k.values, v)
}

// Take removes an argument.
func (k *Kwargs) Take(name string) (Value, bool) {
	for i, n := range k.Names {
		if n == name {
			v := k.values[i]
			k.Names = append(append([]string(nil), k.Names[:i]...), k.Names[i+1:]...)
			k.values = append(append([]Value(nil), k.values[:i]...), k.values[i+1:]...)
			return v, true
		}
	}
	return nil, false
}

// Dict is the arguments as a dict.
func (k Kwargs) Dict() *Dict {
	d := NewDict()
	for i, n := range k.Names {
		d.Put(n, k.values[i])
	}
	return d
}
