package setup

import (
	"slices"
	"testing"
)

func TestSplitSpec(t *testing.T) {
	for spec, want := range map[string][]string{
		"chat":                                {"chat"},
		"chat,":                               {"chat", ""},
		" chat , top_p=0.5":                   {"chat", "top_p=0.5"},
		"chat,order=top_k,top_p":              {"chat", "order=top_k,top_p"},
		"chat,foo":                            {"chat", "foo"},
		"chat,foo,top-p=1,order=a":            {"chat", "foo", "top-p=1", "order=a"},
		`chat,stop=["a,top_k=1","b"],top_k=2`: {"chat", `stop=["a,top_k=1","b"]`, "top_k=2"},
		`chat,constraint={"type":"regex","regex":"a,b=c"},top_k=2`:                        {"chat", `constraint={"type":"regex","regex":"a,b=c"}`, "top_k=2"},
		`chat,constraint={"type":"json","object":true},top_k=2,schedule=at token 4: chat`: {"chat", `constraint={"type":"json","object":true}`, "top_k=2", "schedule=at token 4: chat"},
	} {
		if got := splitSpec(spec); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", spec, got, want)
		}
	}
}
