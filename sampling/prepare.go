package sampling

// A Prepared is a vocabulary that has been read once, so that compiling for
// it need not look at every token again. It does not change after Prepare and
// may be shared.
type Prepared struct {
	Vocab
	noPiece []int32
	pieces  pieceIndex
}

// Prepare reads v, whose tokens must not change afterwards. Preparing again
// what is prepared returns it as it is.
func Prepare(v Vocab) *Prepared {
	if p, ok := v.(*Prepared); ok {
		return p
	}
	return &Prepared{v, withoutPiece(v), indexPieces(v)}
}

// noPieces returns the ids of v that have no piece. The result is shared.
func noPieces(v Vocab) []int32 {
	if p, ok := v.(*Prepared); ok {
		return p.noPiece
	}
	return withoutPiece(v)
}

func withoutPiece(v Vocab) []int32 {
	var ids []int32
	for id := range int32(v.Size()) {
		if !v.HasPiece(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// A pieceIndex finds the tokens whose pieces have a byte in them.
type pieceIndex struct {
	holds, ends postings // tokens with a byte anywhere, and as the last one
}

// postings are lists of ascending ids, one for each byte.
type postings struct {
	start [257]int32
	ids   []int32
}

func (p *postings) of(c byte) []int32 { return p.ids[p.start[c]:p.start[int(c)+1]] }

// indexOf returns the index of v's pieces.
func indexOf(v Vocab) *pieceIndex {
	if p, ok := v.(*Prepared); ok {
		return &p.pieces
	}
	x := indexPieces(v)
	return &x
}

func indexPieces(v Vocab) pieceIndex {
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
	var x pieceIndex
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
