package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// mdLink is a link of a page to a file beside it, a heading of one, or a
	// heading of its own.
	mdLink = regexp.MustCompile(`\]\(([^)#:]*)(?:#([^)]+))?\)`)

	mdHeading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	notInSlug = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// headings returns the headings of a page as links name them.
func headings(text []byte) map[string]bool {
	out := make(map[string]bool)
	for _, m := range mdHeading.FindAllStringSubmatch(string(text), -1) {
		out[strings.ReplaceAll(notInSlug.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return out
}

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
			to := page
			if m[1] != "" {
				to = filepath.Join(filepath.Dir(page), m[1])
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
			} else if m[2] != "" {
				if there, err := os.ReadFile(to); err != nil || !headings(there)[m[2]] {
					t.Errorf("%s links to %s#%s, a heading that is not there", page, m[1], m[2])
				}
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
