package votes

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func pairs(n int) []Pair {
	var out []Pair
	for i := range n {
		out = append(out, Pair{ID: fmt.Sprint(i), Lanes: [2]string{"A", "B"}, Texts: [2]string{"a", "b"}})
	}
	return out
}

// Sides and order follow from the seed, each text stays with its lane, and both
// sides come about as often.
func TestShuffle(t *testing.T) {
	a, b, c := pairs(400), pairs(400), pairs(400)
	Shuffle(a, 7)
	Shuffle(b, 7)
	Shuffle(c, 8)
	if !slices.Equal(a, b) || slices.Equal(a, c) {
		t.Error("the order does not follow from the seed alone")
	}
	left := 0
	for _, p := range a {
		if strings.ToLower(p.Lanes[0]) != p.Texts[0] || strings.ToLower(p.Lanes[1]) != p.Texts[1] {
			t.Fatalf("%+v", p)
		}
		if p.Lanes[0] == "A" {
			left++
		}
	}
	if left < 150 || left > 250 {
		t.Errorf("A is on the left %d times of 400", left)
	}
}

// However the file was cut, at most one vote is lost, and voting goes on.
func TestKilledAtAnyMoment(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v", "me.jsonl")
	b, err := Open(path, "me")
	if err != nil {
		t.Fatal(err)
	}
	answers := []Answer{Left, Right, Tie, Bad}
	for i, p := range pairs(8) {
		if err := b.Cast(p, answers[i%4]); err != nil {
			t.Fatal(err)
		}
	}
	if v, ok, err := b.Undo(); !ok || err != nil || v.Pair != "7" || b.Decided("7") || !b.Decided("6") {
		t.Fatalf("%+v %v %v", v, ok, err)
	}
	b.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n <= len(whole); n++ {
		if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		b, err := Open(path, "me")
		if err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
		if want := strings.Count(string(whole[:n]), "\n"); len(b.Votes()) != want {
			t.Fatalf("cut at %d: %d votes, want %d", n, len(b.Votes()), want)
		}
		if err := b.Cast(pairs(9)[8], Tie); err != nil {
			t.Fatal(err)
		}
		b.Close()
		if b, err = Open(path, "me"); err != nil || !b.Decided("8") {
			t.Fatalf("cut at %d: %v", n, err)
		}
		b.Close()
	}
	if err := os.WriteFile(path, []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, "me"); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("another file: %v", err)
	}
}

// Texts that changed under the same names are not decided by votes on others.
func TestPairsAreOfTexts(t *testing.T) {
	lanes := [2]string{"A", "B"}
	first := NewPair("1", "Who?", 7, lanes, [2]string{"I.", "You."})
	for _, texts := range [][2]string{{"I.", "We."}, {"We.", "You."}, {"I.You.", ""}} {
		if other := NewPair("1", "Who?", 7, lanes, texts); other.ID == first.ID {
			t.Errorf("%q: the pair of other texts", texts)
		}
	}
	if again := NewPair("1", "Who?", 7, lanes, first.Texts); again != first {
		t.Errorf("%+v, want %+v", again, first)
	}
}

// A file has one voter, and one program that writes to it at a time: another
// writes over nothing.
func TestBoxOfAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), "votes.jsonl")
	open := func(voter string) (*Box, error) {
		b, err := Open(path, voter)
		if b != nil {
			t.Cleanup(func() { b.Close() })
		}
		return b, err
	}
	ana, err := open("ana")
	if err != nil {
		t.Fatal(err)
	}
	again, err := open("ana")
	if err != nil {
		t.Fatal(err)
	}
	list := pairs(3)
	if err := ana.Cast(list[0], Left); err != nil {
		t.Fatal(err)
	}
	if err := again.Cast(list[1], Right); !errors.Is(err, ErrChanged) {
		t.Errorf("a vote beside another: %v", err)
	}
	if err := ana.Cast(list[2], Tie); err != nil {
		t.Errorf("the vote beside it: %v", err)
	}
	if late, err := open("ana"); err != nil || len(late.Votes()) != 2 {
		t.Errorf("what is left: %v, %v", late.Votes(), err)
	}
	for _, ben := range []string{"ben", ""} {
		if _, err := open(ben); err == nil || !strings.Contains(err.Error(), "voter ana") {
			t.Errorf("%q: %v", ben, err)
		}
	}
}

func TestCount(t *testing.T) {
	vote := func(voter, pair, left, right string, a Answer) Vote {
		return Vote{Pair: pair, Lanes: [2]string{left, right}, Answer: a, Voter: voter}
	}
	list := []Vote{
		vote("x", "1", "A", "B", Left), vote("y", "1", "B", "A", Right), // both for A
		vote("x", "2", "A", "B", Tie), vote("y", "2", "A", "B", Bad), // neither for one
		vote("x", "3", "B", "A", Left), vote("y", "3", "B", "A", Right),
	}
	got := Count(list)
	if got.Wins[0][1] != 3 || got.Wins[1][0] != 1 || got.Ties != 1 || got.Bad != 1 || got.Strength != nil {
		t.Errorf("%+v", got)
	}
	// They agree on pair 1 alone.
	if got.Agree.N != 3 || got.Agree.Value != 1./3 {
		t.Errorf("agreement %+v", got.Agree)
	}
	if lines := strings.Join(got.Lines(), "\n"); !strings.Contains(lines, "A wins 3 of 4 against B without ties, 75% (30 to 95): not distinguishable") {
		t.Errorf("%s", lines)
	}
	three := append(list, vote("x", "4", "A", "C", Right), vote("x", "5", "C", "B", Right), vote("x", "6", "C", "A", Right))
	if s := Count(three).Strength; len(s) != 3 || s[0]+s[1]+s[2] > 1e-9 {
		t.Errorf("strengths %v", s)
	}
	// A over B once, B over C twice, A and C one each: A and B are ln 3 above C.
	circle := []Vote{vote("x", "1", "A", "B", Left), vote("x", "2", "B", "C", Left), vote("x", "3", "B", "C", Left), vote("x", "4", "A", "C", Left), vote("x", "5", "A", "C", Right)}
	if tally := Count(circle); !strings.HasSuffix(strings.Join(tally.Lines(), "\n"), " +0.37 · C −0.73") {
		t.Errorf("%q", tally.Lines())
	}
	if lines := Count(nil); lines.Lines()[0] != "no votes yet" {
		t.Error(lines.Lines())
	}
}

func TestReadNamesALongLine(t *testing.T) {
	_, err := Read(strings.NewReader("\n" + strings.Repeat(" ", maxLine+1)))
	if err == nil || err.Error() != "line 2: longer than 1 MiB" {
		t.Error(err)
	}
}
