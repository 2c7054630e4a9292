package schema

import (
	"slices"
	"strings"

	"logitscope/sampling/constrain/jsonvalue"
	"logitscope/sampling/constrain/lang"
)

// A trail is the keywords that restrict a shape, as a tree: combining two
// shapes costs one node however many they are. The nil trail is empty.
type trail struct {
	use   keywordUse
	parts [2]*trail
}

func (t *trail) and(o *trail) *trail {
	switch {
	case t == nil:
		return o
	case o == nil:
		return t
	}
	return &trail{parts: [2]*trail{t, o}}
}

// maxTrail bounds the keywords that a message looks at.
const maxTrail = 256

// uses lists the keywords of some names, each once.
func (t *trail) uses(names []string) []keywordUse {
	var out []keywordUse
	for work := []*trail{t}; len(work) > 0 && len(work) < maxTrail; {
		t := work[len(work)-1]
		work = work[:len(work)-1]
		if t == nil {
			continue
		}
		if t.use.node != nil && slices.Contains(names, t.use.name) &&
			!slices.ContainsFunc(out, func(u keywordUse) bool { return u.node == t.use.node && u.name == t.use.name }) {
			out = append(out, t.use)
		}
		work = append(work, t.parts[1], t.parts[0])
	}
	return out
}

// clashes says, by the keyword that a conflict is reported under, which
// keywords may be part of it.
var clashes = map[string][]string{
	"type":          {"type", "enum", "const"},
	"enum":          {"type", "enum", "const", "minLength", "maxLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"},
	"maxLength":     {"minLength", "maxLength"},
	"pattern":       {"minLength", "maxLength", "pattern", "format"},
	"minimum":       {"type", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"},
	"minItems":      {"minItems", "maxItems"},
	"maxProperties": {"minProperties", "maxProperties", "required"},
	"propertyNames": {"minProperties", "maxProperties", "required", "propertyNames"},
	"uniqueItems":   {"minItems", "maxItems", "uniqueItems", "contains"},
}

// trailed are the keywords of any conflict.
var trailed = func() map[string]bool {
	all := map[string]bool{}
	for _, names := range clashes {
		for _, name := range names {
			all[name] = true
		}
	}
	return all
}()

// maxClash bounds the keywords that a message names.
const maxClash = 4

// explained is the conflict of a shape with the keywords that make it, at the
// place of the last of them in the document.
func (s *shape) explained() *lang.Refusal { return s.explainedAs(s.conflict.Keyword) }

func (s *shape) explainedAs(keyword string) *lang.Refusal {
	uses := s.trail.uses(clashes[keyword])
	if len(uses) < 2 {
		return s.conflict
	}
	slices.SortStableFunc(uses, func(x, y keywordUse) int { return x.node.id - y.node.id })
	uses = uses[max(0, len(uses)-maxClash):]
	last := uses[len(uses)-1]
	names := make([]string, len(uses))
	for i, u := range uses {
		names[i] = u.name + " " + lang.Clip(u.brief())
	}
	n := len(names) - 1
	return &lang.Refusal{Pointer: last.ptr(), Keyword: last.name, Reason: strings.Join(names[:n], ", ") + " and " + names[n] + ": nothing fits"}
}

// brief writes the value of a keyword for a message: names as they are, such as
// those of type and required, and all else as JSON.
func (u keywordUse) brief() string {
	v := u.value
	switch {
	case u.name == "enum" || u.name == "const":
	case v.Kind == jsonvalue.String:
		return v.Text
	case v.Kind == jsonvalue.Array:
		names := make([]string, len(v.List))
		for i, x := range v.List {
			names[i] = x.Text
		}
		return "[" + strings.Join(names, ", ") + "]"
	}
	return v.Source()
}

// contradiction says why no value satisfies a set: the conflict that emptied
// it, or that of a member or item it cannot do without.
func (c *compiler) contradiction(s valueSet) *lang.RefusedError {
	seen := map[string]bool{}
	for !seen[s.key()] {
		seen[s.key()] = true
		shapes, err := c.allShapes(s)
		if err != nil || s.never {
			break
		}
		next, conflict := valueSet{}, (*lang.Refusal)(nil)
		for _, k := range shapes {
			if k.types == 0 && k.conflict != nil {
				conflict = k.explained()
				continue
			}
			if need, ok := c.impossibleNeed(k); ok {
				next = need
			} else if need, ok := c.hopelessMember(k); ok {
				next = need
			}
			if own := c.ownConflict(k); own != nil {
				conflict = own
			}
		}
		if len(next.all)+len(next.not) > 0 {
			s = next
			continue
		}
		if conflict != nil {
			return &lang.RefusedError{Refusals: []lang.Refusal{*conflict}}
		}
		break
	}
	for _, n := range s.all {
		if n.value.Kind == jsonvalue.False {
			return lang.Refuse(n.ptr, "false", "allows no value, and one is required here")
		}
	}
	return lang.Refuse(s.pointer(), "required", "no finite value satisfies it: what it requires leads back to itself or allows nothing")
}

// hopelessMember returns the set of a required member that has a conflict of its
// own.
func (c *compiler) hopelessMember(k *shape) (valueSet, bool) {
	for _, name := range k.members.required {
		s, err := c.memberSet(k, name)
		if err != nil || s.never || s.trivial() {
			continue
		}
		shapes, err := c.allShapes(s)
		if err != nil || !slices.ContainsFunc(shapes, func(k *shape) bool { return k.types != 0 && c.ownConflict(k) == nil }) {
			return s, err == nil
		}
	}
	return valueSet{}, false
}

// ownConflict is that of an object whose names, or an array whose items, cannot
// be as many or such as they must.
func (c *compiler) ownConflict(k *shape) *lang.Refusal {
	for _, x := range []struct {
		kind    typeSet
		keyword string
		emit    func(*shape) (*lang.Expr, error)
	}{{typeObject, "propertyNames", c.objectExpr}, {typeArray, "uniqueItems", c.arrayExpr}} {
		if k.types != x.kind || k.hasValues {
			continue
		}
		uses := k.trail.uses(clashes[x.keyword])
		if len(uses) == 0 {
			continue
		}
		if e, err := x.emit(k); err != nil || e.Op != lang.OpNever {
			continue
		}
		last := uses[len(uses)-1]
		own := k.copy()
		own.conflict = &lang.Refusal{Pointer: last.ptr(), Keyword: last.name, Reason: "allows nothing beside the other keywords there"}
		return own.explainedAs(x.keyword)
	}
	return nil
}
