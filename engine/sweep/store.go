package sweep

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"math"
	"os"
	"path/filepath"
	"sync"

	"logitscope/models"
	"logitscope/sampling"
)

// storeVersion is part of every key: cells that another edition of the
// program would decode differently are not taken up.
const storeVersion = 1

// A store keeps finished cells in a folder, one file each, named by all that
// their texts follow from. The zero value keeps nothing.
type store struct {
	dir string
	of  []byte // hash of what all cells share
}

// newStore returns the store in dir for texts that m writes after prompt.
func newStore(dir string, m models.Model, p *prompt, draft string, seeds []uint64) (store, error) {
	if dir == "" {
		return store{}, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return store{}, err
	}
	h := sha256.New()
	fingerprint(h, m, p)
	add(h, storeVersion, draft, p.tokens, seeds)
	return store{dir, h.Sum(nil)}, nil
}

// fingerprint adds what tells m from other models: what it says of itself,
// its vocabulary, and the logits it gives after the prompt. Those of a server
// may differ from one call to the next, and are left out.
func fingerprint(h hash.Hash, m models.Model, p *prompt) {
	i := m.Info()
	add(h, i.Name, i.Arch, i.Quant, i.Params, i.ContextLen, i.VocabSize)
	for id := range int32(m.Vocab().Size()) {
		add(h, m.Vocab().Piece(id), m.Vocab().Attr(id))
	}
	add(h, m.Vocab().EOG())
	if i.Caps.TopN == 0 && !i.Caps.Normalised {
		bits := make([]uint32, len(p.logits))
		for k, x := range p.logits {
			bits[k] = math.Float32bits(x)
		}
		add(h, bits)
	}
}

// add hashes values, each in a form that no other value has.
func add(h hash.Hash, values ...any) {
	for _, v := range values {
		fmt.Fprintf(h, "%T %q;", v, fmt.Sprint(v))
	}
}

// path returns the file of the cell of cfg. The seed that cfg itself has does
// not matter.
func (s store) path(cfg sampling.Config) (string, error) {
	text, err := json.Marshal(cfg.Without("seed"))
	if err != nil {
		return "", err
	}
	h := sha256.New()
	h.Write(s.of)
	h.Write(text)
	return filepath.Join(s.dir, hex.EncodeToString(h.Sum(nil)[:16])+".json"), nil
}

// load returns the texts of a cell that was kept, nil if there are none. A
// file that cannot be read is as good as none: the cell is decoded again.
func (s store) load(cfg sampling.Config, seeds []uint64) []Text {
	if s.dir == "" {
		return nil
	}
	path, err := s.path(cfg)
	if err != nil {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var texts []Text
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if d.Decode(&texts) != nil || len(texts) != len(seeds) {
		return nil
	}
	for i, t := range texts {
		if t.Seed != seeds[i] || t.Tokens == nil {
			return nil
		}
	}
	return texts
}

// save keeps a cell. The file appears whole or not at all.
func (s store) save(cfg sampling.Config, texts []Text) error {
	if s.dir == "" {
		return nil
	}
	for _, t := range texts {
		if t.Error != "" {
			return nil // another try may succeed
		}
	}
	path, err := s.path(cfg)
	if err != nil {
		return err
	}
	data, err := json.Marshal(texts)
	if err != nil {
		return err
	}
	return writeFile(path, append(data, '\n'))
}

// writing keeps two cells from using one temporary file at once.
var writing sync.Mutex

// writeFile writes data to a file beside path, and puts it in its place once
// it is on the disk.
func writeFile(path string, data []byte) (err error) {
	writing.Lock()
	defer writing.Unlock()
	f, err := os.CreateTemp(filepath.Dir(path), ".cell-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(data); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
