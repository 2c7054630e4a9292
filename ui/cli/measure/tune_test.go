package measure

import (
	"reflect"
	"strings"
	"testing"

	"logitscope/sampling"
	"logitscope/sampling/param"
)

// The command that writes a choice out has every value of it: --set reads back
// what stands there, lists, biases and texts with quotes among it.
func TestSettingPairsReadBack(t *testing.T) {
	texts := map[param.Kind]string{
		param.List: `["a,b","x\ny","it's \"so\"","<end>"]`, param.Bias: `[[5,1.5],[" the",-2]]`, param.IDs: `[1,2]`, param.Seqs: `[[1,2],[3]]`,
	}
	cfg := sampling.Config{}
	for i := range param.All() {
		p := &param.All()[i]
		text, ok := texts[p.Kind]
		v := p.Default
		if ok {
			var err error
			if v, err = p.Parse(text); err != nil {
				t.Fatalf("%s: %v", p.Key, err)
			}
		}
		if p.Kind == param.Text {
			v = `{"type":"regex","regex":"a=\"b\""}`
		}
		if with, err := cfg.With(p.Key, v, sampling.FromFlag); err == nil {
			cfg = with
		}
	}
	pairs, err := settingPairs(cfg)
	if err != nil || len(pairs) < 50 {
		t.Fatalf("%d pairs, %v", len(pairs), err)
	}
	for _, pair := range pairs {
		key, text, _ := strings.Cut(pair, "=")
		p, _ := param.Lookup(key)
		v, err := p.Parse(text)
		if err != nil || !reflect.DeepEqual(v, cfg.Value(key)) {
			t.Errorf("%s: %v (%v), want %v", pair, v, err, cfg.Value(key))
		}
	}
}
