package llama

import (
	"context"
	"fmt"
	"slices"

	"logitscope/models"
)

var _ models.Forester = (*Model)(nil)

// ForwardPaths implements [models.Forester]. Every position of every path is
// one row of the pass: rows of other paths are in other caches, so that the
// attention of a row sees its own path alone. What several paths begin with is
// computed once and stored in the caches of all of them.
func (m *Model) ForwardPaths(ctx context.Context, sessions []models.Session, paths [][]int32) ([][]models.Logits, error) {
	if len(sessions) == 0 || len(sessions) != len(paths) {
		panic(fmt.Sprintf("llama: %d sessions and %d paths", len(sessions), len(paths)))
	}
	all := make([]*Session, len(sessions))
	for i, x := range sessions {
		s, ok := x.(*Session)
		switch {
		case !ok || s.m != m:
			return nil, fmt.Errorf("session %d is not of this model", i)
		case slices.Contains(all[:i], s):
			return nil, fmt.Errorf("session %d is twice among the paths", i)
		case i > 0 && s.kv.len != all[0].kv.len:
			return nil, fmt.Errorf("session %d holds %d tokens, session 0 %d", i, s.kv.len, all[0].kv.len)
		case len(paths[i]) == 0:
			return nil, fmt.Errorf("path %d is empty", i)
		}
		all[i] = s
		s.wanted = 0
		if err := s.check(ctx, paths[i]); err != nil {
			return nil, fmt.Errorf("path %d: %w", i, err)
		}
	}
	rows, at := forest(all, paths)
	for i, s := range all {
		s.kv.reserve(len(paths[i]))
	}
	lead, v := all[0], m.cfg.vocab
	lead.logits = grow(lead.logits, len(rows)*v)
	p := m.pass(min(len(rows), chunkLen))
	defer m.done(p)
	for from := 0; from < len(rows); from += chunkLen {
		chunk := rows[from:min(from+chunkLen, len(rows))]
		err := m.guarded(func() error { return m.grove(ctx, p, chunk, lead.logits[from*v:]) })
		if err != nil {
			return nil, err
		}
	}
	flat := lead.results(lead.logits, len(rows))
	out := make([][]models.Logits, len(paths))
	for i, path := range paths {
		all[i].kv.len += len(path)
		for j := range path {
			out[i] = append(out[i], flat[at[i][j]])
		}
	}
	return out, nil
}

// grove runs rows, whose caches have room, and stores their logits.
func (m *Model) grove(ctx context.Context, p *pass, rows []row, logits []float32) error {
	p.resize(len(rows))
	copy(p.rows, rows)
	p.look = look{}
	if err := p.run(ctx, len(rows)); err != nil {
		return err
	}
	p.logits(logits, p.h, len(rows))
	return nil
}

// forest returns a row for every different beginning of the paths, shorter
// ones first, and which row each token of each path is.
func forest(sessions []*Session, paths [][]int32) (rows []row, at [][]int) {
	at = make([][]int, len(paths))
	for depth := 0; ; depth++ {
		grew := false
		for i, path := range paths {
			if depth >= len(path) {
				continue
			}
			grew = true
			like := slices.IndexFunc(paths[:i], func(p []int32) bool {
				return depth < len(p) && slices.Equal(p[:depth+1], path[:depth+1])
			})
			if like >= 0 {
				k := at[like][depth]
				rows[k].also = append(rows[k].also, sessions[i])
				at[i] = append(at[i], k)
				continue
			}
			at[i] = append(at[i], len(rows))
			rows = append(rows, row{s: sessions[i], tok: path[depth], pos: sessions[i].kv.len + depth})
		}
		if !grew {
			return rows, at
		}
	}
}
