package sampling

import (
	"strings"
	"testing"
)

// A watermark is read as transformers writes it too.
func TestDecodeWatermark(t *testing.T) {
	c, err := DecodeConfig(strings.NewReader(`{"watermarking_config": {"bias": 1.5, "seeding_scheme": "selfhash", "context_width": 3}}`), "f", FromFile)
	if err != nil || c.Float("watermark_bias") != 1.5 || c.Text("watermark_scheme") != "selfhash" || c.Int("watermark_width") != 3 {
		t.Errorf("%v, %v", c, err)
	}
	if c, err = DecodeConfig(strings.NewReader(`{"watermarking_config": {}}`), "f", FromFile); err != nil || c.Float("watermark_bias") != 2 {
		t.Errorf("%v, %v", c, err)
	}
	for text, want := range map[string]string{
		`{"watermarking_config": 1}`:             "f:1: watermarking_config: want an object",
		`{"watermarking_config": {"bia": 1}}`:    `no field "bia"`,
		`{"watermarking_config": {"bias": "x"}}`: "watermarking_config: watermark_bias",
	} {
		if _, err := DecodeConfig(strings.NewReader(text), "f", FromFile); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
