package program

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"logitscope/sampling/constrain/lang"
)

// object lays out an object's members: as plain nodes where the order is fixed
// and nothing is counted, else as one node that tracks what was seen.
func (b *builder) object(o *lang.ObjectLang, from int32) int32 {
	if o.Ordered() && !o.Scope && len(o.Differ) == 0 && o.Min <= 0 && o.Max < 0 {
		return b.orderedObject(o, from)
	}
	p := &Object{extra: -1, Distinct: -1, Min: int32(o.Min), max: int32(o.Max)}
	p.apart = true
	groups := map[int]bool{}
	must := make([]byte, (len(o.Keys)+7)/8)
	for i, k := range o.Keys {
		p.Keys = append(p.Keys, Key{b.bodyRule(k.Body), k.Required, k.Group})
		p.apart = p.apart && !groups[k.Group]
		groups[k.Group] = true
		if k.Required {
			must[i>>3] |= 1 << (i & 7)
		}
	}
	p.must = string(must)
	if o.Extra != nil {
		p.extra = b.bodyRule(o.Extra)
	}
	if o.Distinct != nil {
		p.Distinct = b.bodyRule(o.Distinct)
	}
	p.listTexts(o.Differ)
	p.Separator = b.bodyRule(o.Separator)
	b.p.Objs = append(b.p.Objs, p)
	return b.jump(from, node{Kind: NodeObject, Arg: int32(len(b.p.Objs) - 1)})
}

// orderedObject lays out members in their order. keys[i] is the choice of the
// i-th member or, if that is optional, of a later one; after[i] stands after
// a member when the i-th is the next to choose.
func (b *builder) orderedObject(o *lang.ObjectLang, from int32) int32 {
	n := len(o.Keys)
	lastRequired := -1
	for i, k := range o.Keys {
		if k.Required {
			lastRequired = i
		}
	}
	to := b.hollow()
	keys, after := make([]int32, n+1), make([]int32, n+1)
	for i := range keys {
		keys[i], after[i] = b.hollow(), b.hollow()
	}
	for i := 0; i <= n; i++ {
		if i < n {
			if end := b.emit(o.Keys[i].Body, b.branch(keys[i])); end >= 0 {
				b.join(end, after[i+1])
			}
			if !o.Keys[i].Required {
				b.join(keys[i], keys[i+1])
			}
		}
		if i > lastRequired {
			b.join(after[i], to)
		}
		if i == n && o.Extra == nil {
			continue // nothing can follow the last member
		}
		next := b.emit(o.Separator, b.branch(after[i]))
		b.join(next, keys[i])
		if o.Extra != nil {
			b.join(b.emit(o.Extra, b.branch(next)), after[i])
		}
	}
	b.join(from, keys[0])
	if o.Extra != nil {
		b.join(b.emit(o.Extra, b.branch(from)), after[0])
	}
	if lastRequired < 0 {
		b.join(from, to)
	}
	return to
}

func (b *builder) branch(from int32) int32 {
	n := b.hollow()
	b.join(from, n)
	return n
}

// Data is what the engine remembers inside an object.
type Data struct {
	First bool   // no member yet
	Sep   bool   // the comma before the next member has been read
	Count int32  // members so far, at most what the bounds need
	seen  string // a bit per key
	Texts *Taken // the items or names so far that others must differ from
}

func (d Data) has(key int) bool {
	return key>>3 < len(d.seen) && d.seen[key>>3]>>(key&7)&1 != 0
}

// keys is the number of keys so far.
func (d Data) keys() (n int32) {
	for i := range len(d.seen) {
		n += int32(bits.OnesCount8(d.seen[i]))
	}
	return n
}

func (d Data) with(key, keys int) string {
	set := make([]byte, (keys+7)/8)
	copy(set, d.seen)
	set[key>>3] |= 1 << (key & 7)
	return string(set)
}

// open reports whether a key may still come as far as order and uniqueness go.
func (o *Object) open(p *Program, d Data, key int) bool {
	if p.RuleMin[o.Keys[key].Rule] >= lang.Unreachable || d.has(key) {
		return false
	}
	if o.apart {
		return true
	}
	for later := key + 1; later < len(o.Keys); later++ {
		if o.Keys[later].group == o.Keys[key].group && d.has(later) {
			return false
		}
	}
	return true
}

// wanted counts the required keys that are still missing.
func (o *Object) wanted(d Data) int32 {
	n := 0
	for i := range len(o.must) {
		missing := o.must[i]
		if i < len(d.seen) {
			missing &^= d.seen[i]
		}
		n += bits.OnesCount8(missing)
	}
	return int32(n)
}

// can reports whether the object can still be completed after d.
func (o *Object) can(p *Program, d Data) bool {
	wanted := o.wanted(d)
	if o.max >= 0 && d.Count+wanted > o.max {
		return false
	}
	if d.Count+wanted >= o.Min || o.hasExtra(p) {
		return true
	}
	left := int32(0)
	if o.cheap != nil {
		return d.Count+int32(len(o.cheap))-d.keys() >= o.Min
	}
	for i := range o.Keys {
		if o.open(p, d, i) {
			left++
		}
	}
	return d.Count+left >= o.Min
}

// ExtraRule is the rule of an undeclared member after d.
func (o *Object) ExtraRule(d Data) int32 {
	if o.Distinct >= 0 && d.Count < o.Min {
		return o.Distinct
	}
	return o.extra
}

func (o *Object) hasExtra(p *Program) bool {
	return o.extra >= 0 && p.RuleMin[o.extra] < lang.Unreachable
}

// Done reports whether the object may close now.
func (o *Object) Done(d Data) bool {
	return d.Count >= o.Min && o.wanted(d) == 0
}

// Take returns the data after a member; key < 0 is an undeclared one. ok is
// false if it may not come now.
func (o *Object) Take(p *Program, d Data, key int) (next Data, ok bool) {
	next = d
	next.First, next.Sep = false, false
	if o.Distinct >= 0 && d.Count >= o.Min {
		next.Texts = nil // there are enough
	}
	// Counting on past the last bound that matters would only make more states.
	if o.max >= 0 || d.Count < o.Min {
		next.Count++
	}
	if o.max >= 0 && next.Count > o.max {
		return next, false
	}
	if key < 0 {
		return next, o.hasExtra(p) && o.can(p, next)
	}
	if !o.open(p, d, key) {
		return next, false
	}
	if !o.apart && o.skips(d, key) {
		return next, false
	}
	next.seen = d.with(key, len(o.Keys))
	return next, o.can(p, next)
}

// skips reports whether the turn of a required key would be over after another.
func (o *Object) skips(d Data, key int) bool {
	for i, k := range o.Keys[:key] {
		if k.group == o.Keys[key].group && k.required && !d.has(i) {
			return true
		}
	}
	return false
}

// findCheap fills cheap.
func (o *Object) findCheap(p *Program) {
	if !o.apart || o.wanted(Data{}) > 0 {
		return
	}
	cheap := make([]int32, 0, len(o.Keys))
	for i, k := range o.Keys {
		if p.RuleMin[k.Rule] < lang.Unreachable {
			cheap = append(cheap, int32(i))
		}
	}
	slices.SortStableFunc(cheap, func(x, y int32) int { return int(p.RuleMin[o.Keys[x].Rule]) - int(p.RuleMin[o.Keys[y].Rule]) })
	o.cheap = cheap
}

// More reports whether any member may follow.
func (o *Object) More(p *Program, d Data) bool {
	if _, ok := o.Take(p, d, -1); ok {
		return true
	}
	for i := range o.Keys {
		if _, ok := o.Take(p, d, i); ok {
			return true
		}
	}
	return false
}

// Distance is the fewest bytes of members that complete the object after d:
// the required ones and the cheapest others that reach the lower bound.
func (o *Object) Distance(p *Program, d Data) int32 {
	if !o.can(p, d) {
		return lang.Unreachable
	}
	members := o.wanted(d)
	need := max(0, o.Min-d.Count-members)
	if d.Sep && members == 0 {
		need = max(need, 1) // a comma wants a member
	}
	members += need
	sum := o.cheapest(p, d, o.spare(p, d, need), need)
	for i, k := range o.Keys {
		if o.cheap == nil && k.required && !d.has(i) {
			sum = lang.Add32(sum, p.RuleMin[k.Rule])
		}
	}
	if (d.First || d.Sep) && members > 0 {
		members--
	}
	return lang.Add32(sum, lang.Mul32(p.RuleMin[o.Separator], members))
}

// spare lists the fewest bytes of n members that may come and need not, in
// ascending order, or of all if they are fewer.
func (o *Object) spare(p *Program, d Data, n int32) (list []int32) {
	if n == 0 {
		return nil
	}
	for _, i := range o.cheap {
		if !d.has(int(i)) {
			if list = append(list, p.RuleMin[o.Keys[i].Rule]); len(list) == int(n) {
				break
			}
		}
	}
	if o.cheap != nil {
		return list
	}
	for i, k := range o.Keys {
		if !k.required && o.open(p, d, i) {
			list = append(list, p.RuleMin[k.Rule])
		}
	}
	slices.Sort(list)
	return list
}

// cheapest is the fewest bytes of n members more: of spare, in ascending order,
// and undeclared ones.
func (o *Object) cheapest(p *Program, d Data, spare []int32, n int32) int32 {
	sum, extra := int32(0), lang.Unreachable
	var free []int32
	if o.hasExtra(p) && n > 0 {
		extra, free = p.RuleMin[o.extra], o.free(d)
	}
	for ; n > 0; n-- {
		cost := extra
		switch {
		case len(free) > 0:
			cost = lang.Add32(extra, free[0]-lang.JSONLength(o.Texts[0].Firsts[0]))
		case o.finite():
			cost = lang.Unreachable
		}
		switch {
		case len(spare) > 0 && spare[0] <= cost:
			cost, spare = spare[0], spare[1:]
		case len(free) > 0:
			free = free[1:]
		default:
			return lang.Add32(sum, lang.Mul32(cost, n))
		}
		sum = lang.Add32(sum, cost)
	}
	return sum
}

// AppendKey writes d so that equal data have equal bytes.
func (d Data) AppendKey(b []byte) []byte {
	flags := byte(0)
	if d.First {
		flags |= 1
	}
	if d.Sep {
		flags |= 2
	}
	b = append(b, flags)
	b = binary.LittleEndian.AppendUint32(b, uint32(d.Count))
	return binary.LittleEndian.AppendUint32(append(b, d.seen...), uint32(d.Texts.number()))
}
