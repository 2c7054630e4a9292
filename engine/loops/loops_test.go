package loops

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func repeat(n int, ids ...int32) []int32 { return slices.Repeat(ids, n) }

func TestFind(t *testing.T) {
	abc := repeat(1, 7, 8, 9, 10, 11, 12)
	for _, tt := range []struct {
		name string
		ids  []int32
		want Loop
	}{
		{"nothing", nil, Loop{}},
		{"fifteen of one", repeat(15, 5), Loop{}},
		{"sixteen of one", repeat(16, 5), Loop{1, 1, 16}},
		{"after a beginning", append([]int32{1, 2}, repeat(16, 5)...), Loop{3, 1, 16}},
		{"six three times", repeat(3, abc...), Loop{1, 6, 3}},
		{"one short of three copies", repeat(3, abc...)[:17], Loop{}},
		{"a part of a fourth copy", append(repeat(3, abc...), abc[:5]...), Loop{1, 6, 3}},
		{"the token before fits too", append([]int32{12}, repeat(3, abc...)...), Loop{1, 6, 3}},
		{"left again", append(repeat(16, 5), 6), Loop{}},
		{"a period of two is not one of four", repeat(8, 1, 2), Loop{1, 2, 8}},
		{"the longest period", repeat(3, ramp(64)...), Loop{1, 64, 3}},
		{"one above the longest", repeat(3, ramp(65)...), Loop{}},
		// Ones at the end: the period of 1 is long enough, but that of 20 is
		// longer.
		{"the longer end wins", repeat(3, append(ramp(4), repeat(16, 0)...)...), Loop{1, 20, 3}},
	} {
		got, found := Find(tt.ids)
		if got != tt.want || found != (tt.want != Loop{}) {
			t.Errorf("%s: %v, %v; want %v", tt.name, got, found, tt.want)
		}
	}
}

func ramp(n int32) []int32 {
	var out []int32
	for i := range n {
		out = append(out, 100+i)
	}
	return out
}

// bySlice is the definition, one end of the text after the other.
func bySlice(ids []int32) (best Loop, found bool) {
	length := 0
	for p := 1; p <= 64; p++ {
		for n := len(ids); n > length; n-- {
			end := ids[len(ids)-n:]
			if n >= p && n >= 16 && n >= 3*p && slices.Equal(end[p:], end[:n-p]) {
				best, length, found = Loop{len(ids) - n + 1, p, n / p}, n, true
				break
			}
		}
	}
	return best, found
}

func TestFindIsTheDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	seen := 0
	for range 3000 {
		var ids []int32
		for len(ids) < r.IntN(90) {
			ids = append(ids, int32(r.IntN(3)))
		}
		if r.IntN(2) == 0 && len(ids) > 0 {
			ids = append(ids, repeat(1+r.IntN(8), ids[len(ids)-min(len(ids), 1+r.IntN(9)):]...)...)
		}
		got, ok := Find(ids)
		want, wantOK := bySlice(ids)
		if got != want || ok != wantOK {
			t.Fatalf("%v: %v, %v; want %v, %v", ids, got, ok, want, wantOK)
		}
		if ok {
			seen++
		}
	}
	if seen < 300 {
		t.Errorf("only %d loops among the texts", seen)
	}
}

func BenchmarkFind(b *testing.B) {
	ids := ramp(4000)
	for b.Loop() {
		Find(ids)
	}
}
