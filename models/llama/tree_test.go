package llama

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"logitscope/models"
)

// Several paths in one pass give the very rows of each path by itself, and
// their sessions go on as if they had read it alone; also where pages fill and
// where there are more rows than one pass takes.
func TestForwardPaths(t *testing.T) {
	eachModel(t, Options{}, func(t *testing.T, m *Model) {
		v := m.cfg.vocab
		a := someTokens(7, 40, v)
		for _, c := range []struct {
			before int
			paths  [][]int32
		}{
			{14, [][]int32{a[:3], slices.Concat(a[:2], a[20:24]), a[:1], slices.Concat(a[:2], a[20:21], a[30:33]), a[5:9]}},
			{16, [][]int32{a[:1], a[1:2]}},
			{3, [][]int32{a[:6], a[:6]}},
			{1, [][]int32{someTokens(8, 30, v), someTokens(9, 30, v), someTokens(10, 30, v), someTokens(11, 30, v), someTokens(12, 30, v)}},
		} {
			prompt := someTokens(6, c.before, v)
			base := m.newSession()
			forward(t, base, prompt, 1)
			var forks []models.Session
			for range c.paths {
				f, err := base.Fork()
				if err != nil {
					t.Fatal(err)
				}
				forks = append(forks, f)
			}
			rows, err := m.ForwardPaths(context.Background(), forks, c.paths)
			if err != nil {
				t.Fatal(err)
			}
			for i, path := range c.paths {
				var got [][]float32
				for _, r := range rows[i] {
					got = append(got, slices.Clone(r.Values))
				}
				want := oneByOne(t, m, slices.Concat(prompt, path))
				sameRows(t, "path", got, want[c.before:])
			}
			for i, path := range c.paths {
				if n := forks[i].Len(); n != c.before+len(path) {
					t.Fatalf("path %d: %d tokens in the session, want %d", i, n, c.before+len(path))
				}
				next := forward(t, forks[i].(*Session), a[38:40], 2)
				sameRows(t, "after the path", next, oneByOne(t, m, slices.Concat(prompt, path, a[38:40]))[c.before+len(path):])
				forks[i].Close()
			}
			// The session the forks came from never saw any of it.
			sameRows(t, "base", forward(t, base, a[33:35], 2), oneByOne(t, m, slices.Concat(prompt, a[33:35]))[c.before:])
			base.Close()
		}
	})
}

func TestForwardPathsErrors(t *testing.T) {
	m := load(t, "testdata/arch/llama-gqa-tied-base500k.gguf.gz", Options{})
	other := load(t, "testdata/arch/llama-gqa-tied-base500k.gguf.gz", Options{})
	a, b, long := m.newSession(), m.newSession(), m.newSession()
	forward(t, long, []int32{1}, 1)
	for _, c := range []struct {
		name     string
		sessions []models.Session
		paths    [][]int32
		want     string
	}{
		{"twice", []models.Session{a, a}, [][]int32{{1}, {2}}, "twice"},
		{"another model's", []models.Session{a, other.newSession()}, [][]int32{{1}, {2}}, "not of this model"},
		{"empty", []models.Session{a, b}, [][]int32{{1}, {}}, "empty"},
		{"other lengths", []models.Session{a, long}, [][]int32{{1}, {2}}, "holds 1"},
		{"no token", []models.Session{a, b}, [][]int32{{1}, {-1}}, "not from 0"},
		{"too long", []models.Session{a}, [][]int32{make([]int32, m.cfg.runLen+1)}, "context is full"},
	} {
		if _, err := m.ForwardPaths(context.Background(), c.sessions, c.paths); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.ForwardPaths(ctx, []models.Session{a, b}, [][]int32{{1, 2}, {3}}); !errors.Is(err, context.Canceled) || a.Len() != 0 || b.Len() != 0 {
		t.Errorf("%v, %d and %d tokens; want it cancelled and both empty", err, a.Len(), b.Len())
	}
}
