package tokenizer

import (
	"strings"
	"unicode/utf8"

	"logitscope/models"
	"logitscope/models/gguf"
)

// noSymbol is the symbol of a character that no token or merge spells.
const noSymbol int32 = -1

// bpe merges neighbouring symbols in the order of the file's merges. A symbol
// is a token id, or a number above them for a text that merges name but the
// vocabulary does not hold.
type bpe struct {
	vocab  *Vocab
	pre    *pretokenizer
	merges map[uint64]merge // by the two symbols

	symbols  map[string]int32 // the texts that are no token
	spelled  []string         // the same, by symbol
	ofByte   [256]int32       // symbol of each byte, in the byte alphabet
	fallback [256]int32       // token of each byte of a symbol that is not a token
}

// merge is what becomes of a pair: lower ranks go first.
type merge struct {
	rank   int32
	symbol int32
}

func pairKey(left, right int32) uint64 { return uint64(uint32(left))<<32 | uint64(uint32(right)) }

// loadBPE reads merges and pre-tokenizer.
func (v *Vocab) loadBPE(f *gguf.File, model string) error {
	const preKey = "tokenizer.ggml.pre"
	name, ok, err := f.String(preKey)
	if err != nil {
		return err
	}
	switch {
	case model == "gemma4":
		name = "gemma4"
	case !ok || name == "":
		name = "default"
		v.notef("%s is missing: words are split in the default way", preKey)
	case findPre(name) == nil:
		v.notef("%s is %.40q, which is not known: words are split in the default way", preKey, name)
		name = "default"
	}
	p := findPre(name)
	v.pre = name
	v.flags = flags{
		addBOS: p.addBOS, cleanSpaces: !p.keepSpaces, ignoreMerges: p.ignoreMerges,
		rawBytes: p.rawBytes, escapeSpaces: p.escapeSpaces,
	}
	if p.noBOS {
		v.special.bos = models.NoToken
	}
	b := &bpe{vocab: v, pre: p}
	if err := b.readMerges(f); err != nil {
		return err
	}
	b.readBytes()
	v.encoder = b
	return nil
}

// readMerges reads the merges. One that is not two texts with a space between
// them can never apply.
func (b *bpe) readMerges(f *gguf.File) error {
	const key = "tokenizer.ggml.merges"
	merges, ok, err := f.Strings(key)
	if err != nil {
		return err
	}
	if !ok && b.vocab.pre != "kimi-k2" { // whose vocabulary may come without
		return f.Errorf(key, "is missing")
	}
	b.merges = make(map[uint64]merge, len(merges))
	var both []byte
	broken := 0
	for rank, m := range merges {
		at := -1
		if len(m) > 1 {
			at = strings.IndexByte(m[1:], ' ') + 1
		}
		if at <= 0 || at == len(m)-1 {
			broken++
			continue
		}
		left, right := b.intern(m[:at]), b.intern(m[at+1:])
		both = append(append(both[:0], m[:at]...), m[at+1:]...)
		result, ok := b.lookupBytes(both)
		if !ok {
			result = b.intern(string(both))
		}
		k := pairKey(left, right)
		if _, dup := b.merges[k]; !dup {
			b.merges[k] = merge{int32(rank), result}
		}
	}
	if broken > 0 {
		b.vocab.notef("%s: %d merges are not two parts with a space between them: ignored", key, broken)
	}
	return nil
}

// lookup returns the symbol of a text.
func (b *bpe) lookup(text string) (int32, bool) {
	if id, ok := b.vocab.ids[text]; ok {
		return id, true
	}
	s, ok := b.symbols[text]
	return s, ok
}

// lookupBytes is lookup without a copy of the text.
func (b *bpe) lookupBytes(text []byte) (int32, bool) {
	if id, ok := b.vocab.ids[string(text)]; ok {
		return id, true
	}
	s, ok := b.symbols[string(text)]
	return s, ok
}

// intern returns the symbol of a text, a new one if need be.
func (b *bpe) intern(text string) int32 {
	if s, ok := b.lookup(text); ok {
		return s
	}
	if b.symbols == nil {
		b.symbols = map[string]int32{}
	}
	s := int32(len(b.vocab.texts) + len(b.spelled))
	b.symbols[text] = s
	b.spelled = append(b.spelled, text)
	return s
}

// readBytes finds the symbols with which a word begins, and the tokens that
// stand in for what is not a token. Under the byte alphabet only its ASCII part
// has such tokens, as in llama.cpp: the rest is left out.
func (b *bpe) readBytes() {
	if b.vocab.flags.rawBytes {
		b.fallback = b.vocab.byteIDs()
		return
	}
	for c := range 256 {
		text := string(byteRunes[c])
		b.ofByte[c] = noSymbol
		if s, ok := b.lookup(text); ok {
			b.ofByte[c] = s
		}
		b.fallback[c] = models.NoToken
		if id, ok := b.vocab.ids[text]; ok && len(text) == 1 {
			b.fallback[c] = id
		}
	}
}

// node is a symbol of a word that is being merged.
type node struct {
	symbol     int32
	start, end int32 // bytes of the word
	prev, next int32 // -1 at the ends
}

// scratch is the memory of one call of encode, used for each word in turn.
type scratch struct {
	nodes []node
	queue queue[queuedPair]
	text  []byte
}

func (b *bpe) encode(_ bool, text string, out []int32) []int32 {
	text = clean(text)
	if b.vocab.flags.escapeSpaces {
		text = strings.ReplaceAll(text, " ", escapedSpace)
	}
	var w scratch
	b.pre.splits(text, func(piece string) { out = b.encodeWord(&w, piece, out) })
	return out
}

// encodeWord appends the tokens of one word.
func (b *bpe) encodeWord(w *scratch, piece string, out []int32) []int32 {
	if id, ok := b.wholeWord(w, piece); ok {
		return append(out, id)
	}
	b.seed(w, piece)
	if len(w.nodes) <= shortWord {
		b.mergeShort(w)
	} else {
		b.mergeLong(w)
	}
	for i := int32(0); i >= 0 && len(w.nodes) > 0; i = w.nodes[i].next {
		n := w.nodes[i]
		if n.symbol >= 0 && int(n.symbol) < len(b.vocab.texts) {
			out = append(out, n.symbol)
			continue
		}
		for _, c := range []byte(piece[n.start:n.end]) {
			if id := b.fallback[c]; id >= 0 {
				out = append(out, id)
			}
		}
	}
	return out
}

// wholeWord returns the token that a word is, where the tokenizer takes it
// without merging.
func (b *bpe) wholeWord(w *scratch, piece string) (int32, bool) {
	fl := b.vocab.flags
	if !fl.ignoreMerges && !(fl.rawBytes && strings.Trim(piece, "\n") == "" && b.pre.forceBOS) {
		return 0, false
	}
	if fl.rawBytes {
		id, ok := b.vocab.ids[piece]
		return id, ok
	}
	w.text = w.text[:0]
	for _, c := range []byte(piece) {
		w.text = utf8.AppendRune(w.text, byteRunes[c])
	}
	id, ok := b.vocab.ids[string(w.text)]
	return id, ok
}

// seed makes one node of each byte, or character, of a word.
func (b *bpe) seed(w *scratch, piece string) {
	w.nodes = w.nodes[:0]
	for i := 0; i < len(piece); {
		size, sym := 1, noSymbol
		if b.vocab.flags.rawBytes {
			_, size = decode(piece, i)
			if s, ok := b.lookup(piece[i : i+size]); ok {
				sym = s
			}
		} else {
			sym = b.ofByte[piece[i]]
		}
		k := int32(len(w.nodes))
		w.nodes = append(w.nodes, node{sym, int32(i), int32(i + size), k - 1, k + 1})
		i += size
	}
	if n := len(w.nodes); n > 0 {
		w.nodes[n-1].next = -1
	}
}

// pair returns what the nodes i and its right neighbour merge into.
func (b *bpe) pair(w *scratch, i int32) (merge, bool) {
	if i < 0 {
		return merge{}, false
	}
	l := &w.nodes[i]
	if l.next < 0 || l.symbol < 0 {
		return merge{}, false
	}
	r := w.nodes[l.next].symbol
	if r < 0 {
		return merge{}, false
	}
	m, ok := b.merges[pairKey(l.symbol, r)]
	return m, ok
}

// join merges node i with its right neighbour.
func (w *scratch) join(i, symbol int32) {
	l := &w.nodes[i]
	r := &w.nodes[l.next]
	l.symbol, l.end = symbol, r.end
	r.symbol = mergedAway
	l.next = r.next
	if r.next >= 0 {
		w.nodes[r.next].prev = i
	}
}

// mergedAway marks a node that has become part of another.
const mergedAway int32 = -2

// shortWord is the number of nodes up to which looking at every pair again is
// quicker than a queue.
const shortWord = 24

// mergeShort merges the pair of lowest rank, leftmost first, until none is
// left.
func (b *bpe) mergeShort(w *scratch) {
	var ranks [shortWord]merge
	const none = int32(1<<31 - 1)
	look := func(i int32) {
		ranks[i] = merge{rank: none}
		if m, ok := b.pair(w, i); ok {
			ranks[i] = m
		}
	}
	for i := range w.nodes {
		look(int32(i))
	}
	for {
		best := int32(-1)
		for i := int32(0); i >= 0 && len(w.nodes) > 0; i = w.nodes[i].next {
			if ranks[i].rank != none && (best < 0 || ranks[i].rank < ranks[best].rank) {
				best = i
			}
		}
		if best < 0 {
			return
		}
		w.join(best, ranks[best].symbol)
		look(best)
		if p := w.nodes[best].prev; p >= 0 {
			look(p)
		}
	}
}

// mergeLong does the same with a queue, in n log n steps.
func (b *bpe) mergeLong(w *scratch) {
	w.queue = w.queue[:0]
	push := func(i int32) {
		if m, ok := b.pair(w, i); ok {
			l := w.nodes[i]
			w.queue.push(queuedPair{i, l.symbol, w.nodes[l.next].symbol, m.rank, m.symbol})
		}
	}
	for i := range w.nodes {
		push(int32(i))
	}
	for len(w.queue) > 0 {
		q := w.queue.pop()
		l := &w.nodes[q.at]
		if l.symbol != q.left || l.next < 0 || w.nodes[l.next].symbol != q.right {
			continue // one of the two was merged with another neighbour
		}
		w.join(q.at, q.symbol)
		push(l.prev)
		push(q.at)
	}
}

// queuedPair is a pair that may be merged, as it was when it was found.
type queuedPair struct {
	at, left, right int32
	rank, symbol    int32
}

func (p queuedPair) before(o queuedPair) bool {
	if p.rank != o.rank {
		return p.rank < o.rank
	}
	return p.at < o.at
}

// byteRunes is the byte alphabet of GPT-2: a printable character for each
// byte. Printable Latin-1 stands for itself, the rest follows from U+0100 on.
var byteRunes = func() (t [256]rune) {
	next := rune(0x100)
	for c := range t {
		if c >= '!' && c <= '~' || c >= 0xA1 && c <= 0xAC || c >= 0xAE {
			t[c] = rune(c)
		} else {
			t[c] = next
			next++
		}
	}
	return t
}()

// runeBytes is the inverse of byteRunes; -1 for any other rune.
var runeBytes = func() (t [0x144]int16) {
	for i := range t {
		t[i] = -1
	}
	for c, r := range byteRunes {
		t[r] = int16(c)
	}
	return t
}()

// appendDecoded appends the bytes that a text of the byte alphabet stands
// for. A character that is not of the alphabet stands for itself.
func appendDecoded(buf []byte, text string) []byte {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if int(r) < len(runeBytes) && runeBytes[r] >= 0 {
			buf = append(buf, byte(runeBytes[r]))
		} else {
			buf = append(buf, text[i:i+n]...)
		}
		i += n
	}
	return buf
}
