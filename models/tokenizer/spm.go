package tokenizer

import (
	"strings"

	"logitscope/models"
)

// spm merges neighbouring characters into the token of highest score, as
// SentencePiece does for its BPE models.
type spm struct {
	vocab *Vocab
	bytes [256]int32
}

func (v *Vocab) loadSPM() {
	s := &spm{vocab: v, bytes: v.byteIDs()}
	missing := 0
	for _, id := range s.bytes {
		if id == models.NoToken {
			missing++
		}
	}
	if missing > 0 {
		v.notef("%d bytes have no token: text that needs them becomes the unknown token", missing)
	}
	v.encoder = s
}

func (s *spm) encode(atStart bool, text string, out []int32) []int32 {
	if atStart && s.vocab.flags.addSpacePrefix {
		text = " " + text
	}
	text = strings.ReplaceAll(text, " ", escapedSpace)
	nodes := characters(text)
	s.merge(text, nodes)
	for i := int32(0); i >= 0 && len(nodes) > 0; i = nodes[i].next {
		n := nodes[i]
		if id, ok := s.vocab.ids[text[n.start:n.end]]; ok {
			out = append(out, id)
			continue
		}
		out = s.appendBytes(out, text[n.start:n.end])
	}
	return out
}

// appendBytes spells a character that is not a token.
func (s *spm) appendBytes(out []int32, char string) []int32 {
	for _, c := range []byte(char) {
		switch {
		case s.bytes[c] >= 0:
			out = append(out, s.bytes[c])
		case s.vocab.special.unk >= 0:
			return append(out, s.vocab.special.unk)
		}
	}
	return out
}

// characters makes a node of each character, by the length that its first
// byte announces, valid or not.
func characters(text string) []node {
	nodes := make([]node, 0, len(text))
	for i := 0; i < len(text); {
		n := 1
		switch c := text[i]; {
		case c >= 0xF0:
			n = 4
		case c >= 0xE0:
			n = 3
		case c >= 0xC0:
			n = 2
		}
		n = min(n, len(text)-i)
		k := int32(len(nodes))
		nodes = append(nodes, node{start: int32(i), end: int32(i + n), prev: k - 1, next: k + 1})
		i += n
	}
	if len(nodes) > 0 {
		nodes[len(nodes)-1].next = -1
	}
	return nodes
}

// merge joins neighbours, the pair of highest score first and the leftmost of
// equal ones.
func (s *spm) merge(text string, nodes []node) {
	var q queue[scoredPair]
	push := func(i int32) {
		if i < 0 || nodes[i].next < 0 {
			return
		}
		l, r := nodes[i], nodes[nodes[i].next]
		size := r.end - l.start
		if int(size) > s.vocab.maxLen {
			return
		}
		if id, ok := s.vocab.ids[text[l.start:r.end]]; ok {
			q.push(scoredPair{s.vocab.scores[id], i, size})
		}
	}
	for i := range nodes {
		push(int32(i))
	}
	for len(q) > 0 {
		p := q.pop()
		l := &nodes[p.at]
		if l.symbol == mergedAway || l.next < 0 || nodes[l.next].end-l.start != p.size {
			continue // one of the two was merged with another neighbour
		}
		r := &nodes[l.next]
		l.end, l.next = r.end, r.next
		r.symbol = mergedAway
		if r.next >= 0 {
			nodes[r.next].prev = p.at
		}
		push(l.prev)
		push(p.at)
	}
}

// scoredPair is a pair that may be merged, as it was when it was found.
type scoredPair struct {
	score float32
	at    int32
	size  int32
}

func (p scoredPair) before(o scoredPair) bool {
	if p.score != o.score {
		return p.score > o.score
	}
	return p.at < o.at
}
