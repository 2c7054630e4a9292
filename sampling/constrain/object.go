package constrain

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// An objectLang is the members of a JSON object between the braces. Blanks
// next to the braces belong to the caller.
type objectLang struct {
	keys      []memberLang
	extra     *expr         // an undeclared member, key to value; nil if none may come
	distinct  *expr         // as extra, with a unique name: while fewer than min have come
	differ    []*stringLang // the texts that must differ: items, or names of distinct
	separator *expr         // the comma with the blanks around it
	min, max  int           // number of properties; max < 0 is unlimited
}

type memberLang struct {
	body     *expr // key, colon and value
	required bool
	group    int // members of one group come in their order
}

func (o *objectLang) nullable() bool {
	if o.min > 0 {
		return false
	}
	for _, k := range o.keys {
		if k.required {
			return false
		}
	}
	return true
}

// ordered reports whether all members are of one group.
func (o *objectLang) ordered() bool {
	for _, k := range o.keys {
		if k.group != o.keys[0].group {
			return false
		}
	}
	return true
}

// object lays out an object's members: as plain nodes where the order is fixed
// and nothing is counted, else as one node that tracks what was seen.
func (b *builder) object(o *objectLang, from int32) int32 {
	if o.ordered() && len(o.differ) == 0 && o.min <= 0 && o.max < 0 {
		return b.orderedObject(o, from)
	}
	p := &objectProg{extra: -1, distinct: -1, min: int32(o.min), max: int32(o.max)}
	p.apart = true
	groups := map[int]bool{}
	must := make([]byte, (len(o.keys)+7)/8)
	for i, k := range o.keys {
		p.keys = append(p.keys, objectKey{b.bodyRule(k.body), k.required, k.group})
		p.apart = p.apart && !groups[k.group]
		groups[k.group] = true
		if k.required {
			must[i>>3] |= 1 << (i & 7)
		}
	}
	p.must = string(must)
	if o.extra != nil {
		p.extra = b.bodyRule(o.extra)
	}
	if o.distinct != nil {
		p.distinct = b.bodyRule(o.distinct)
	}
	p.listTexts(o.differ)
	p.separator = b.bodyRule(o.separator)
	b.p.objs = append(b.p.objs, p)
	return b.jump(from, node{kind: nodeObject, arg: int32(len(b.p.objs) - 1)})
}

// orderedObject lays out members in their order. keys[i] is the choice of the
// i-th member or, if that is optional, of a later one; after[i] stands behind
// a member when the i-th is the next to choose.
func (b *builder) orderedObject(o *objectLang, from int32) int32 {
	n := len(o.keys)
	lastRequired := -1
	for i, k := range o.keys {
		if k.required {
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
			if end := b.emit(o.keys[i].body, b.branch(keys[i])); end >= 0 {
				b.join(end, after[i+1])
			}
			if !o.keys[i].required {
				b.join(keys[i], keys[i+1])
			}
		}
		if i > lastRequired {
			b.join(after[i], to)
		}
		if i == n && o.extra == nil {
			continue // nothing can follow the last member
		}
		next := b.emit(o.separator, b.branch(after[i]))
		b.join(next, keys[i])
		if o.extra != nil {
			b.join(b.emit(o.extra, b.branch(next)), after[i])
		}
	}
	b.join(from, keys[0])
	if o.extra != nil {
		b.join(b.emit(o.extra, b.branch(from)), after[0])
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

// objectData is what the engine remembers inside an object.
type objectData struct {
	first bool        // no member yet
	sep   bool        // the comma before the next member has been read
	count int32       // members so far, at most what the bounds need
	seen  string      // a bit per key
	texts *takenTexts // the items or names so far that others must differ from
}

func (d objectData) has(key int) bool {
	return key>>3 < len(d.seen) && d.seen[key>>3]>>(key&7)&1 != 0
}

// keys is the number of keys so far.
func (d objectData) keys() (n int32) {
	for i := range len(d.seen) {
		n += int32(bits.OnesCount8(d.seen[i]))
	}
	return n
}

func (d objectData) with(key, keys int) string {
	set := make([]byte, (keys+7)/8)
	copy(set, d.seen)
	set[key>>3] |= 1 << (key & 7)
	return string(set)
}

// open reports whether a key may still come as far as order and uniqueness go.
func (o *objectProg) open(p *prog, d objectData, key int) bool {
	if p.ruleMin[o.keys[key].rule] >= unreachable || d.has(key) {
		return false
	}
	if o.apart {
		return true
	}
	for later := key + 1; later < len(o.keys); later++ {
		if o.keys[later].group == o.keys[key].group && d.has(later) {
			return false
		}
	}
	return true
}

// wanted counts the required keys that are still missing.
func (o *objectProg) wanted(d objectData) int32 {
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
func (o *objectProg) can(p *prog, d objectData) bool {
	wanted := o.wanted(d)
	if o.max >= 0 && d.count+wanted > o.max {
		return false
	}
	if d.count+wanted >= o.min || o.hasExtra(p) {
		return true
	}
	left := int32(0)
	if o.cheap != nil {
		return d.count+int32(len(o.cheap))-d.keys() >= o.min
	}
	for i := range o.keys {
		if o.open(p, d, i) {
			left++
		}
	}
	return d.count+left >= o.min
}

// extraRule is the rule of an undeclared member behind d.
func (o *objectProg) extraRule(d objectData) int32 {
	if o.distinct >= 0 && d.count < o.min {
		return o.distinct
	}
	return o.extra
}

func (o *objectProg) hasExtra(p *prog) bool {
	return o.extra >= 0 && p.ruleMin[o.extra] < unreachable
}

// done reports whether the object may close now.
func (o *objectProg) done(d objectData) bool {
	return d.count >= o.min && o.wanted(d) == 0
}

// take returns the data after a member; key < 0 is an undeclared one. ok is
// false if it may not come now.
func (o *objectProg) take(p *prog, d objectData, key int) (next objectData, ok bool) {
	next = d
	next.first, next.sep = false, false
	if o.distinct >= 0 && d.count >= o.min {
		next.texts = nil // there are enough
	}
	// Counting on past the last bound that matters would only make more states.
	if o.max >= 0 || d.count < o.min {
		next.count++
	}
	if o.max >= 0 && next.count > o.max {
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
	next.seen = d.with(key, len(o.keys))
	return next, o.can(p, next)
}

// skips reports whether the turn of a required key would be over behind another.
func (o *objectProg) skips(d objectData, key int) bool {
	for i, k := range o.keys[:key] {
		if k.group == o.keys[key].group && k.required && !d.has(i) {
			return true
		}
	}
	return false
}

// findCheap fills cheap.
func (o *objectProg) findCheap(p *prog) {
	if !o.apart || o.wanted(objectData{}) > 0 {
		return
	}
	cheap := make([]int32, 0, len(o.keys))
	for i, k := range o.keys {
		if p.ruleMin[k.rule] < unreachable {
			cheap = append(cheap, int32(i))
		}
	}
	slices.SortStableFunc(cheap, func(x, y int32) int { return int(p.ruleMin[o.keys[x].rule]) - int(p.ruleMin[o.keys[y].rule]) })
	o.cheap = cheap
}

// more reports whether any member may follow.
func (o *objectProg) more(p *prog, d objectData) bool {
	if _, ok := o.take(p, d, -1); ok {
		return true
	}
	for i := range o.keys {
		if _, ok := o.take(p, d, i); ok {
			return true
		}
	}
	return false
}

// distance is the fewest bytes of members that complete the object after d:
// the required ones and the cheapest others that reach the lower bound.
func (o *objectProg) distance(p *prog, d objectData) int32 {
	if !o.can(p, d) {
		return unreachable
	}
	members := o.wanted(d)
	need := max(0, o.min-d.count-members)
	if d.sep && members == 0 {
		need = max(need, 1) // a comma wants a member
	}
	members += need
	sum := o.cheapest(p, d, o.spare(p, d, need), need)
	for i, k := range o.keys {
		if o.cheap == nil && k.required && !d.has(i) {
			sum = add32(sum, p.ruleMin[k.rule])
		}
	}
	if (d.first || d.sep) && members > 0 {
		members--
	}
	return add32(sum, mul32(p.ruleMin[o.separator], members))
}

// spare lists the fewest bytes of n members that may come and need not, in
// ascending order, or of all if they are fewer.
func (o *objectProg) spare(p *prog, d objectData, n int32) (list []int32) {
	if n == 0 {
		return nil
	}
	for _, i := range o.cheap {
		if !d.has(int(i)) {
			if list = append(list, p.ruleMin[o.keys[i].rule]); len(list) == int(n) {
				break
			}
		}
	}
	if o.cheap != nil {
		return list
	}
	for i, k := range o.keys {
		if !k.required && o.open(p, d, i) {
			list = append(list, p.ruleMin[k.rule])
		}
	}
	slices.Sort(list)
	return list
}

// cheapest is the fewest bytes of n members more: of spare, in ascending order,
// and undeclared ones.
func (o *objectProg) cheapest(p *prog, d objectData, spare []int32, n int32) int32 {
	sum, extra := int32(0), unreachable
	var free []int32
	if o.hasExtra(p) && n > 0 {
		extra, free = p.ruleMin[o.extra], o.free(d)
	}
	for ; n > 0; n-- {
		cost := extra
		switch {
		case len(free) > 0:
			cost = add32(extra, free[0]-jsonLength(o.texts[0].firsts[0]))
		case o.finite():
			cost = unreachable
		}
		switch {
		case len(spare) > 0 && spare[0] <= cost:
			cost, spare = spare[0], spare[1:]
		case len(free) > 0:
			free = free[1:]
		default:
			return add32(sum, mul32(cost, n))
		}
		sum = add32(sum, cost)
	}
	return sum
}

// appendKey writes d so that equal data have equal bytes.
func (d objectData) appendKey(b []byte) []byte {
	flags := byte(0)
	if d.first {
		flags |= 1
	}
	if d.sep {
		flags |= 2
	}
	b = append(b, flags)
	b = binary.LittleEndian.AppendUint32(b, uint32(d.count))
	return binary.LittleEndian.AppendUint32(append(b, d.seen...), uint32(d.texts.number()))
}
