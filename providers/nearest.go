package providers

import "strings"

// Nearest returns the candidate that a mistyped word most likely meant, or "".
func Nearest(word string, candidates []string) string {
	best, limit := "", max(2, len(word)/3)+1
	for _, c := range candidates {
		if d := distance(normal(word), normal(c)); d < limit {
			best, limit = c, d
		}
	}
	return best
}

func normal(s string) string {
	return strings.ReplaceAll(strings.ToLower(s), "-", "_")
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j]+1, row[j+1]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
