package lang

// An ObjectLang is the members of a JSON object between the braces. Blanks
// next to the braces belong to the caller.
type ObjectLang struct {
	Keys      []MemberLang
	Extra     *Expr         // an undeclared member, key to value; nil if none may come
	Distinct  *Expr         // as extra, with a unique name: while fewer than min have come
	Differ    []*StringLang // the texts that must differ: items, or names of distinct
	Separator *Expr         // the comma with the blanks around it
	Min, Max  int           // number of properties; max < 0 is unlimited
	// Scope says that words are remembered in what its members hold themselves,
	// not in what these call.
	Scope bool
}

// A MemberLang is one declared member of an object.
type MemberLang struct {
	Body     *Expr // key, colon and value
	Required bool
	Group    int // members of one group come in their order
}

// Nullable reports whether an object without members is allowed.
func (o *ObjectLang) Nullable() bool {
	if o.Min > 0 {
		return false
	}
	for _, k := range o.Keys {
		if k.Required {
			return false
		}
	}
	return true
}

// Ordered reports whether all members are of one group.
func (o *ObjectLang) Ordered() bool {
	for _, k := range o.Keys {
		if k.Group != o.Keys[0].Group {
			return false
		}
	}
	return true
}
