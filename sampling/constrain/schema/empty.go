package schema

import (
	"logitscope/sampling/constrain/jsonvalue"
	"logitscope/sampling/constrain/lang"
)

// empty reports whether a set is known to allow no value. Sets that need
// themselves count as not empty; such rules are found to be unproductive later.
func (c *compiler) empty(s valueSet) (bool, error) {
	if s.never {
		return true, nil
	}
	if len(s.all)+len(s.not) == 0 {
		return false, nil
	}
	key := s.key()
	if known, ok := c.verdicts[key]; ok {
		return known, nil
	}
	if c.checking[key] || len(c.checking) > jsonvalue.MaxJSONDepth {
		return false, nil
	}
	c.checking[key] = true
	defer delete(c.checking, key)
	verdict, err := c.allImpossible(s)
	if r, ok := err.(*lang.RefusedError); ok && r.Loop {
		return false, nil // asked while the schemas it needs are being read
	}
	if err == nil {
		c.verdicts[key] = verdict
	}
	return verdict, err
}

func (c *compiler) allImpossible(s valueSet) (bool, error) {
	shapes, err := c.shapesOf(s)
	if err != nil {
		return false, err
	}
	for _, k := range shapes {
		if t, err := c.possible(k); err != nil || t != 0 {
			return false, err
		}
	}
	return true, nil
}

// possible returns the types of a shape for which a value may exist.
func (c *compiler) possible(k *shape) (typeSet, error) {
	t := k.types
	if t&typeObject != 0 {
		need, err := c.impossibleMember(k)
		if err != nil {
			return 0, err
		}
		if need != nil {
			t &^= typeObject
		}
	}
	if t&typeArray != 0 {
		need, err := c.impossibleItem(k)
		if err != nil {
			return 0, err
		}
		if need != nil {
			t &^= typeArray
		}
	}
	return t, nil
}

// impossibleMember returns the set of a required member that allows nothing.
func (c *compiler) impossibleMember(k *shape) (*valueSet, error) {
	for _, name := range k.members.required {
		s, err := c.memberSet(k, name)
		if err != nil {
			return nil, err
		}
		none, err := c.empty(s)
		if err != nil {
			return nil, err
		}
		if none {
			return &s, nil
		}
	}
	return nil, nil
}

func (c *compiler) impossibleItem(k *shape) (*valueSet, error) {
	for i := 0; i < min(k.items.min, k.items.prefix()+1); i++ {
		s := k.items.item(i)
		none, err := c.empty(s)
		if err != nil {
			return nil, err
		}
		if none {
			return &s, nil
		}
	}
	return nil, nil
}

// impossibleNeed returns what makes a shape impossible, for a message.
func (c *compiler) impossibleNeed(k *shape) (valueSet, bool) {
	if k.types&typeObject != 0 {
		if s, err := c.impossibleMember(k); err == nil && s != nil {
			return *s, true
		}
	}
	if k.types&typeArray != 0 {
		if s, err := c.impossibleItem(k); err == nil && s != nil {
			return *s, true
		}
	}
	return valueSet{}, false
}
