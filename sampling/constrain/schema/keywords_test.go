package schema

import (
	"os"
	"strings"
	"testing"
)

// TestSuiteHasEveryKeyword holds that no keyword that restricts a text is left
// out of the suite of this project.
func TestSuiteHasEveryKeyword(t *testing.T) {
	suite, err := os.ReadFile("../testdata/schema_suite.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for name, k := range keywordTable {
		if k.apply != nil || k.branch != nil {
			names = append(names, name)
		}
	}
	for name := range groups {
		names = append(names, name)
	}
	for name := range partners {
		names = append(names, name)
	}
	for _, name := range names {
		if !strings.Contains(string(suite), `"`+name+`":`) {
			t.Errorf("no schema of the suite has %s", name)
		}
	}
}
