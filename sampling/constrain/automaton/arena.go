package automaton

// An arena hands out copies of lists that live as long as it does, many from
// one allocation.
type arena[T any] struct{ block []T }

func (a *arena[T]) keep(list []T) []T {
	if len(list) == 0 {
		return nil
	}
	if cap(a.block)-len(a.block) < len(list) {
		a.block = make([]T, 0, max(256, len(list)))
	}
	n := len(a.block)
	a.block = append(a.block, list...)
	return a.block[n:len(a.block):len(a.block)]
}
