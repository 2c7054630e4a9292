package automaton

const pageBits = 8

// A paged list grows without moving what is in it, so pointers to its elements
// stay good and no addition takes long.
type paged[T any] struct {
	pages [][]T
	n     int
}

func (p *paged[T]) at(i int32) *T { return &p.pages[i>>pageBits][i&(1<<pageBits-1)] }

// add appends an element and returns its index.
func (p *paged[T]) add(x T) int32 {
	if p.n>>pageBits == len(p.pages) {
		p.pages = append(p.pages, make([]T, 1<<pageBits))
	}
	i := int32(p.n)
	p.n++
	*p.at(i) = x
	return i
}
