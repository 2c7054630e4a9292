package speculative

import (
	"context"
	"slices"

	"logitscope/models"
)

// newest is how many of the text's tokens a round feeds the target: the last
// two at most, since a round leaves out the token it drew last.
const newest = 2

// A survey is what the target gave along several ways to go on.
type survey struct {
	ways     [][]int32
	rows     [][]models.Logits // of each way: after the text, and after each of its tokens
	sessions []models.Session  // of each way, where they were run in one pass
	fed      int               // tokens run
	first    int               // of these, tokens of the text
	passes   int
	late     bool // more than the newest tokens were read
}

// survey runs all and then each of ways, which differ. Where the model can, it
// is one pass over what they share once; else each way is a pass of its own.
func (t *track) survey(ctx context.Context, m models.Model, all []int32, ways [][]int32) (*survey, error) {
	t.keep(all, len(all)-1)
	s := &survey{ways: ways, first: len(all) - len(t.tokens)}
	s.late = s.first > newest
	forester, ok := m.(models.Forester)
	forker, forks := t.session.(models.Forker)
	if len(ways) == 1 || !ok || !forks {
		return s, s.oneByOne(ctx, t, all)
	}
	if s.late { // read what is not new, so that it is not copied for each way
		if err := t.sync(ctx, all[:len(all)-1]); err != nil {
			return nil, err
		}
	}
	feed := all[len(t.tokens):]
	s.sessions = []models.Session{t.session}
	whole := make([][]int32, len(ways))
	for i, way := range ways {
		if i > 0 {
			f, err := forker.Fork()
			if err != nil {
				s.close()
				return nil, err
			}
			s.sessions = append(s.sessions, f)
		}
		whole[i] = slices.Concat(feed, way)
	}
	rows, err := forester.ForwardPaths(ctx, s.sessions, whole)
	if err != nil {
		s.close()
		return nil, err
	}
	for i := range rows {
		s.rows = append(s.rows, rows[i][len(feed)-1:])
	}
	s.passes, s.fed = 1, s.first+count(ways)
	t.tokens = append(t.tokens, whole[0]...)
	return s, nil
}

// oneByOne runs the ways one after the other.
func (s *survey) oneByOne(ctx context.Context, t *track, all []int32) error {
	for _, way := range s.ways {
		rows, fed, err := t.verify(ctx, all, way)
		if err != nil {
			return err
		}
		kept := make([]models.Logits, len(rows))
		for i, r := range rows { // they are valid until the next call
			kept[i] = models.Logits{IDs: slices.Clone(r.IDs), Values: slices.Clone(r.Values), Rest: r.Rest, Strayed: r.Strayed}
		}
		s.rows = append(s.rows, kept)
		s.passes, s.fed = s.passes+1, s.fed+fed
	}
	return nil
}

// along returns a way that begins with path.
func (s *survey) along(path []int32) int {
	return slices.IndexFunc(s.ways, func(w []int32) bool { return len(w) >= len(path) && slices.Equal(w[:len(path)], path) })
}

// row is what the target gave after path, with which one of the ways begins.
func (s *survey) row(path []int32) models.Logits { return s.rows[s.along(path)][len(path)] }

// adopt leaves t with the text of n tokens and the path that stood.
func (s *survey) adopt(t *track, n int, path []int32) {
	if i := s.along(path); i > 0 && s.sessions != nil {
		t.session, s.sessions[i] = s.sessions[i], t.session
		t.tokens = append(t.tokens[:n:n], s.ways[i]...)
	}
	if slices.Equal(t.tokens[n:min(n+len(path), len(t.tokens))], path) {
		t.truncate(n + len(path))
	}
}

// close gives back the sessions that were not adopted.
func (s *survey) close() {
	for i, o := range s.sessions {
		if i > 0 {
			o.Close()
		}
	}
}
