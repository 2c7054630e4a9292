package value

// Nearest returns the name that differs least from word, in letters; empty where
// a third of it would have to change.
func Nearest(word string, names []string) string {
	best, least := "", 1+len(word)/3
	for _, name := range names {
		if d := editDistance(word, name); d < least {
			best, least = name, d
		}
	}
	return best
}

// editDistance returns the number of insertions, deletions and replacements
// that turn a into b (Levenshtein 1966).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diag := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diag
			if a[i] != b[j] {
				cost++
			}
			diag = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
