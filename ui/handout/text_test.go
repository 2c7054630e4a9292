package handout

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// A page is well formed whatever the text is, and every byte of it is text.
func TestTextPage(t *testing.T) {
	var b strings.Builder
	p := Text{Title: `a<b>"&`, About: "<script>alert(1)</script>"}
	if err := p.Begin(&b); err != nil {
		t.Fatal(err)
	}
	for _, x := range []TextToken{{"Once", 0.2, false, "0.2 bits"}, {"</p><script>", 9, true, `"x" onmouseover="y"`}, {"\n", 40, false, ""}, {"中", 1.5, true, "1.5 bits"}} {
		if err := p.Token(x); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.End([]TextTable{{"sums & more", [][]string{{"bits", "<9>"}}}}); err != nil {
		t.Fatal(err)
	}
	out := b.String()
	if strings.Contains(out, "<script") || strings.Count(out, "<span") != 4 || strings.Contains(out, `onmouseover="`) {
		t.Errorf("the text is markup:\n%s", out)
	}
	for _, want := range []string{`class="s6 cut"`, `class="s7"`, `class="s1 cut"`, `class=""`, "&lt;9&gt;", "default-src 'none'"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	d := xml.NewDecoder(strings.NewReader(strings.NewReplacer("<!doctype html>", "", `<meta charset="utf-8">`, "", `'unsafe-inline'">`, `'unsafe-inline'"/>`).Replace(out)))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("not well formed: %v", err)
		}
	}
}
