package lookahead

import (
	"slices"
	"testing"
)

// A model whose next token is the last one plus one, of 100: the window comes
// to n-grams of the model after as many iterations as it has levels, and all
// of them are the model's own.
func TestIteration(t *testing.T) {
	text := []int32{7, 50, 3}
	for _, n := range []int{2, 3, 5} {
		w := Begin(text, 6)
		for round := range 12 {
			if !w.Fits(6, n) {
				t.Fatalf("n %d, round %d: %+v", n, round, w)
			}
			var guessed []int32
			for i, p := range w.Paths() {
				if want := i + len(w.levels); len(p) != want {
					t.Fatalf("n %d: path %v of place %d has not %d tokens", n, p, i, want)
				}
				guessed = append(guessed, (p[len(p)-1]+1)%100)
			}
			var grams [][]int32
			w, grams = w.Next(guessed, n, 1, text)
			if (len(grams) > 0) != (round >= n-2) {
				t.Fatalf("n %d, round %d: %v", n, round, grams)
			}
			for _, g := range grams {
				for i := 1; i < len(g); i++ {
					if len(g) != n || round >= 2*n && g[i] != (g[i-1]+1)%100 {
						t.Errorf("n %d, round %d: %v", n, round, g)
					}
				}
			}
		}
	}
}

// By hand: two levels of three places, the text grows by two, so the first
// place has gone by.
func TestNextByHand(t *testing.T) {
	w := Window{[][]int32{{1, 2, 3}, {4, 5, 6}}}
	if got := w.Paths(); !slices.EqualFunc(got, [][]int32{{1, 4}, {1, 2, 5}, {1, 2, 3, 6}}, slices.Equal) {
		t.Errorf("paths %v", got)
	}
	next, grams := w.Next([]int32{7, 8, 9}, 3, 2, []int32{40})
	if !slices.EqualFunc(grams, [][]int32{{1, 4, 7}, {2, 5, 8}, {3, 6, 9}}, slices.Equal) {
		t.Errorf("grams %v", grams)
	}
	if !slices.EqualFunc(next.levels, [][]int32{{5, 6, 40}, {8, 9, 40}}, slices.Equal) {
		t.Errorf("levels %v", next.levels)
	}
	if !slices.EqualFunc(w.levels, [][]int32{{1, 2, 3}, {4, 5, 6}}, slices.Equal) {
		t.Error("the window before has changed")
	}
	got := Candidates(slices.Values([][]int32{{2, 5, 8}, {1, 4, 7}, {2, 5, 9}, {2, 5, 8}, {2}, {2, 6, 6}}), 2, 2, 2)
	if !slices.EqualFunc(got, [][]int32{{5, 8}, {5, 9}}, slices.Equal) {
		t.Errorf("candidates %v", got)
	}
	if got := Candidates(slices.Values([][]int32{{2, 5, 8}, {2, 5, 9}}), 2, 1, 4); !slices.EqualFunc(got, [][]int32{{5}}, slices.Equal) {
		t.Errorf("candidates of one token %v", got)
	}
}

// However far the text moves, the window keeps its width.
func TestNextFar(t *testing.T) {
	for moved := 1; moved < 9; moved++ {
		w, _ := Window{[][]int32{{1, 2, 3}, {4, 5, 6}}}.Next([]int32{7, 8, 9}, 3, moved, []int32{1, 2})
		if !w.Fits(3, 3) || len(w.levels[1]) != 3 {
			t.Errorf("moved by %d: %+v", moved, w)
		}
	}
}
