package viz

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// A picture is well-formed, has every text in its place, and nothing in it can
// act.
func TestSVG(t *testing.T) {
	c := NewCanvas(20, 3, false)
	c.Put(0, 0, "plain <b>&", Ink{})
	c.Put(2, 1, "語x", Ink{Role: Kept}.With(Bold))
	c.Put(5, 2, "rev", Ink{Role: Warning}.With(Reverse))
	c.Put(12, 2, "\x1b[31m", Ink{})
	s := c.SVG("a <title>\x07")
	d := xml.NewDecoder(strings.NewReader(s))
	texts := map[string]string{}
	at := ""
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, s)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			at = ""
			for _, a := range tok.Attr {
				if a.Name.Local == "x" && tok.Name.Local == "text" {
					at = a.Value
				}
			}
		case xml.CharData:
			if at != "" {
				texts[string(tok)] = at
			}
			at = ""
		}
	}
	for text, x := range map[string]string{"plain <b>&": "10", "語x": "26.8", "rev": "52"} {
		if texts[text] != x {
			t.Errorf("%q stands at %q, want %q; %v", text, texts[text], x, texts)
		}
	}
	if strings.ContainsAny(s, "\x1b\x07") || s != c.SVG("a <title>\x07") {
		t.Errorf("control bytes, or two pictures differ:\n%s", s)
	}
	if !strings.Contains(s, `textLength="25.2"`) { // three cells
		t.Errorf("no length for three cells:\n%s", s)
	}
}
