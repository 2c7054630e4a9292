package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mdLink is a link of a page to a file beside it.
var mdLink = regexp.MustCompile(`\]\(([^)#:]+)\)`)

// Links between the pages lead somewhere, and the README stays short.
func TestPages(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile("docs/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, "README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, m := range mdLink.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
			}
		}
		if name := filepath.Base(page); filepath.Dir(page) == "docs" && name != "README.md" && !strings.Contains(string(index), "("+name+")") {
			t.Errorf("docs/README.md does not list %s", name)
		}
		if lines := strings.Count(string(text), "\n"); page == "README.md" && lines > 250 {
			t.Errorf("the README has %d lines; depth goes to docs", lines)
		}
	}
}
