package open

import (
	"context"
	"io"

	"logitscope/models"
	"logitscope/models/gguf"
	"logitscope/models/tokenizer"
)

// Vocab opens the vocabulary of the model that name means, and what holds its
// memory, which the caller must close. A file with a vocabulary and no
// tensors is enough, whatever architecture it is for.
func Vocab(ctx context.Context, name string, opt Options) (models.Vocab, io.Closer, error) {
	m, err := Model(ctx, name, opt)
	if err == nil {
		return m.Vocab(), m, nil
	}
	f, ferr := gguf.Open(name)
	if ferr != nil {
		return nil, nil, err
	}
	// Weights that no model can be made of are a fault of the file.
	if len(f.Tensors) == 0 && f.Size <= f.DataOffset {
		v, verr := tokenizer.New(f)
		if verr == nil {
			return v, f, nil
		}
		err = verr
	}
	f.Close()
	return nil, nil, err
}
