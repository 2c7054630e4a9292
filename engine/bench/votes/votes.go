// Package votes answers: what do people prefer who do not know which is which?
// It keeps what people decided between texts whose origin they did not know,
// and counts it.
package votes

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"logitscope/engine/stats"
)

// A Pair is two texts of one prompt, left and right as they are shown.
type Pair struct {
	ID     string    // of the prompt, the seed, the lanes and their texts, whichever side they are on
	Prompt string    // what both go on from
	Lanes  [2]string // that wrote them
	Texts  [2]string
}

// NewPair returns the pair of the texts that two lanes wrote of a prompt, which
// has an id and says what was asked, under a seed. Other texts of the same
// prompt, seed and lanes are another pair.
func NewPair(id, asked string, seed uint64, lanes, texts [2]string) Pair {
	h := fnv.New32a()
	fmt.Fprintf(h, "%q", texts)
	return Pair{ID: fmt.Sprintf("%s, seed %d: %s, %s (%08x)", id, seed, lanes[0], lanes[1], h.Sum32()), Prompt: asked, Lanes: lanes, Texts: texts}
}

// Shuffle puts pairs and their sides in an order that follows from the seed and
// tells nothing of the lanes.
func Shuffle(pairs []Pair, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 0xb11d))
	r.Shuffle(len(pairs), func(i, k int) { pairs[i], pairs[k] = pairs[k], pairs[i] })
	for i := range pairs {
		if p := &pairs[i]; r.IntN(2) == 1 {
			p.Lanes[0], p.Lanes[1] = p.Lanes[1], p.Lanes[0]
			p.Texts[0], p.Texts[1] = p.Texts[1], p.Texts[0]
		}
	}
}

// An Answer is what was decided of a pair.
type Answer string

const (
	Left  Answer = "left"
	Right Answer = "right"
	Tie   Answer = "tie"
	Bad   Answer = "both bad"
)

// A Vote is an answer and what it was about.
type Vote struct {
	Version int `json:"version,omitempty"` // of the form of this line; 0 is 1

	Pair   string    `json:"pair"`
	Lanes  [2]string `json:"lanes"` // left, right
	Answer Answer    `json:"answer"`
	Voter  string    `json:"voter,omitempty"`
}

// winner returns the lane that won; empty where none did.
func (v Vote) winner() string {
	switch v.Answer {
	case Left:
		return v.Lanes[0]
	case Right:
		return v.Lanes[1]
	}
	return ""
}

// version is that of the lines that are written; it need not be said.
const version = 1

func (v Vote) check() error {
	if v.Pair == "" || v.Lanes[0] == "" || v.Lanes[1] == "" || v.Lanes[0] == v.Lanes[1] {
		return errors.New("must have a pair and two lanes")
	}
	if v.Version > version {
		return fmt.Errorf("version: %d is of a newer program, this one reads %d", v.Version, version)
	}
	if !slices.Contains([]Answer{Left, Right, Tie, Bad}, v.Answer) {
		return fmt.Errorf("answer %q: must be left, right, tie or both bad", v.Answer)
	}
	return nil
}

// A Box keeps the votes of one voter in a file, each on the disk before the
// next is asked for. Killed at any moment, it loses at most the vote under way.
type Box struct {
	file  *os.File
	voter string
	votes []Vote
	ends  []int64 // of each vote's line
}

// Open opens the file of a voter, who may be nameless. What a crash cut short is
// dropped; a file that holds something else is an error.
func Open(path, voter string) (*Box, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	b := &Box{file: f, voter: voter}
	data, err := io.ReadAll(f)
	if err == nil {
		whole := data[:bytes.LastIndexByte(data, '\n')+1]
		b.votes, err = Read(bytes.NewReader(whole))
		for i, c := range whole {
			if c == '\n' {
				b.ends = append(b.ends, int64(i)+1)
			}
		}
		if err == nil && len(b.ends) != len(b.votes) {
			err = errors.New("has blank lines")
		}
		if i := slices.IndexFunc(b.votes, func(v Vote) bool { return v.Voter != voter }); err == nil && i >= 0 {
			err = fmt.Errorf("has the votes of %s; %s needs a file of their own", who(b.votes[i].Voter), who(voter))
		}
		if err == nil {
			err = b.cut()
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return b, nil
}

// who names a voter.
func who(voter string) string {
	if voter == "" {
		return "a voter without a name"
	}
	return "voter " + voter
}

// end is where the last vote ends in the file.
func (b *Box) end() int64 {
	if n := len(b.ends); n > 0 {
		return b.ends[n-1]
	}
	return 0
}

// cut ends the file after the last vote.
func (b *Box) cut() error {
	if err := b.file.Truncate(b.end()); err != nil {
		return err
	}
	_, err := b.file.Seek(b.end(), io.SeekStart)
	return err
}

// ErrChanged is the error of a box whose file another program wrote to, such as
// a second vote.
var ErrChanged = errors.New("the file of votes was changed by another program; start the vote again")

// alone returns [ErrChanged] unless the file ends where this box left it.
func (b *Box) alone() error {
	info, err := b.file.Stat()
	if err == nil && info.Size() != b.end() {
		err = ErrChanged
	}
	return err
}

// Votes returns the votes there are.
func (b *Box) Votes() []Vote { return b.votes }

// Decided reports whether there is a vote on a pair.
func (b *Box) Decided(pair string) bool {
	return slices.ContainsFunc(b.votes, func(v Vote) bool { return v.Pair == pair })
}

// Cast adds a vote.
func (b *Box) Cast(p Pair, a Answer) error {
	v := Vote{Pair: p.ID, Lanes: p.Lanes, Answer: a, Voter: b.voter}
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := b.alone(); err != nil {
		return err
	}
	if _, err := b.file.Write(append(line, '\n')); err != nil {
		b.cut()
		return err
	}
	if err := b.file.Sync(); err != nil {
		return err
	}
	b.votes, b.ends = append(b.votes, v), append(b.ends, b.end()+int64(len(line))+1)
	return nil
}

// Undo takes the last vote back, and reports whether there was one.
func (b *Box) Undo() (Vote, bool, error) {
	n := len(b.votes)
	if n == 0 {
		return Vote{}, false, nil
	}
	if err := b.alone(); err != nil {
		return Vote{}, false, err
	}
	v := b.votes[n-1]
	b.votes, b.ends = b.votes[:n-1], b.ends[:n-1]
	if err := b.cut(); err != nil {
		return v, true, err
	}
	return v, true, b.file.Sync()
}

// Close closes the file.
func (b *Box) Close() error { return b.file.Close() }

// maxLine bounds a line of votes.
const maxLine = 1 << 20

// Read reads votes, one a line. The error names the line.
func Read(r io.Reader) ([]Vote, error) {
	var out []Vote
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 4096), maxLine)
	n := 1
	for ; in.Scan(); n++ {
		if len(bytes.TrimSpace(in.Bytes())) == 0 {
			continue
		}
		var v Vote
		err := errors.New("not a vote: want a JSON object with pair, lanes and answer")
		if json.Unmarshal(in.Bytes(), &v) == nil {
			err = v.check()
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		out = append(out, v)
	}
	if errors.Is(in.Err(), bufio.ErrTooLong) {
		return nil, fmt.Errorf("line %d: longer than %d MiB", n, maxLine>>20)
	}
	return out, in.Err()
}

// A Tally is what votes come to.
type Tally struct {
	Lanes    []string
	Votes    int
	Ties     int
	Bad      int
	Wins     [][]int        // [i][j]: how often lane i won against lane j
	Strength []float64      // Bradley–Terry, for more than two lanes; nil where there are none
	Agree    stats.Estimate // share of pairs of voters who gave the same answer on the same texts
}

// Count counts votes, of one voter or of several.
func Count(list []Vote) Tally {
	t := Tally{Votes: len(list), Agree: stats.None}
	place := map[string]int{}
	for _, v := range list {
		for _, l := range v.Lanes {
			if _, ok := place[l]; !ok {
				place[l] = 0
				t.Lanes = append(t.Lanes, l)
			}
		}
	}
	slices.Sort(t.Lanes)
	for i, l := range t.Lanes {
		place[l] = i
		t.Wins = append(t.Wins, make([]int, len(t.Lanes)))
	}
	for _, v := range list {
		switch v.Answer {
		case Tie:
			t.Ties++
		case Bad:
			t.Bad++
		case Left:
			t.Wins[place[v.Lanes[0]]][place[v.Lanes[1]]]++
		case Right:
			t.Wins[place[v.Lanes[1]]][place[v.Lanes[0]]]++
		}
	}
	if len(t.Lanes) > 2 {
		wins := make([][]float64, len(t.Lanes))
		for i := range wins {
			for _, n := range t.Wins[i] {
				wins[i] = append(wins[i], float64(n))
			}
		}
		if s, err := stats.BradleyTerry(wins); err == nil {
			t.Strength = s
		}
	}
	t.agree(list)
	return t
}

// agree compares the answers that different voters gave to the same pair.
func (t *Tally) agree(list []Vote) {
	on := map[string][]Vote{}
	for _, v := range list {
		on[v.Pair] = append(on[v.Pair], v)
	}
	same, all := 0, 0
	for _, votes := range on {
		for i, a := range votes {
			for _, b := range votes[:i] {
				if a.Voter == b.Voter {
					continue
				}
				all++
				decided := a.Answer == b.Answer
				if a.winner() != "" || b.winner() != "" {
					decided = a.winner() == b.winner()
				}
				if decided {
					same++
				}
			}
		}
	}
	t.Agree = stats.Wilson(same, all)
}

// rate returns the share of wins of lane i against lane j without ties.
func (t *Tally) rate(i, j int) stats.Estimate {
	return stats.Wilson(t.Wins[i][j], t.Wins[i][j]+t.Wins[j][i])
}

func plural(n int, word string) string {
	if n != 1 {
		word += "s"
	}
	return fmt.Sprintf("%d %s", n, word)
}

// Lines say what the votes come to.
func (t *Tally) Lines() []string {
	if t.Votes == 0 {
		return []string{"no votes yet"}
	}
	var out []string
	for i := range t.Lanes {
		for j := range i {
			e := t.rate(i, j)
			if e.N == 0 {
				continue
			}
			a, b := i, j
			if e.Value < 0.5 {
				a, b, e = j, i, t.rate(j, i)
			}
			verdict := fmt.Sprintf("%s wins %d of %d against %s without ties, %.0f%% (%.0f to %.0f)", t.Lanes[a], t.Wins[a][b], e.N, t.Lanes[b], 100*e.Value, 100*e.Low, 100*e.High)
			if e.Contains(0.5) {
				verdict += ": not distinguishable"
			}
			out = append(out, verdict)
		}
	}
	out = append(out, fmt.Sprintf("%s, %s, %d both bad", plural(t.Votes, "vote"), plural(t.Ties, "tie"), t.Bad))
	if t.Strength != nil {
		order := make([]int, len(t.Lanes))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int {
			switch {
			case t.Strength[a] > t.Strength[b]:
				return -1
			case t.Strength[a] < t.Strength[b]:
				return 1
			}
			return 0
		})
		odds := stats.Quantity{Scale: 1, Decimals: 2}
		var parts []string
		for _, i := range order {
			parts = append(parts, t.Lanes[i]+" "+odds.Signed(t.Strength[i]))
		}
		out = append(out, "strengths (Bradley–Terry, log odds): "+strings.Join(parts, " · "))
	}
	if t.Agree.N > 0 {
		out = append(out, fmt.Sprintf("voters agree on %.0f%% (%.0f to %.0f) of %d pairs of answers", 100*t.Agree.Value, 100*t.Agree.Low, 100*t.Agree.High, t.Agree.N))
	}
	return out
}
