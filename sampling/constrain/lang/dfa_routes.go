package lang

// Orders in which routes are looked for.
func cheapest(bytes, points int32) int64 { return int64(bytes)<<32 | int64(points) }

func shortest(bytes, points int32) int64 { return int64(points)<<32 | int64(bytes) }

// routes relaxes backwards from acceptance, in order of weight (Dijkstra).
func (d *DFA) routes(weight func(bytes, points int32) int64, back arcs) route {
	n := len(d.Next)
	r := route{make([]int32, n), make([]int32, n)}
	var queue routeQueue
	for q := range n {
		r.Bytes[q], r.points[q] = Unreachable, Unreachable
		if d.Final[q] {
			r.Bytes[q], r.points[q] = 0, 0
			queue = append(queue, routeEntry{0, int32(q)})
		}
	}
	for len(queue) > 0 {
		e := queue.pop()
		if e.weight != weight(r.Bytes[e.q], r.points[e.q]) {
			continue
		}
		for _, a := range back.to(e.q) {
			b, p := r.Bytes[e.q]+a.bytes, r.points[e.q]+a.points
			if w := weight(b, p); r.Bytes[a.from] >= Unreachable || w < weight(r.Bytes[a.from], r.points[a.from]) {
				r.Bytes[a.from], r.points[a.from] = b, p
				queue.push(routeEntry{w, a.from})
			}
		}
	}
	return r
}

// approach fills in the cheapest ways to acceptance.
func (d *DFA) approach(back arcs) {
	d.Near, d.Far = d.routes(cheapest, back), 0
	for _, n := range d.Near.Bytes {
		if n < Unreachable {
			d.Far = max(d.Far, n)
		}
	}
}

// An arc is a move backwards: the state it comes from and what it costs.
type arc struct{ from, bytes, points int32 }

// arcs lists the moves by the state they lead to, the cheapest of each kind:
// those to state q are list[first[q]:first[q+1]].
type arcs struct {
	list  []arc
	first []int32
}

func (a arcs) to(q int32) []arc { return a.list[a.first[q]:a.first[q+1]] }

func (d *DFA) arcs() arcs {
	// Count, then fill: each state's moves in the order of where they come from.
	n := len(d.Next)
	out := arcs{first: make([]int32, n+2)}
	last := make([]int32, n)
	eachMove := func(fn func(q, to int32, price int32)) {
		for q, row := range d.Next {
			for k, to := range row {
				if to < 0 || k > 0 && row[k-1] == to && d.price[k-1] <= d.price[k] {
					continue
				}
				fn(int32(q), to, d.price[k])
			}
		}
	}
	eachMove(func(q, to, _ int32) {
		if last[to] != q+1 {
			last[to] = q + 1
			out.first[to+2]++
		}
	})
	for i := 2; i < len(out.first); i++ {
		out.first[i] += out.first[i-1]
	}
	out.list = make([]arc, out.first[n+1])
	clear(last)
	eachMove(func(q, to, price int32) {
		a := arc{q, 1, 0}
		if d.Left[q] == 0 {
			a.bytes, a.points = price, 1
		}
		at := &out.first[to+1]
		if last[to] == q+1 {
			out.list[*at-1].bytes = min(out.list[*at-1].bytes, a.bytes)
			return
		}
		last[to] = q + 1
		out.list[*at] = a
		*at++
	})
	out.first = out.first[:n+1]
	return out
}

type routeEntry struct {
	weight int64
	q      int32
}

// A routeQueue is a heap by weight.
type routeQueue []routeEntry

func (h *routeQueue) push(e routeEntry) {
	*h = append(*h, e)
	l := *h
	for i := len(l) - 1; i > 0; {
		up := (i - 1) / 2
		if l[up].weight <= l[i].weight {
			break
		}
		l[up], l[i] = l[i], l[up]
		i = up
	}
}

func (h *routeQueue) pop() routeEntry {
	l := *h
	top, n := l[0], len(l)-1
	l[0] = l[n]
	l = l[:n]
	*h = l
	for i := 0; ; {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < n; c++ {
			if l[c].weight < l[least].weight {
				least = c
			}
		}
		if least == i {
			return top
		}
		l[i], l[least] = l[least], l[i]
		i = least
	}
}
