package schema

import (
	"regexp"
	"strconv"

	"logitscope/sampling/constrain/jsonvalue"
	"logitscope/sampling/constrain/lang"
)

// maxCount bounds lengths and numbers of items and properties.
const maxCount = 1 << 24

func (u keywordUse) count() (int, error) {
	if u.value.Kind != jsonvalue.Number || !u.value.Num.IsInt() || u.value.Num.Sign() < 0 {
		return 0, u.refuse("must be a whole number, 0 or more")
	}
	n := u.value.Num.Num()
	if !n.IsInt64() || n.Int64() > maxCount {
		if u.name[:3] == "max" {
			return -1, nil // longer than any text: no bound
		}
		return 0, u.refuse("is at most %d", maxCount)
	}
	return int(n.Int64()), nil
}

// counts says which bounds a counting keyword sets, and for which type.
var counts = map[string]struct {
	kind  typeSet
	upper bool
	bound func(*shape) (lo, hi *int)
}{
	"minLength":     {typeString, false, func(s *shape) (lo, hi *int) { return &s.text.min, &s.text.max }},
	"maxLength":     {typeString, true, func(s *shape) (lo, hi *int) { return &s.text.min, &s.text.max }},
	"minItems":      {typeArray, false, func(s *shape) (lo, hi *int) { return &s.items.min, &s.items.max }},
	"maxItems":      {typeArray, true, func(s *shape) (lo, hi *int) { return &s.items.min, &s.items.max }},
	"minProperties": {typeObject, false, func(s *shape) (lo, hi *int) { return &s.members.min, &s.members.max }},
	"maxProperties": {typeObject, true, func(s *shape) (lo, hi *int) { return &s.members.min, &s.members.max }},
}

func applyCount(_ *compiler, u keywordUse, s *shape) error {
	n, err := u.count()
	if err != nil {
		return err
	}
	k := counts[u.name]
	lo, hi := k.bound(s)
	if k.upper {
		*hi = smaller(*hi, n)
	} else {
		*lo = max(*lo, n)
	}
	return nil
}

func negateCount(_ *compiler, u keywordUse) ([]*shape, error) {
	n, err := u.count()
	if err != nil {
		return nil, err
	}
	k := counts[u.name]
	s := only(k.kind)
	lo, hi := k.bound(s)
	switch {
	case k.upper && n < 0, !k.upper && n == 0:
		return nil, nil
	case k.upper:
		*lo = n + 1
	default:
		*hi = n - 1
	}
	return []*shape{s}, nil
}

// patternsOf returns what pattern or format demand: nothing for a format
// without meaning here.
func (c *compiler) patternsOf(u keywordUse) ([]textPattern, error) {
	if u.value.Kind != jsonvalue.String {
		return nil, u.refuse("must be a string")
	}
	if u.name == "pattern" {
		p, err := c.pattern(u.ptr(), u.name, u.counted().source)
		return []textPattern{p}, err
	}
	if u.node.value.Get("pattern") != nil {
		c.note(u.ptr(), "format", "%q is left to the pattern beside it", lang.Clip(u.value.Text))
		return nil, nil
	}
	list, ok := c.format(u.value.Text)
	if !ok {
		c.note(u.ptr(), "format", "%q is not one of the formats that are enforced (%s) and restricts nothing", lang.Clip(u.value.Text), formatList())
	}
	return list, nil
}

func applyPattern(c *compiler, u keywordUse, s *shape) error {
	list, err := c.patternsOf(u)
	if err != nil {
		return err
	}
	for _, p := range list {
		s.text.add(p)
	}
	k := u.counted()
	s.text.min, s.text.max = max(s.text.min, k.min), smaller(s.text.max, k.max)
	return nil
}

// A countedPattern is an expression with bounds on the length of a text, in
// characters. max < 0 is unlimited.
type countedPattern struct {
	source   string
	min, max int
}

// counted splits what pattern or format demand into an expression and bounds on
// the length: those of host names, and of one character repeated between
// anchors, which as an expression of its own would need states for each.
func (u keywordUse) counted() countedPattern {
	if u.name == "format" {
		if u.value.Text == "hostname" {
			return countedPattern{max: maxHostname}
		}
		return countedPattern{max: -1}
	}
	p := countedPattern{source: u.value.Text, max: -1}
	m := repeatedChar.FindStringSubmatch(p.source)
	if m == nil {
		return p
	}
	lo, _ := strconv.Atoi(m[2])
	hi := lo
	if m[3] == "," {
		hi = -1
	} else if m[3] != "" {
		hi, _ = strconv.Atoi(m[3][1:])
	}
	if max(lo, hi) < minCounted || max(lo, hi) > maxCount || hi >= 0 && hi < lo {
		return p
	}
	return countedPattern{"^" + m[1] + "*$", lo, hi}
}

// Repetitions of fewer than minCounted characters are left to the expression.
const minCounted = 64

// repeatedChar matches one character, escape or class between anchors, and how
// often it comes.
var repeatedChar = regexp.MustCompile(`^\^(\.|[^\\\[\](){}.*+?^$|]|\\[dDwWsS.\-/]|\[\^?(?:[^\\\[\]]|\\[dDwWsStnrfv.\-/\[\]\\^$+*?(){}|])+\])\{([0-9]{1,8})(,|,[0-9]{1,8})?\}\$$`)

func negatePattern(c *compiler, u keywordUse) ([]*shape, error) {
	list, err := c.patternsOf(u)
	if err != nil {
		return nil, err
	}
	var out []*shape
	for _, p := range list {
		p.negate = !p.negate
		s := only(typeString)
		s.text.add(p)
		out = append(out, s)
	}
	if k := u.counted(); k.min > 0 {
		short := only(typeString)
		short.text.max = k.min - 1
		out = append(out, short)
	}
	if k := u.counted(); k.max >= 0 {
		long := only(typeString)
		long.text.min = k.max + 1
		out = append(out, long)
	}
	return out, nil
}
