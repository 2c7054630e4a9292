package sampling

import "logitscope/sampling/dry"

// A Prepared is a vocabulary that has been read once, so that compiling for
// it need not look at every token again. It does not change after Prepare and
// may be shared.
type Prepared struct {
	Vocab
	noPiece []int32
	pieces  dry.Pieces
}

// Prepare reads v, whose tokens must not change afterwards. Preparing again
// what is prepared returns it as it is.
func Prepare(v Vocab) *Prepared {
	if p, ok := v.(*Prepared); ok {
		return p
	}
	return &Prepared{v, withoutPiece(v), dry.Index(v)}
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

// piecesOf returns the index of v's pieces, nil without a vocabulary.
func piecesOf(v Vocab) *dry.Pieces {
	if v == nil {
		return nil
	}
	if p, ok := v.(*Prepared); ok {
		return &p.pieces
	}
	x := dry.Index(v)
	return &x
}
