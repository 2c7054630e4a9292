package class

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"unicode"

	"logitscope/viz"
)

// maxName is the width of a name, in cells.
const maxName = 16

// Given names are made of two words.
var (
	hues = []string{
		"amber", "ash", "bold", "brass", "bright", "brisk", "bronze", "calm", "cedar", "clear", "cobalt", "coral", "crisp",
		"dawn", "deep", "dusk", "early", "fair", "fern", "frost", "gold", "grand", "green", "hazel", "indigo", "ivory",
		"jade", "keen", "late", "lilac", "lime", "lunar", "mild", "mint", "misty", "noble", "north", "ocean", "olive",
		"opal", "pearl", "pine", "plum", "quick", "quiet", "red", "rose", "ruby", "rust", "sage", "sharp", "silver",
		"sky", "slate", "snowy", "soft", "solar", "south", "steel", "still", "sunny", "swift", "teal", "tidal", "warm",
		"west", "wild", "wise",
	}
	animals = []string{
		"badger", "bat", "bear", "beaver", "bee", "bison", "camel", "cat", "cod", "crab", "crane", "crow", "deer", "dove",
		"duck", "eagle", "eel", "elk", "falcon", "finch", "fox", "frog", "gecko", "goat", "goose", "hare", "hawk", "heron",
		"horse", "ibis", "jay", "koala", "lark", "lemur", "lion", "llama", "lynx", "mole", "moose", "moth", "mouse", "newt",
		"otter", "owl", "panda", "pike", "pony", "puffin", "quail", "rabbit", "raven", "robin", "salmon", "seal", "shrew",
		"sloth", "snail", "stork", "swan", "tapir", "tern", "tiger", "toad", "trout", "turtle", "whale", "wolf", "wren",
		"yak", "zebra",
	}
)

var errGiven = errors.New("names are given in this class")

// names are those that are taken, in lower case.
type names map[string]bool

func newNames() names { return names{} }

// give returns a name that nobody has.
func (n names) give() string {
	for try := 0; ; try++ {
		s := hues[rand.IntN(len(hues))] + "-" + animals[rand.IntN(len(animals))]
		if try >= 50 { // nearly all are taken
			s = fmt.Sprintf("%s-%d", s, try)
		}
		if !n[s] && viz.Width(s) <= maxName {
			n[s] = true
			return s
		}
	}
}

// free gives a name back.
func (n names) free(name string) { delete(n, strings.ToLower(name)) }

// swap takes the name to in the place of from, or says why it cannot be had.
func (n names) swap(from, to string) error {
	if err := checkName(to); err != nil {
		return err
	}
	if low := strings.ToLower(to); low != strings.ToLower(from) {
		if n[low] {
			return fmt.Errorf("name %s: somebody has it", to)
		}
		n[low] = true
		n.free(from)
	}
	return nil
}

// checkName reports what keeps a name from being shown to others.
func checkName(s string) error {
	switch {
	case s == "":
		return fmt.Errorf("name: want 1 to %d characters", maxName)
	case viz.Printable(s, false) != s || viz.Width(s) > maxName || len(s) > 4*maxName:
		return fmt.Errorf("name %s: want at most %d printable characters", viz.Cut(viz.Printable(s, false), maxName), maxName)
	}
	first := true
	for _, r := range s {
		if !unicode.IsLetter(r) && (first || !unicode.IsDigit(r) && !unicode.Is(unicode.M, r) && r != '-' && r != ' ') {
			return fmt.Errorf("name %s: want letters, digits, blanks and -, a letter first", viz.Cut(s, maxName))
		}
		first = false
	}
	return nil
}
