package logprobs

import (
	"cmp"
	"slices"
)

// A gatherer puts the responses of a file together: those that come whole, and
// those that come in chunks.
type gatherer struct {
	groups  []*group
	without int
}

// A group is the choices of one request.
type group struct {
	key     string
	members []*Response
	open    map[int]*Response // by index: those that are still coming
	silent  map[int]bool      // chunks so far had no log probabilities
}

// A part is what one JSON value has of one response.
type part struct {
	Response
	chunk bool // of a stream
	over  bool // nothing follows
	has   bool // it has log probabilities
}

// A shape is one form of response.
type shape struct {
	is   func(v *value) bool
	read func(g *gatherer, p place, stream bool) error
}

// shapes are the forms there are, in the order they are asked for. It is set
// by init because batch output holds the others.
var shapes []shape

func init() {
	shapes = []shape{
		{func(v *value) bool { return v.has("custom_id") && v.has("response") }, readBatch},
		{isResponsesEvent, readResponsesEvent},
		{func(v *value) bool { return v.get("output").kind == list && v.get("choices").kind == null }, readResponses},
		{func(v *value) bool { return v.get("choices").kind == list }, readChoices},
		{func(v *value) bool { return v.get("meta_info").kind == object }, readSGLang},
		{func(v *value) bool { return v.has("generated_text") || v.get("token").kind == object }, readTGI},
		{func(v *value) bool {
			return v.get("completion_probabilities").kind == list || v.has("content") && v.has("stop")
		}, readLlamaServer},
		{func(v *value) bool { return v.get("done").kind == boolean }, readOllama},
	}
}

// take adds what one JSON value has.
func (g *gatherer) take(it *item) error {
	p := place{&it.value, it.line, it.path}
	for _, s := range shapes {
		if p.kind == object && s.is(p.value) {
			return s.read(g, p, it.stream)
		}
	}
	g.without++
	return nil
}

// group returns the group of a key. An empty key is a group of its own, unless
// a stream goes on.
func (g *gatherer) group(key string, chunk bool) *group {
	if key != "" || chunk {
		for _, x := range slices.Backward(g.groups) {
			if x.key == key && (chunk || len(x.open) > 0) {
				return x
			}
		}
	}
	x := &group{key: key, open: map[int]*Response{}, silent: map[int]bool{}}
	g.groups = append(g.groups, x)
	return x
}

// add adds a part to a group.
func (g *gatherer) add(x *group, p part) {
	r := x.open[p.index]
	if r == nil {
		r = &p.Response
		r.Unfinished = p.chunk
		x.members = append(x.members, r)
		x.silent[len(x.members)-1] = !p.has
		if p.chunk && !p.over {
			x.open[p.index] = r
		}
	} else {
		r.Text += p.Text
		r.said = r.said || p.said
		r.Tokens = append(r.Tokens, p.Tokens...)
		r.Prompt = append(r.Prompt, p.Prompt...)
		if r.Model == "" {
			r.Model = p.Model
		}
		if p.has {
			x.silent[slices.Index(x.members, r)] = false
		}
	}
	if p.over {
		r.Unfinished = false
		delete(x.open, p.index)
	}
}

// file returns the responses in order.
func (g *gatherer) file() *File {
	f := &File{Without: g.without}
	for _, x := range g.groups {
		var have []*Response
		for i, r := range x.members {
			if x.silent[i] {
				f.Without++
			} else {
				have = append(have, r)
			}
		}
		slices.SortStableFunc(have, func(a, b *Response) int { return cmp.Compare(a.index, b.index) })
		f.Responses = append(f.Responses, have...)
	}
	return f
}
