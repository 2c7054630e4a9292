// Package llama answers: what does a transformer say next? It runs the
// transformers of GGUF files in pure Go: Llama and the architectures that are
// built of the same parts. architectures lists them.
//
// A [Model] is weights, read in place from the file's memory and never
// changed; a [Session] is one sequence and its cache. A [pass] carries
// several positions, of one sequence or of several, through all layers at
// once.
//
// Results are the same bits on every machine, for any number of workers, and
// whether positions go through together or one by one, since every sum has
// one order (see the packages quant and vec).
package llama

import (
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"logitscope/models"
	"logitscope/models/gguf"
	"logitscope/models/tokenizer"
)

// Options says how to load a model. The zero value is ready to use.
type Options struct {
	// ContextLen is the most tokens a session can hold. Zero is the model's
	// own limit; more than that is refused.
	ContextLen int

	// KVType is how sessions store keys and values.
	KVType KVType

	// Arith is the arithmetic.
	Arith Arith

	// FlashAttention computes attention as llama.cpp's flash attention does,
	// which stores keys and values in half precision. It needs [LlamaCPP].
	FlashAttention bool

	// Workers is the number of goroutines that share a pass. Zero is
	// GOMAXPROCS-1 but at least 1, which leaves a processor for the screen.
	Workers int

	// Note becomes the model's [models.Info] note: one line for the user.
	Note string

	// Amend changes what the file says about the model, where something
	// beside the file knows better; nil changes nothing.
	Amend func(*models.Info)
}

// A Model is the weights of a transformer. It is safe for concurrent use. It
// implements [models.Model] and [models.Batcher]; its sessions are [*Session].
type Model struct {
	file  *gguf.File
	cfg   *config
	w     *weights
	vocab *tokenizer.Vocab
	info  models.Info
	arith arithmetic
	store *pageStore
	pool  *pool

	workers   int
	sum       func() (string, error)
	closeOnce sync.Once
	closeErr  error

	mu     sync.Mutex
	passes []*pass // not in use
}

var (
	_ models.Model        = (*Model)(nil)
	_ models.Batcher      = (*Model)(nil)
	_ models.Anatomist    = (*Model)(nil)
	_ models.Summer       = (*Model)(nil)
	_ models.Forker       = (*Session)(nil)
	_ models.HiddenStater = (*Session)(nil)
	_ models.KVSizer      = (*Session)(nil)
)

// Open loads the model of a path, as [gguf.Open] understands it. The caller
// must close the model.
func Open(path string, opt Options) (*Model, error) {
	f, err := gguf.Open(path)
	if err != nil {
		return nil, err
	}
	m, err := New(f, opt)
	if err != nil {
		f.Close()
		return nil, err
	}
	return m, nil
}

// New makes a model of a file, which it owns if there is no error: closing
// the model closes the file.
func New(f *gguf.File, opt Options) (*Model, error) {
	if opt.Workers < 0 {
		return nil, fmt.Errorf("workers is %d, not at least 0", opt.Workers)
	}
	if opt.KVType != F32 && opt.KVType != F16 {
		return nil, fmt.Errorf("kv type is %d, not f32 or f16", opt.KVType)
	}
	switch {
	case int(opt.Arith) >= len(ariths):
		return nil, fmt.Errorf("arithmetic is %d, not below %d", opt.Arith, len(ariths))
	case opt.FlashAttention && !opt.Arith.Foreign():
		return nil, fmt.Errorf("flash attention needs the arithmetic %s", LlamaCPP)
	case opt.FlashAttention:
		opt.KVType = F16
	}
	if err := checkMemory(f.Name, f.Size, physicalMemory()); err != nil {
		return nil, err
	}
	cfg, err := readConfig(f)
	if err != nil {
		return nil, err
	}
	switch {
	case opt.ContextLen < 0 || opt.ContextLen > cfg.contextLen:
		return nil, fmt.Errorf("%s: context length is %d, not from 1 to the model's %d", f.Name, opt.ContextLen, cfg.contextLen)
	case opt.ContextLen > 0:
		cfg.runLen = opt.ContextLen
	default:
		cfg.runLen = cfg.contextLen
	}
	w, err := bindWeights(f, cfg)
	if err != nil {
		return nil, err
	}
	vocab, err := tokenizer.New(f)
	if err != nil {
		return nil, err
	}
	if vocab.Size() != cfg.vocab {
		return nil, f.Errorf("tokenizer.ggml.tokens", "has %d tokens, but tensor \"token_embd.weight\" has %d rows", vocab.Size(), cfg.vocab)
	}
	info, err := readInfo(f, cfg)
	if err != nil {
		return nil, err
	}
	info.Note = opt.Note
	info.Arithmetic = models.Arithmetic{Name: opt.Arith.String(), KVType: opt.KVType.String(), FlashAttention: opt.FlashAttention}
	if opt.Amend != nil {
		opt.Amend(&info)
	}
	workers := opt.Workers
	if workers == 0 {
		workers = max(1, runtime.GOMAXPROCS(0)-1)
	}
	m := &Model{
		file: f, cfg: cfg, w: w, vocab: vocab, info: info, workers: workers,
		store: newPageStore(cfg, opt.KVType),
		sum:   sync.OnceValues(f.SHA256),
	}
	if m.arith, err = ariths[opt.Arith].make(m, opt); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	m.pool = newPool(workers, f.Guard)
	return m, nil
}

// checkMemory refuses a model larger than memory: it would be read from disk
// again for every token. have is 0 where the size of memory is not known.
func checkMemory(name string, need, have uint64) error {
	if have == 0 || need <= have {
		return nil
	}
	const gb = 1 << 30
	return fmt.Errorf("%s: the model takes %.1f GiB, but the machine has %.1f GiB of memory", name, float64(need)/gb, float64(have)/gb)
}

// readInfo collects what a model says about itself.
func readInfo(f *gguf.File, c *config) (models.Info, error) {
	in := models.Info{
		Arch: c.arch.name, ContextLen: c.runLen, VocabSize: c.vocab, Embedding: c.embed,
		Caps: models.Caps{PromptScores: true},
	}
	for _, text := range []struct {
		key string
		to  *string
	}{{"general.name", &in.Name}, {"general.license", &in.License}, {"tokenizer.chat_template", &in.ChatTemplate}} {
		s, _, err := f.String(text.key)
		if err != nil {
			return in, err
		}
		*text.to = s
	}
	if in.Name == "" {
		in.Name = strings.TrimSuffix(filepath.Base(f.Name), ".gguf")
	}
	var most uint64
	for _, t := range tensorMix(f) {
		in.Params += int64(min(t.Elems, math.MaxInt64-uint64(in.Params)))
		if t.Elems > most {
			most, in.Quant = t.Elems, strings.ToLower(t.Type)
		}
	}
	const prefix = "general.sampling."
	for _, key := range f.Keys() {
		if !strings.HasPrefix(key, prefix) {
			continue
		}
		if v, ok := scalarValue(f, key); ok {
			if in.Defaults == nil {
				in.Defaults = make(map[string]any)
			}
			in.Defaults[key] = v
		}
	}
	return in, nil
}

// scalarValue returns a number, bool or string as uint64, int64, float64,
// bool or string.
func scalarValue(f *gguf.File, key string) (any, bool) {
	if v, ok, err := f.Uint(key); ok && err == nil {
		return v, true
	}
	if v, ok, err := f.Int(key); ok && err == nil {
		return v, true
	}
	if v, ok, err := f.Float(key); ok && err == nil {
		return v, true
	}
	if v, ok, err := f.Bool(key); ok && err == nil {
		return v, true
	}
	if v, ok, err := f.String(key); ok && err == nil {
		return v, true
	}
	return nil, false
}

// Info implements [models.Model].
func (m *Model) Info() models.Info { return m.info }

// Vocab implements [models.Model].
func (m *Model) Vocab() models.Vocab { return m.vocab }

// File returns the file the model was made from. It is closed with the model.
func (m *Model) File() *gguf.File { return m.file }

// SHA256 implements [models.Summer].
func (m *Model) SHA256() (string, error) { return m.sum() }

// Close stops the workers and closes the file. Closing again does nothing.
func (m *Model) Close() error {
	m.closeOnce.Do(func() {
		m.pool.close()
		m.closeErr = m.file.Close()
	})
	return m.closeErr
}

// guarded calls fn and returns its error, or one that says that the file was
// truncated under it.
func (m *Model) guarded(fn func() error) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case fault:
			err = r.err
		default:
			panic(r)
		}
	}()
	if lost := m.file.Guard(func() { err = fn() }); lost != nil {
		return lost
	}
	return err
}

// pass returns a pass that nobody uses, with room for n positions.
func (m *Model) pass(n int) *pass {
	m.mu.Lock()
	var p *pass
	if k := len(m.passes); k > 0 {
		p = m.passes[k-1]
		m.passes = m.passes[:k-1]
	}
	m.mu.Unlock()
	if p == nil {
		p = newPass(m)
	}
	p.resize(n)
	return p
}

// done takes a pass back.
func (m *Model) done(p *pass) {
	clear(p.rows)
	p.look = look{}
	m.mu.Lock()
	m.passes = append(m.passes, p)
	m.mu.Unlock()
}
