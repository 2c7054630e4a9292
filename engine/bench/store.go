package bench

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"logitscope/engine/bench/prompts"
	"logitscope/engine/check"
	"logitscope/models"
	"logitscope/sampling"
)

// storeVersion is part of every key: texts that another edition of the
// program would decode differently are not taken up.
const storeVersion = 2

// serverVersion is that of the texts of servers.
const serverVersion = 1

// A key names a text by all that it follows from.
type key [16]byte

// A store is a log of finished texts, one a line, that is only ever added to:
// each line by one write at whatever is the end by then, so that several
// programs may share it. A line that a crash cut short is skipped and its text
// decoded again.
type store struct {
	temporary bool

	mu    sync.Mutex
	file  *os.File
	index map[key]span
}

// A span is where a line stands in the log.
type span struct {
	at  int64
	len int32
}

// A line of the log.
type logLine struct {
	Key  string          `json:"key"`
	Text json.RawMessage `json:"text"`
	Sum  string          `json:"sum"` // of the text
}

// openStore opens the log of that name in dir, or a temporary one if dir is
// empty. With fresh, what it has is not taken up.
func openStore(dir string, name []byte, fresh bool) (*store, error) {
	s := &store{index: map[key]span{}}
	var err error
	if dir == "" {
		s.temporary = true
		s.file, err = os.CreateTemp("", "logitscope-*.jsonl")
		return s, err
	}
	if err = os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, hex.EncodeToString(name[:16])+".jsonl")
	if s.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644); err != nil {
		return nil, err
	}
	if err = s.load(fresh); err != nil {
		s.file.Close()
		return nil, err
	}
	return s, nil
}

// maxLogLine bounds a line of the log.
const maxLogLine = 64 << 20

// load finds the lines of the log, and ends one that was cut short.
func (s *store) load(fresh bool) error {
	in := bufio.NewReaderSize(s.file, 1<<16)
	var line []byte
	end := int64(0)
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) <= maxLogLine {
			line = append(line, part...)
		}
		end += int64(len(part))
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		at := end - int64(len(line))
		if k, _, ok := parseLine(line); ok && !fresh {
			s.index[k] = span{at, int32(len(line))}
		}
		line = line[:0]
	}
	if len(line) > 0 {
		_, err := s.file.Write([]byte{'\n'})
		return err
	}
	return nil
}

// parseLine reads a line of the log. ok is false for one that is not whole.
func parseLine(line []byte) (k key, text json.RawMessage, ok bool) {
	var l logLine
	if json.Unmarshal(line, &l) != nil || len(l.Key) != 2*len(k) || l.Sum != sumOf(l.Text) {
		return k, nil, false
	}
	_, err := hex.Decode(k[:], []byte(l.Key))
	return k, l.Text, err == nil
}

func sumOf(text []byte) string {
	h := sha256.Sum256(text)
	return hex.EncodeToString(h[:4])
}

// A kept text is a [Text] as the log has it, with the checks it was judged by.
type kept struct {
	Text
	By string `json:"by,omitempty"` // what it was judged by
}

// get returns the text of a key.
func (s *store) get(k key) (kept, bool) {
	s.mu.Lock()
	at, ok := s.index[k]
	s.mu.Unlock()
	if !ok {
		return kept{}, false
	}
	line := make([]byte, at.len)
	if _, err := s.file.ReadAt(line, at.at); err != nil {
		return kept{}, false
	}
	of, raw, ok := parseLine(line)
	var t kept
	if !ok || of != k || json.Unmarshal(raw, &t) != nil || t.Tokens == nil {
		return kept{}, false
	}
	return t, true
}

// put adds a text.
func (s *store) put(k key, t kept) error {
	text, err := json.Marshal(t)
	if err != nil {
		return err
	}
	line, err := json.Marshal(logLine{hex.EncodeToString(k[:]), text, sumOf(text)})
	if err != nil {
		return err
	}
	line = append(line, '\n')
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.file.Write(line); err != nil {
		return err
	}
	end, err := s.file.Seek(0, io.SeekCurrent) // after the line, wherever it went
	if err != nil {
		return err
	}
	s.index[k] = span{end - int64(len(line)), int32(len(line))}
	return nil
}

// close puts the log on the disk, or removes a temporary one.
func (s *store) close() error {
	err := s.file.Sync()
	if e := s.file.Close(); err == nil {
		err = e
	}
	if s.temporary {
		os.Remove(s.file.Name())
	}
	return err
}

// fingerprint returns what tells b from other backends: what its model says of
// itself, its vocabulary, and the logits it gives after ids; of a server its
// address.
func fingerprint(ctx context.Context, b *Backend, ids []int32) ([]byte, error) {
	h := sha256.New()
	m := b.Model
	i := m.Info()
	add(h, storeVersion, i.Name, i.Arch, i.Quant, i.Arithmetic, i.Params, i.ContextLen, i.VocabSize, b.Draft.Name())
	if i.Server != "" {
		add(h, serverVersion, i.Server, i.Address) // it is not asked for every token
		return h.Sum(nil), nil
	}
	for id := range int32(m.Vocab().Size()) {
		add(h, m.Vocab().Piece(id), m.Vocab().Attr(id))
	}
	add(h, m.Vocab().EOG())
	if i.Caps.TopN == 0 && !i.Caps.Normalised && len(ids) > 0 {
		row, err := logits(ctx, m, ids)
		if err != nil {
			return nil, err
		}
		add(h, row)
	}
	return h.Sum(nil), nil
}

// logits returns the bits of what m gives after ids.
func logits(ctx context.Context, m models.Model, ids []int32) ([]uint32, error) {
	sess, err := m.NewSession()
	if err != nil {
		return nil, err
	}
	defer sess.Close()
	ids = ids[:min(len(ids), chunk)]
	rows, err := sess.Forward(ctx, ids, 1)
	if err != nil {
		return nil, err
	}
	bits := make([]uint32, len(rows[0].Values))
	for k, x := range rows[0].Values {
		bits[k] = math.Float32bits(x)
	}
	return bits, nil
}

// add hashes values, each in a form that no other value has.
func add(h hash.Hash, values ...any) {
	for _, v := range values {
		fmt.Fprintf(h, "%T %q;", v, fmt.Sprint(v))
	}
}

// settingsKey hashes settings. The seed that cfg itself has does not matter.
func settingsKey(cfg sampling.Config) (key, error) {
	text, err := json.Marshal(cfg.Without("seed"))
	if err != nil {
		return key{}, err
	}
	h := sha256.Sum256(text)
	return key(h[:16]), nil
}

// textKey hashes what a text follows from beside its settings.
func textKey(settings, prompt key, seed uint64) key {
	h := sha256.New()
	h.Write(settings[:])
	h.Write(prompt[:])
	add(h, seed)
	return key(h.Sum(nil)[:16])
}

// promptKey hashes what is continued.
func promptKey(p *prompts.Prompt, wrap bool) key {
	h := sha256.New()
	if p.Tokens != nil {
		add(h, p.Tokens)
	} else {
		add(h, p.Text, p.System, wrap, p.Messages)
	}
	return key(h.Sum(nil)[:16])
}

// judgedBy names what a text is judged by, so that it is judged once; empty
// where it must be judged again.
func judgedBy(list check.List, extract *regexp.Regexp) string {
	by := list.Digest()
	if by != "" && extract != nil {
		by += extract.String()
	}
	return by
}
