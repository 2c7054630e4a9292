package table

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"

	"logitscope/models"
)

const (
	maxFile        = 64 << 20 // bytes of a file
	maxContext     = 1 << 20  // largest value of context
	defaultContext = 8192     // context of a file that names none
	maxPiece       = 1 << 10  // bytes of a piece
)

// file is the JSON object. Ids are pointers: an absent one means no token.
type file struct {
	Kind    string          `json:"kind"`
	Name    string          `json:"name"`
	Note    string          `json:"note"`
	License string          `json:"license"`
	Vocab   []string        `json:"vocab"`
	Pad     *int32          `json:"pad_id"`
	BOS     *int32          `json:"bos_id"`
	EOS     idList          `json:"eos_id"`
	Unk     *int32          `json:"unk_id"`
	Context *int            `json:"context"`
	Logits  json.RawMessage `json:"logits"`
	Emb     []row           `json:"emb"`
	Pairs   map[string]pair `json:"pairs"`
}

// pair is two tables over one vocabulary.
type pair struct {
	Note   string          `json:"note"`
	Target json.RawMessage `json:"target"`
	Draft  json.RawMessage `json:"draft"`
}

// idList is one id or a list of them.
type idList []int32

func (l *idList) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(b, []byte("[")) {
		return json.Unmarshal(b, (*[]int32)(l))
	}
	var one *int32
	if err := json.Unmarshal(b, &one); err != nil {
		return err
	}
	*l = nil
	if one != nil {
		*l = idList{*one}
	}
	return nil
}

// row is a list of numbers in which null is minus infinity. What float32
// cannot hold is kept as NaN, so that the check that knows the row's place
// can say where it is.
type row []float32

func (r *row) UnmarshalJSON(b []byte) error {
	var vals []json.RawMessage
	if err := json.Unmarshal(b, &vals); err != nil {
		return fmt.Errorf("a row must be a list of numbers, not %.20s", b)
	}
	*r = make(row, len(vals))
	for i, v := range vals {
		if string(v) == "null" {
			(*r)[i] = float32(math.Inf(-1))
			continue
		}
		f, err := strconv.ParseFloat(string(v), 32)
		if err != nil || math.IsInf(f, 0) {
			f = math.NaN()
		}
		(*r)[i] = float32(f)
	}
	return nil
}

// Open reads the table in the file at path. A path of the form FILE#NAME/SIDE
// names the target or draft of one of the file's pairs.
func Open(path string) (*Model, error) {
	file, part := path, ""
	if i := strings.LastIndexByte(path, '#'); i >= 0 {
		if _, err := os.Stat(path); err != nil {
			file, part = path[:i], path[i+1:]
		}
	}
	f, err := models.OpenFile(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	name := strings.TrimSuffix(filepath.Base(file), ".json")
	if part != "" {
		name += "#" + part
	}
	m, err := parse(name, part, f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// Parse reads a table from r. The name is the model's where the file has
// none.
func Parse(name string, r io.Reader) (*Model, error) { return parse(name, "", r) }

func parse(name, part string, r io.Reader) (*Model, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("table is larger than %d MiB", maxFile>>20)
	}
	var f file
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		return nil, fmt.Errorf("table is not valid: %w", jsonError(err, dec.InputOffset()))
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("table is not valid: more data after the object, at byte %d", dec.InputOffset())
	}
	if f.Name != "" && part == "" {
		name = f.Name
	}
	return build(name, part, &f)
}

// wanted are the types of fields in words.
var wanted = map[reflect.Kind]string{
	reflect.Struct: "an object", reflect.Map: "an object", reflect.Slice: "a list", reflect.String: "a text",
	reflect.Int: "a whole number", reflect.Int32: "a whole number", reflect.Float32: "a number", reflect.Float64: "a number",
}

// jsonError rewords the decoder's errors to say where and what.
func jsonError(err error, at int64) error {
	switch e := err.(type) {
	case *json.SyntaxError:
		return fmt.Errorf("bad JSON at byte %d: %s", e.Offset, strings.TrimPrefix(e.Error(), "json: "))
	case *json.UnmarshalTypeError:
		name := e.Field
		if name == "" {
			name = "the file"
		}
		return fmt.Errorf("%s: %s, want %s, at byte %d", name, e.Value, wanted[e.Type.Kind()], e.Offset)
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("bad JSON: the object ends too early, after byte %d", at)
	}
	return fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "json: "))
}

// build checks every field and lays the table out flat.
func build(name, part string, f *file) (*Model, error) {
	vocab, err := f.vocabulary()
	if err != nil {
		return nil, err
	}
	m := &Model{vocab: vocab, start: vocab.bos}
	switch f.Kind {
	case "markov1":
		m.order = 1
	case "markov2":
		m.order = 2
	default:
		return nil, fmt.Errorf("kind is %q, want markov1 or markov2", f.Kind)
	}
	if m.start == models.NoToken && (m.order == 2 || f.Emb != nil) {
		return nil, fmt.Errorf("bos_id is missing: kind markov2 and emb need it for the token before the first")
	}
	where, raw, err := f.pick(part)
	if err != nil {
		return nil, err
	}
	if m.logits, err = flatten(where, raw, m.order, vocab.Size()); err != nil {
		return nil, err
	}
	if f.Emb != nil {
		if m.hidden, m.dim, err = embeddings(f.Emb, vocab.Size()); err != nil {
			return nil, err
		}
	}
	ctx := defaultContext
	if f.Context != nil {
		ctx = *f.Context
	}
	if ctx < 1 || ctx > maxContext {
		return nil, fmt.Errorf("context is %d, want 1 to %d", ctx, maxContext)
	}
	m.info = models.Info{
		Name: name, Arch: "table", Quant: "f32", Note: f.Note, License: f.License,
		Params:     int64(len(m.logits) + len(m.hidden)),
		ContextLen: ctx, VocabSize: vocab.Size(), Embedding: m.dim,
		Caps: models.Caps{PromptScores: true},
	}
	return m, nil
}

// vocabulary checks the pieces and the special ids.
func (f *file) vocabulary() (*Vocab, error) {
	n := len(f.Vocab)
	if n == 0 {
		return nil, fmt.Errorf("vocab is missing or empty, want a list of pieces")
	}
	seen := make(map[string]int, n)
	for i, p := range f.Vocab {
		if len(p) > maxPiece {
			return nil, fmt.Errorf("vocab[%d] has %d bytes, want at most %d", i, len(p), maxPiece)
		}
		if j, dup := seen[p]; dup && p != "" {
			return nil, fmt.Errorf("vocab[%d] repeats vocab[%d], %.40q", i, j, p)
		}
		seen[p] = i
	}
	var control []int32
	single := func(field string, id *int32) (int32, error) {
		if id == nil {
			return models.NoToken, nil
		}
		if *id < 0 || int(*id) >= n {
			return 0, fmt.Errorf("%s is %d, want 0 to %d", field, *id, n-1)
		}
		control = append(control, *id)
		return *id, nil
	}
	if _, err := single("pad_id", f.Pad); err != nil {
		return nil, err
	}
	bos, err := single("bos_id", f.BOS)
	if err != nil {
		return nil, err
	}
	unk, err := single("unk_id", f.Unk)
	if err != nil {
		return nil, err
	}
	for i := range f.EOS {
		if _, err := single("eos_id", &f.EOS[i]); err != nil {
			return nil, err
		}
	}
	eog := slices.Clone([]int32(f.EOS))
	slices.Sort(eog)
	return newVocab(f.Vocab, control, slices.Compact(eog), bos, unk), nil
}

// pick returns the table that part names, and its place in the file.
func (f *file) pick(part string) (where string, raw json.RawMessage, err error) {
	if part == "" {
		if f.Logits != nil {
			return "logits", f.Logits, nil
		}
		if len(f.Pairs) > 0 {
			return "", nil, fmt.Errorf("the file holds several tables; name one after the file, such as #%s: %s",
				f.parts()[0], strings.Join(f.parts(), ", "))
		}
		return "", nil, fmt.Errorf("logits is missing")
	}
	name, side, _ := strings.Cut(part, "/")
	if p, ok := f.Pairs[name]; ok {
		switch {
		case side == "target" && p.Target != nil:
			return "pairs." + name + ".target", p.Target, nil
		case side == "draft" && p.Draft != nil:
			return "pairs." + name + ".draft", p.Draft, nil
		}
	}
	return "", nil, fmt.Errorf("no table %q in the file, want one of %s", part, strings.Join(f.parts(), ", "))
}

// parts lists the tables of f.Pairs, sorted.
func (f *file) parts() []string {
	var out []string
	for name, p := range f.Pairs {
		if p.Target != nil {
			out = append(out, name+"/target")
		}
		if p.Draft != nil {
			out = append(out, name+"/draft")
		}
	}
	sort.Strings(out)
	return out
}

// flatten decodes a nested list and checks that it is n rows of n values, or
// n times that.
func flatten(where string, raw json.RawMessage, order, n int) ([]float32, error) {
	var planes [][]row
	if order == 2 {
		if err := json.Unmarshal(raw, &planes); err != nil {
			return nil, fmt.Errorf("%s must be a list of lists of rows: %w", where, jsonError(err, 0))
		}
		if len(planes) != n {
			return nil, fmt.Errorf("%s has %d entries, want %d, one for each token", where, len(planes), n)
		}
	} else {
		var rows []row
		if err := json.Unmarshal(raw, &rows); err != nil {
			return nil, fmt.Errorf("%s must be a list of rows: %w", where, jsonError(err, 0))
		}
		planes = [][]row{rows}
	}
	var out []float32
	for i, rows := range planes {
		at := where
		if order == 2 {
			at = fmt.Sprintf("%s[%d]", where, i)
		}
		if len(rows) != n {
			return nil, fmt.Errorf("%s has %d rows, want %d, one for each token", at, len(rows), n)
		}
		for j, r := range rows {
			if err := checkRow(fmt.Sprintf("%s[%d]", at, j), r, n); err != nil {
				return nil, err
			}
			out = append(out, r...)
		}
	}
	return out, nil
}

// checkRow refuses a row of the wrong length, with a value that is no
// number, or that leaves no token possible.
func checkRow(at string, r row, n int) error {
	if len(r) != n {
		return fmt.Errorf("%s has %d values, want %d, one for each token", at, len(r), n)
	}
	possible := false
	for k, v := range r {
		if v != v {
			return fmt.Errorf("%s[%d] is not a number that float32 holds", at, k)
		}
		possible = possible || !math.IsInf(float64(v), -1)
	}
	if !possible {
		return fmt.Errorf("%s is null throughout: no token can follow", at)
	}
	return nil
}

// embeddings checks that there is a vector of one length for each token.
func embeddings(rows []row, n int) (flat []float32, dim int, err error) {
	if len(rows) != n {
		return nil, 0, fmt.Errorf("emb has %d rows, want %d, one for each token", len(rows), n)
	}
	dim = len(rows[0])
	if dim == 0 {
		return nil, 0, fmt.Errorf("emb[0] is empty")
	}
	for i, r := range rows {
		if len(r) != dim {
			return nil, 0, fmt.Errorf("emb[%d] has %d values, want %d as emb[0]", i, len(r), dim)
		}
		for k, v := range r {
			if v != v || math.IsInf(float64(v), 0) {
				return nil, 0, fmt.Errorf("emb[%d][%d] is not a number that float32 holds", i, k)
			}
		}
		flat = append(flat, r...)
	}
	return flat, dim, nil
}
