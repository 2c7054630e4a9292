package llamaserver

import "testing"

func TestShortName(t *testing.T) {
	for alias, want := range map[string]string{
		"fable": "fable", "/models/a/fable.q8_0.gguf": "fable.q8_0", `C:\m\x.gguf`: "x", "x.gguf": "x", "org/model": "org/model",
		".gguf": ".gguf", "/m/.gguf": "/m/.gguf", "": "",
	} {
		if got := shortName(alias); got != want {
			t.Errorf("%q: %q, want %q", alias, got, want)
		}
	}
}
