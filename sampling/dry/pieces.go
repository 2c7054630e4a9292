package dry

// A Pieces finds the tokens whose pieces have a byte in them.
type Pieces struct {
	holds, ends postings // tokens with a byte anywhere, and as the last one
}

// postings are lists of ascending ids, one for each byte.
type postings struct {
	start [257]int32
	ids   []int32
}

func (p *postings) of(c byte) []int32 { return p.ids[p.start[c]:p.start[int(c)+1]] }

// Index reads the pieces of v.
func Index(v Vocab) Pieces {
	n := int32(v.Size())
	pieces := make([]string, n)
	var holds, ends [256]int32
	for id := range n {
		if !v.HasPiece(id) {
			continue
		}
		piece := v.Piece(id)
		pieces[id] = piece
		for i := range len(piece) {
			if !repeats(piece, i) {
				holds[piece[i]]++
			}
		}
		if piece != "" {
			ends[piece[len(piece)-1]]++
		}
	}
	var x Pieces
	holdsNext, endsNext := x.holds.room(&holds), x.ends.room(&ends)
	for id, piece := range pieces {
		for i := range len(piece) {
			if !repeats(piece, i) {
				x.holds.put(piece[i], int32(id), &holdsNext)
			}
		}
		if piece != "" {
			x.ends.put(piece[len(piece)-1], int32(id), &endsNext)
		}
	}
	return x
}

// repeats reports whether byte i of a piece occurs before.
func repeats(piece string, i int) bool {
	for _, c := range []byte(piece[:i]) {
		if c == piece[i] {
			return true
		}
	}
	return false
}

// room makes room for lists of given lengths, and returns where each begins.
func (p *postings) room(counts *[256]int32) (next [256]int32) {
	for c, n := range counts {
		next[c] = p.start[c]
		p.start[c+1] = p.start[c] + n
	}
	p.ids = make([]int32, p.start[256])
	return next
}

func (p *postings) put(c byte, id int32, next *[256]int32) {
	p.ids[next[c]] = id
	next[c]++
}
