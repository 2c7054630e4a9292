package exchange

import (
	"slices"
	"strings"
	"testing"

	"logitscope/sampling"
	"logitscope/sampling/param"
)

// TestBrought: stages that an engine has beyond its order's are read into the
// order, act, and are written again.
func TestBrought(t *testing.T) {
	for _, c := range []struct {
		format, text string
		order        string // the stages that it brings, with their neighbours
		back         string // what an export to the same engine holds; "" where there is no such target
	}{
		{"koboldcpp", `{"top_k": 50, "top_a": 0.2, "tfs": 0.9, "smoothing_factor": 0.3, "smoothing_curve": 2}`, "top_k,top_a,tfs,typical_p|temperature,smoothing", `"top_a": 0.2|"tfs": 0.9|"smoothing_factor": 0.3|"smoothing_curve": 2`},
		{"koboldcpp", `{"guidance_scale": 1.5, "negative_prompt": "A dull tale", "top_k": 20}`, "guidance,", `"guidance_scale": 1.5|"negative_prompt": "A dull tale"`},
		{"textgen", "guidance_scale: 1.5\nnegative_prompt: A dull tale\n", "transformers", `guidance_scale: 1.5|negative_prompt: "A dull tale"`},
		{"sillytavern", `{"temp": 0.7, "guidance_scale": 2, "negative_prompt": "", "genamt": 5}`, "guidance,", ""},
		{"tabby", "cfg_scale:\n  override: 1.5\n  force: true\n", "transformers", ""},
		{"koboldcpp", `{"tfs": 0.9}`, "top_k,tfs,typical_p", `"tfs": 0.9`},
		{"textgen", "top_a: 0.2\ntfs: 0.9\nsmoothing_factor: 0.3\n", "temperature,smoothing|eta_cutoff,tfs,top_a", "top_a: 0.2|tfs: 0.9|smoothing_factor: 0.3"},
		{"transformers", `{"watermarking_config": {"bias": 1.5, "seeding_scheme": "selfhash", "context_width": 3}, "do_sample": true}`, "transformers", `"greenlist_ratio":0.25|"bias":1.5|"hashing_key":15485863|"seeding_scheme":"selfhash"|"context_width":3`},
		{"tabby", "skew:\n  override: 0.5\n  force: true\ntfs:\n  override: 0.9\n  force: false\n", "tfs|skew", ""},
		{"sillytavern", `{"temp": 0.7, "rep_pen": 1.1, "top_a": 0.2, "skew": -0.3, "genamt": 5}`, "top_k,top_a|skew", ""},
	} {
		f, err := FormatNamed(c.format)
		if err != nil {
			t.Fatal(err)
		}
		in, err := Import([]byte(c.text), "x", Options{From: f})
		if err != nil {
			t.Errorf("%s: %v", c.format, err)
			continue
		}
		for _, part := range strings.Split(c.order, "|") {
			if !strings.Contains(in.Config.Order().Name(), part) {
				t.Errorf("%s %s: order %s, want %s in it", c.format, c.text, in.Config.Order(), part)
			}
		}
		p, err := sampling.Compile(in.Config, anyVocab{})
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range in.Config.Keys() {
			if prm, _ := param.Lookup(key); promotedTo(key) && !prm.IsOff(in.Config.Value(key)) && p.Inert(key, nil).NoEffect() {
				t.Errorf("%s: %s is read and %s", c.format, key, p.Inert(key, nil))
			}
		}
		if c.back == "" {
			continue
		}
		to, err := TargetNamed(c.format)
		if err != nil {
			t.Fatal(err)
		}
		out, err := Export(in.Config, to)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(c.back, "|") {
			if !strings.Contains(out.Text, part) {
				t.Errorf("%s lacks %s:\n%s", c.format, part, out.Text)
			}
		}
	}
}

func promotedTo(key string) bool {
	for _, ours := range promoted {
		if slices.Contains(ours, key) {
			return true
		}
	}
	return false
}
