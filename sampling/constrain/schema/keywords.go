package schema

import (
	"math/big"
	"slices"

	"logitscope/sampling/constrain/jsonvalue"
	"logitscope/sampling/constrain/lang"
)

// A keyword says what a member of a schema object means. One with neither
// apply nor branch restricts nothing. negate returns the ways to break it.
type keyword struct {
	apply  func(*compiler, keywordUse, *shape) error
	branch func(*compiler, keywordUse) ([]*shape, error)
	negate func(*compiler, keywordUse) ([]*shape, error)
}

// A keywordUse is a keyword at a place.
type keywordUse struct {
	keyword
	name  string
	node  *subschema
	value *jsonvalue.Value
}

func (u keywordUse) ptr() string { return u.node.ptr }

func (u keywordUse) refuse(format string, args ...any) error {
	return lang.Refuse(u.node.ptr, u.name, format, args...)
}

// keywordTable has every keyword of drafts 4 to 2020-12. It is filled by init
// because its functions refer to it.
var keywordTable map[string]keyword

func init() {
	keywordTable = map[string]keyword{
		"type":  {apply: applyType, negate: negateType},
		"enum":  {apply: applyEnum, negate: negateEnum},
		"const": {apply: applyEnum, negate: negateEnum},

		"minimum":          {apply: applyBound, negate: negateBound},
		"maximum":          {apply: applyBound, negate: negateBound},
		"exclusiveMinimum": {apply: applyBound, negate: negateBound},
		"exclusiveMaximum": {apply: applyBound, negate: negateBound},
		"multipleOf":       {apply: applyMultiple, negate: negateMultiple},

		"minLength": {apply: applyCount, negate: negateCount},
		"maxLength": {apply: applyCount, negate: negateCount},
		"pattern":   {apply: applyPattern, negate: negatePattern},
		"format":    {apply: applyPattern, negate: negatePattern},

		"minItems":    {apply: applyCount, negate: negateCount},
		"maxItems":    {apply: applyCount, negate: negateCount},
		"uniqueItems": {apply: applyUnique, negate: negateUnique},
		"contains":    {apply: applyContains, negate: negateContains},

		"minProperties":     {apply: applyCount, negate: negateCount},
		"maxProperties":     {apply: applyCount, negate: negateCount},
		"required":          {apply: applyRequired, negate: negateRequired},
		"propertyNames":     {apply: applyNames},
		"dependentRequired": {branch: branchDependent, negate: negateDependent},
		"dependentSchemas":  {branch: branchDependent, negate: negateDependent},
		"dependencies":      {branch: branchDependent, negate: negateDependent},

		membersKeyword: {apply: applyMembers, negate: negateMembers},
		itemsKeyword:   {apply: applyItems, negate: negateItems},

		"$ref":  {branch: branchRef, negate: negateRef},
		"allOf": {branch: ofParts((*compiler).every, false), negate: ofParts((*compiler).any, true)},
		"anyOf": {branch: ofParts((*compiler).any, false), negate: ofParts((*compiler).every, true)},
		"oneOf": {branch: branchOneOf, negate: negateOneOf},
		"not":   {branch: branchNot, negate: negateNot},
		"if":    {branch: branchIf, negate: negateIf},
	}
	for _, name := range []string{"$dynamicRef", "$recursiveRef"} {
		keywordTable[name] = keyword{apply: refuseKeyword}
	}
	for _, name := range []string{
		"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment", "$schema", "$id", "id",
		"$anchor", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary", "$defs", "definitions", "contentEncoding", "contentMediaType",
		"contentSchema", "then", "else", "minContains", "maxContains",
	} {
		keywordTable[name] = keyword{}
	}
}

// These stand for groups of keywords that only make sense together.
const (
	membersKeyword = "properties"
	itemsKeyword   = "items"
)

var groups = map[string]string{
	"properties": membersKeyword, "patternProperties": membersKeyword, "additionalProperties": membersKeyword, "unevaluatedProperties": membersKeyword,
	"items": itemsKeyword, "prefixItems": itemsKeyword, "additionalItems": itemsKeyword, "unevaluatedItems": itemsKeyword,
}

// partners are the keywords without which others mean nothing.
var partners = map[string]string{"then": "if", "else": "if", "minContains": "contains", "maxContains": "contains"}

// laterKeywords are those that draft 7 does not have.
var laterKeywords = map[string]bool{
	"prefixItems": true, "dependentRequired": true, "dependentSchemas": true, "minContains": true, "maxContains": true,
	"unevaluatedItems": true, "unevaluatedProperties": true, "$dynamicRef": true, "$recursiveRef": true,
}

// has returns a keyword's value, nil if the schema does not have it or it means
// nothing in its draft.
func (c *compiler) has(n *subschema, name string) *jsonvalue.Value {
	if c.draft == 7 && laterKeywords[name] {
		return nil
	}
	return n.value.Get(name)
}

func refuseKeyword(_ *compiler, u keywordUse, _ *shape) error {
	return u.refuse("is not supported")
}

// keywords lists the keywords of a schema in the order they are written, each
// group once.
func (c *compiler) keywords(n *subschema) []keywordUse {
	var out []keywordUse
	if ref := n.value.Get("$ref"); ref != nil && c.draft == 7 {
		for _, name := range n.value.Names {
			if name != "$ref" && (keywordTable[name].apply != nil || keywordTable[name].branch != nil) {
				c.note(n.ptr, name, "has no effect beside $ref in draft 7")
			}
		}
		return []keywordUse{{keywordTable["$ref"], "$ref", n, ref}}
	}
	for _, name := range n.value.Twice {
		c.note(n.ptr, name, "stands there more than once, and the last counts")
	}
	seen := map[string]bool{}
	for i, name := range n.value.Names {
		use := keywordUse{name: name, node: n, value: n.value.List[i]}
		if need := partners[name]; need != "" && n.value.Get(need) == nil {
			c.note(n.ptr, name, "has no effect without %s", need)
		}
		if v := n.value.Get("items"); name == "additionalItems" && (v == nil || v.Kind != jsonvalue.Array) {
			c.note(n.ptr, name, "has no effect unless items is a list")
		}
		if c.draft == 7 && laterKeywords[name] {
			c.note(n.ptr, name, "is not a keyword of draft 7 and restricts nothing")
			continue
		}
		if g, ok := groups[name]; ok {
			if seen[g] {
				continue
			}
			seen[g] = true
			use.name = g
		}
		k, known := keywordTable[use.name]
		if !known {
			c.note(n.ptr, name, "is not a keyword of JSON Schema and restricts nothing")
			continue
		}
		use.keyword = k
		out = append(out, use)
	}
	return out
}

var typeNames = map[string]typeSet{
	"null": typeNull, "boolean": typeBoolean, "integer": typeInteger, "number": typeNumber, "string": typeString, "array": typeArray, "object": typeObject,
}

func (u keywordUse) types() (typeSet, error) {
	list := []*jsonvalue.Value{u.value}
	if u.value.Kind == jsonvalue.Array {
		list = u.value.List
	}
	var t typeSet
	for _, v := range list {
		x, ok := typeNames[v.Text]
		if v.Kind != jsonvalue.String || !ok {
			return 0, u.refuse("must be null, boolean, integer, number, string, array, object or a list of these")
		}
		t |= x
	}
	return t, nil
}

func applyType(_ *compiler, u keywordUse, s *shape) error {
	t, err := u.types()
	s.drop(^t, u.ptr(), u.name, "no type is left")
	return err
}

func negateType(_ *compiler, u keywordUse) ([]*shape, error) {
	t, err := u.types()
	return []*shape{only(typeAny &^ t)}, err
}

// list returns the values of enum or const.
func (u keywordUse) list() ([]*jsonvalue.Value, error) {
	if u.name == "const" {
		return []*jsonvalue.Value{u.value}, nil
	}
	if u.value.Kind != jsonvalue.Array {
		return nil, u.refuse("must be a list of values")
	}
	return u.value.List, nil
}

func applyEnum(_ *compiler, u keywordUse, s *shape) error {
	list, err := u.list()
	if err != nil {
		return err
	}
	if s.hasValues {
		list = slices.DeleteFunc(slices.Clone(list), func(v *jsonvalue.Value) bool { return !holds(s.values, v) })
	}
	s.values, s.hasValues = list, true
	return nil
}

// negateEnum is everything but a list of values.
func negateEnum(_ *compiler, u keywordUse) ([]*shape, error) {
	list, err := u.list()
	if err != nil {
		return nil, err
	}
	s := anything()
	var more []*shape
	for _, v := range list {
		switch {
		case v.Kind == jsonvalue.Number:
			s.number.bound(comparison{v.Num, true, false, true})
		case v.Kind == jsonvalue.String:
			s.notTexts = append(s.notTexts, v.Text)
		case v.Kind == jsonvalue.Array && len(v.List) == 0:
			s.items.min = 1
		case v.Kind == jsonvalue.Object && len(v.List) == 0:
			s.members.min = 1
		case v.Kind == jsonvalue.Array || v.Kind == jsonvalue.Object:
			return nil, u.refuse("its negation is supported for values other than filled arrays and objects")
		default:
			s.types &^= typesOf(v)
		}
	}
	return append(more, s), nil
}

func (u keywordUse) number() (*big.Rat, error) {
	if u.value.Kind != jsonvalue.Number {
		return nil, u.refuse("must be a number")
	}
	return u.value.Num, nil
}

// comparison reads a bound. Draft 4 has exclusive bounds as switches beside
// minimum and maximum; as keywords of their own these then say nothing.
func (u keywordUse) comparison() (comparison, bool, error) {
	upper := u.name == "maximum" || u.name == "exclusiveMaximum"
	exclusive := u.name == "exclusiveMinimum" || u.name == "exclusiveMaximum"
	if exclusive && (u.value.Kind == jsonvalue.True || u.value.Kind == jsonvalue.False) {
		return comparison{}, false, nil
	}
	v, err := u.number()
	if err != nil {
		return comparison{}, false, err
	}
	if !exclusive {
		name := "exclusiveMinimum"
		if upper {
			name = "exclusiveMaximum"
		}
		if x := u.node.value.Get(name); x != nil && x.Kind == jsonvalue.True {
			exclusive = true
		}
	}
	return comparison{value: v, less: upper, equal: !exclusive, greater: !upper}, true, nil
}

func applyBound(_ *compiler, u keywordUse, s *shape) error {
	c, ok, err := u.comparison()
	if ok {
		s.number.bound(c)
	}
	return err
}

func negateBound(_ *compiler, u keywordUse) ([]*shape, error) {
	c, ok, err := u.comparison()
	if !ok {
		return nil, err
	}
	s := only(typeNumber)
	s.number.bound(comparison{c.value, !c.less, !c.equal, !c.greater})
	return []*shape{s}, nil
}

func (u keywordUse) step() (*big.Rat, error) {
	v, err := u.number()
	if err == nil && v.Sign() <= 0 {
		err = u.refuse("must be above 0")
	}
	return v, err
}

func applyMultiple(_ *compiler, u keywordUse, s *shape) error {
	v, err := u.step()
	if err == nil {
		s.number.meet(&numberLang{integer: true, fraction: true, multiple: v})
	}
	return err
}

func negateMultiple(_ *compiler, u keywordUse) ([]*shape, error) {
	v, err := u.step()
	s := only(typeNumber)
	s.number.notMultiple = []*big.Rat{v}
	return []*shape{s}, err
}

func applyUnique(_ *compiler, u keywordUse, s *shape) error {
	if u.value.Kind != jsonvalue.True && u.value.Kind != jsonvalue.False {
		return u.refuse("must be true or false")
	}
	s.items.unique = s.items.unique || u.value.Kind == jsonvalue.True
	return nil
}

func negateUnique(_ *compiler, u keywordUse) ([]*shape, error) {
	if u.value.Kind != jsonvalue.True {
		return nil, nil
	}
	return nil, u.refuse("its negation, which not, if or oneOf needs here, is not supported")
}

func (u keywordUse) strings(v *jsonvalue.Value) ([]string, error) {
	if v.Kind != jsonvalue.Array {
		return nil, u.refuse("must be a list of names")
	}
	var out []string
	for _, x := range v.List {
		if x.Kind != jsonvalue.String {
			return nil, u.refuse("must be a list of names")
		}
		out = append(out, x.Text)
	}
	return out, nil
}

func applyRequired(_ *compiler, u keywordUse, s *shape) error {
	if u.value.Kind == jsonvalue.True || u.value.Kind == jsonvalue.False {
		return nil // a switch of draft 3, without meaning since
	}
	names, err := u.strings(u.value)
	s.members.meet(&memberBounds{required: names, max: -1})
	return err
}

func negateRequired(_ *compiler, u keywordUse) ([]*shape, error) {
	names, err := u.strings(u.value)
	var out []*shape
	for _, name := range names {
		out = append(out, without(name))
	}
	return out, err
}

// without is an object that lacks a member, with one that has it, and
// withMember one whose member also satisfies a set.
func without(name string) *shape { return withMember(name, valueSet{never: true}, false) }

func with(name string) *shape { return withMember(name, valueSet{}, true) }

func withMember(name string, s valueSet, required bool) *shape {
	k := only(typeObject)
	k.members.clauses = []*memberClause{{names: []string{name}, sets: map[string]valueSet{name: s}}}
	switch {
	case required:
		k.members.required = []string{name}
	case s.never:
		k.members.forbidden = []string{name}
	}
	return k
}

func applyNames(c *compiler, u keywordUse, s *shape) error {
	set, err := c.child(u.node, u.value, u.name)
	s.members.names = append(s.members.names, set)
	return err
}
