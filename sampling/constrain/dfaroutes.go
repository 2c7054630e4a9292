package constrain

import "container/heap"

// Orders in which routes are looked for.
func cheapest(bytes, points int32) int64 { return int64(bytes)<<32 | int64(points) }
func shortest(bytes, points int32) int64 { return int64(points)<<32 | int64(bytes) }

// routes relaxes backwards from acceptance, in order of weight (Dijkstra).
func (d *dfaText) routes(weight func(bytes, points int32) int64) route {
	n := len(d.next)
	back := d.arcs()
	r := route{make([]int32, n), make([]int32, n)}
	var queue routeQueue
	for q := range n {
		r.bytes[q], r.points[q] = unreachable, unreachable
		if d.final[q] {
			r.bytes[q], r.points[q] = 0, 0
			queue = append(queue, routeEntry{0, int32(q)})
		}
	}
	heap.Init(&queue)
	for len(queue) > 0 {
		e := heap.Pop(&queue).(routeEntry)
		if e.weight != weight(r.bytes[e.q], r.points[e.q]) {
			continue
		}
		for _, a := range back[e.q] {
			b, p := r.bytes[e.q]+a.bytes, r.points[e.q]+a.points
			if w := weight(b, p); r.bytes[a.from] >= unreachable || w < weight(r.bytes[a.from], r.points[a.from]) {
				r.bytes[a.from], r.points[a.from] = b, p
				heap.Push(&queue, routeEntry{w, a.from})
			}
		}
	}
	return r
}

// An arc is a move backwards: the state it comes from and what it costs.
type arc struct{ from, bytes, points int32 }

// arcs lists the moves by the state they lead to, the cheapest of each kind.
func (d *dfaText) arcs() [][]arc {
	back := make([][]arc, len(d.next))
	for q, row := range d.next {
		for k, to := range row {
			if to < 0 {
				continue
			}
			a := arc{int32(q), 1, 0}
			if d.left[q] == 0 {
				a.bytes, a.points = d.price[k], 1
			}
			if l := back[to]; len(l) > 0 && l[len(l)-1].from == a.from {
				l[len(l)-1].bytes = min(l[len(l)-1].bytes, a.bytes)
				continue
			}
			back[to] = append(back[to], a)
		}
	}
	return back
}

type routeEntry struct {
	weight int64
	q      int32
}

type routeQueue []routeEntry

func (h routeQueue) Len() int           { return len(h) }
func (h routeQueue) Less(i, j int) bool { return h[i].weight < h[j].weight }
func (h routeQueue) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *routeQueue) Push(x any)        { *h = append(*h, x.(routeEntry)) }
func (h *routeQueue) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
