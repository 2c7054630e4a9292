package engine

import (
	"testing"

	"logitscope/engine/enginetest"
	"logitscope/models"
	"logitscope/sampling"
)

// TestNarrowRows runs a model of 4,096 tokens behind servers whose rows can be
// narrow: the text is the local one, rows are narrow while a lane runs freely
// if the settings let them be, and whole otherwise.
func TestNarrowRows(t *testing.T) {
	local := openFable(t)
	prompt := local.Vocab().Encode("Once upon a time", models.EncodeOptions{AddSpecial: true})
	greedy := sampling.Config{}.MustWith("temperature", 0.0, sampling.FromFlag)
	for _, b := range []backend{llamaServer, sglang} {
		m := through(t, b, local)
		for _, c := range []struct {
			name   string
			cfg    sampling.Config
			pins   []int32
			narrow bool
		}{
			{"top_k after temperature", enginetest.Config(t, "temperature", 0.8, "top_k", 40, "top_p", 0.9, "seed", 7), nil, true},
			{"the best", greedy.MustWith("order", "llama.cpp", sampling.FromFlag), nil, true},
			{"min_p", enginetest.Config(t, "min_p", 0.05, "seed", 3), nil, true},
			{"all of it", enginetest.Config(t, "temperature", 1.0, "top_k", 0, "seed", 5), nil, false},
			{"top_n_sigma", enginetest.Config(t, "order", "llama.cpp", "top_n_sigma", 1.0, "seed", 5), nil, false},
			{"a pin on a rare token", enginetest.Config(t, "top_k", 40, "seed", 7), []int32{4000}, false},
		} {
			cfg := c.cfg.MustWith("max_new_tokens", 24, sampling.FromFlag)
			want := text(t, local, Options{}, cfg, prompt)
			set, err := NewCompiler(m).Settings(cfg, "test")
			if err != nil {
				t.Fatal(err)
			}
			v := drive(t, NewLane(0, m, Options{}))(stands, Start{Prompt: prompt, Settings: set}, Pin{c.pins}, Advance{-1})
			if v.Err != nil {
				t.Fatalf("%s, %s: %v", b.name, c.name, v.Err)
			}
			same(t, b.name+", "+c.name, want, v)
			narrow := 0
			for _, s := range v.Steps[1:] { // the first is made before it runs
				if s.Row.IDs != nil {
					narrow++
					if len(s.Row.IDs) > narrowRow+1 {
						t.Errorf("%s, %s: a row names %d tokens", b.name, c.name, len(s.Row.IDs))
					}
				}
			}
			if all := len(v.Steps) - 1; c.narrow && narrow < all/2 || !c.narrow && narrow > 0 {
				t.Errorf("%s, %s: %d of %d rows are narrow", b.name, c.name, narrow, all)
			}
		}
	}
}

// TestStoppedLaneSeesAll stops a lane that ran on narrow rows: the proposal
// that is looked at is whole, and chooses the same token.
func TestStoppedLaneSeesAll(t *testing.T) {
	local := openFable(t)
	m := through(t, llamaServer, local)
	prompt := local.Vocab().Encode("Once upon a time", models.EncodeOptions{AddSpecial: true})
	cfg := enginetest.Config(t, "top_k", 40, "seed", 11)
	set, err := NewCompiler(m).Settings(cfg, "test")
	if err != nil {
		t.Fatal(err)
	}
	want := text(t, local, Options{}, cfg.MustWith("max_new_tokens", 9, sampling.FromFlag), prompt)
	do := drive(t, NewLane(0, m, Options{}))
	v := do(func(v View) bool {
		return stands(v) || v.Phase == Paused && len(v.Steps) == 8 && v.Next != nil && v.Next.Row.IDs == nil
	}, Start{Prompt: prompt, Settings: set}, Advance{8})
	if v.Next.Token != want.Steps[8].Token {
		t.Errorf("token %d is proposed, want %d", v.Next.Token, want.Steps[8].Token)
	}
}

// TestWidth widens narrow rows that did not do and narrows them again after many
// that did.
func TestWidth(t *testing.T) {
	var w width
	for _, want := range []int{2 * leastRow, 4 * leastRow, narrowRow, narrowRow} {
		if w.see(false); w.most != want {
			t.Fatalf("%d tokens, want %d", w.most, want)
		}
	}
	for range evenRows + 1 {
		w.see(true)
	}
	if w.most != narrowRow/2 {
		t.Errorf("%d tokens after %d rows that did", w.most, evenRows+1)
	}
	for range 5 * evenRows {
		w.see(true)
	}
	if w.most != leastRow {
		t.Errorf("%d tokens in the end", w.most)
	}
}

// TestLeastRows asks for as many tokens as the lane is told to.
func TestLeastRows(t *testing.T) {
	m := openFable(t)
	server := through(t, llamaServer, m)
	for _, c := range []struct {
		rows int
		cfg  []any
		want int
	}{{0, []any{"top_k", 20}, leastRow}, {0, []any{"top_k", 70}, 2 * leastRow}, {0, []any{"top_k", 100}, 4 * leastRow}, {0, []any{"top_k", 250}, narrowRow}, {0, []any{"top_k", 300}, 0}, {64, []any{"top_k", 20}, 64}, {narrowRow, []any{"top_k", 20}, narrowRow}, {narrowRow + 1, []any{"top_k", 20}, 0}} {
		set, err := NewCompiler(server).Settings(enginetest.Config(t, c.cfg...), "test")
		if err != nil {
			t.Fatal(err)
		}
		l := Lane{opt: Options{Rows: c.rows}, budget: -1, settings: set}
		if got := l.narrow(); got != c.want {
			t.Errorf("%d rows, %v: %d tokens, want %d", c.rows, c.cfg, got, c.want)
		}
	}
}
