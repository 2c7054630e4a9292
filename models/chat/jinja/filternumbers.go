package jinja

import (
	"math"
	"math/big"

	"logitscope/models/chat/jinja/python"
)

func absolute(v python.Value) python.Value {
	n, ok := python.Numeric(v)
	if !ok {
		if u, ok := v.(*python.Undefined); ok {
			python.Fail("%s", u.Hint)
		}
		python.Fail("%s has no absolute value", python.TypeName(v))
	}
	if f, ok := n.(float64); ok {
		return math.Abs(f)
	}
	i, _ := python.Integer(n)
	return python.Normal(new(big.Int).Abs(i))
}

// toFloatValue is Python's float() of any value; false where it raises an
// error that the filters catch.
func toFloatValue(v python.Value) (float64, bool) {
	if u, ok := v.(*python.Undefined); ok {
		python.Fail("%s", u.Hint)
	}
	if s, ok := python.Text(v); ok {
		return python.ParseFloat(s)
	}
	if _, ok := python.Numeric(v); !ok {
		return 0, false
	}
	return python.ToFloat(v), true
}

func floatFilter(st *state, v python.Value, a []python.Value) python.Value {
	if f, ok := toFloatValue(v); ok {
		return f
	}
	return a[0]
}

func intFilter(st *state, v python.Value, a []python.Value) python.Value {
	if s, ok := python.Text(v); ok {
		if i, ok := python.ParseInt(s, python.Whole("the filter \"int\"", a[1])); ok {
			return i
		}
	} else if f, ok := v.(float64); ok {
		if math.IsInf(f, 0) {
			python.Fail("%s is not an int", python.FloatText(f))
		}
		if !math.IsNaN(f) {
			return python.Truncate(f)
		}
		return a[0]
	} else if n, ok := python.Numeric(v); ok {
		return n
	}
	f, ok := toFloatValue(v)
	if !ok || math.IsNaN(f) || math.IsInf(f, 0) {
		return a[0]
	}
	return python.Truncate(f)
}

func round(st *state, v python.Value, a []python.Value) python.Value {
	method, ok := python.Text(a[1])
	if !ok || method != "common" && method != "ceil" && method != "floor" {
		python.Fail("the filter \"round\" wants the method common, ceil or floor")
	}
	if _, ok := python.Numeric(v); !ok {
		if u, ok := v.(*python.Undefined); ok {
			python.Fail("%s", u.Hint)
		}
		python.Fail("%s cannot be rounded", python.TypeName(v))
	}
	places := python.Whole("the filter \"round\"", a[0])
	if method == "common" {
		return python.RoundNumber(v, places)
	}
	unit := python.Arithmetic("**", int64(10), int64(places))
	n, _ := python.Numeric(v)
	scaled := python.Arithmetic("*", n, unit)
	if _, isFloat := scaled.(float64); !isFloat {
		return python.Arithmetic("/", scaled, unit)
	}
	f := python.ToFloat(scaled)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		python.Fail("%s cannot be rounded", python.FloatText(f))
	}
	if method == "ceil" {
		f = math.Ceil(f)
	} else {
		f = math.Floor(f)
	}
	return python.Arithmetic("/", python.Truncate(f), unit)
}

func fileSize(st *state, v python.Value, a []python.Value) python.Value {
	f, ok := toFloatValue(v)
	if !ok {
		python.Fail("%s is not a number of bytes", python.TypeName(v))
	}
	base, units := 1000.0, []string{"kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"}
	if python.Truth(a[0]) {
		base, units = 1024, []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"}
	}
	switch {
	case f == 1:
		return "1 Byte"
	case f < base:
		return python.Str(python.Truncate(f)) + " Bytes"
	}
	unit := base
	name := ""
	for _, name = range units {
		unit *= base
		if f < unit {
			break
		}
	}
	return st.Fixed(base*f/unit, 1) + " " + name
}
