package tokenizer

import (
	"slices"
	"strings"

	"logitscope/models"
	"logitscope/models/gguf"
)

// specialIDs are the tokens with a role; models.NoToken where there is none.
type specialIDs struct {
	bos, eos, eot, eom, unk, sep, pad, mask int32
	fimPre, fimSuf, fimMid                  int32
	fimPad, fimRep, fimSep                  int32
}

func noSpecialIDs() specialIDs {
	const n = models.NoToken
	return specialIDs{n, n, n, n, n, n, n, n, n, n, n, n, n, n}
}

// role is a special token: the keys that may name it, the later ones older
// spellings, and the texts by which it is recognised where no key does.
type role struct {
	keys  []string
	id    func(*specialIDs) *int32
	texts []string
}

var roles = []role{
	{[]string{"bos_token_id"}, func(s *specialIDs) *int32 { return &s.bos }, nil},
	{[]string{"eos_token_id"}, func(s *specialIDs) *int32 { return &s.eos }, nil},
	{[]string{"eot_token_id"}, func(s *specialIDs) *int32 { return &s.eot }, []string{
		"<|eot_id|>", "<|im_end|>", "<|end|>", "<end_of_turn>", "<|endoftext|>", "<|end_of_text|>",
		"<EOT>", "_<EOT>", "[EOT]", "<｜end▁of▁sentence｜>", "<end_of_utterance>"}},
	{[]string{"eom_token_id"}, func(s *specialIDs) *int32 { return &s.eom }, []string{"<|eom_id|>"}},
	{[]string{"unknown_token_id"}, func(s *specialIDs) *int32 { return &s.unk }, nil},
	{[]string{"seperator_token_id"}, func(s *specialIDs) *int32 { return &s.sep }, nil}, // the key's own spelling
	{[]string{"padding_token_id"}, func(s *specialIDs) *int32 { return &s.pad }, nil},
	{[]string{"mask_token_id"}, func(s *specialIDs) *int32 { return &s.mask }, nil},
	{[]string{"fim_pre_token_id", "prefix_token_id"}, func(s *specialIDs) *int32 { return &s.fimPre }, []string{
		"<|fim_prefix|>", "<fim-prefix>", "<fim_prefix>", "<｜fim▁begin｜>", "<PRE>", "▁<PRE>", "<|code_prefix|>", "<|prefix|>"}},
	{[]string{"fim_suf_token_id", "suffix_token_id"}, func(s *specialIDs) *int32 { return &s.fimSuf }, []string{
		"<|fim_suffix|>", "<fim-suffix>", "<fim_suffix>", "<｜fim▁hole｜>", "<SUF>", "▁<SUF>", "<|code_suffix|>", "<|suffix|>"}},
	{[]string{"fim_mid_token_id", "middle_token_id"}, func(s *specialIDs) *int32 { return &s.fimMid }, []string{
		"<|fim_middle|>", "<fim-middle>", "<fim_middle>", "<｜fim▁end｜>", "<MID>", "▁<MID>", "<|code_middle|>", "<|middle|>"}},
	{[]string{"fim_pad_token_id"}, func(s *specialIDs) *int32 { return &s.fimPad }, []string{
		"<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"}},
	{[]string{"fim_rep_token_id"}, func(s *specialIDs) *int32 { return &s.fimRep }, []string{
		"<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"}},
	{[]string{"fim_sep_token_id"}, func(s *specialIDs) *int32 { return &s.fimSep }, []string{"<|file_sep|>"}},
}

// eogTexts name tokens that end generation wherever they occur.
var eogTexts = []string{
	"<|eot_id|>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<|flush|>", "<|calls|>",
	"<end_of_turn>", "<|endoftext|>", "</s>", "<|eom_id|>", "<EOT>", "_<EOT>", "[EOT]", "[EOS]",
	"<|end_of_text|>", "<end_of_utterance>", "<eos>", "<turn|>", "<|tool_response>",
	"<｜end▁of▁sentence｜>", "[e~[",
}

// shownTexts name structure tokens of the harmony format that are text to the
// reader.
var shownTexts = []string{"<|channel|>", "<|message|>", "<|start|>", "<|constrain|>"}

// readSpecialIDs sets the roles that the file's keys name, over the defaults
// of the kind. An id out of range leaves the default, as in llama.cpp.
func (v *Vocab) readSpecialIDs(f *gguf.File) error {
	n := len(v.texts)
	for _, r := range roles {
		id := r.id(&v.special)
		if int(*id) >= n {
			*id = models.NoToken
		}
		for _, key := range r.keys {
			key = "tokenizer.ggml." + key
			val, ok, err := f.Uint(key)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			if val >= uint64(n) {
				v.notef("%s is %d, not one of the %d tokens: ignored", key, val, n)
				continue
			}
			*id = int32(val)
		}
	}
	return nil
}

// findSpecials finds the roles that no key names, by the tokens' texts, and
// from them the tokens that end generation.
func (v *Vocab) findSpecials() {
	control := func(id int32) { v.attrs[id] |= attrControl }
	for _, r := range roles {
		id := r.id(&v.special)
		if *id != models.NoToken {
			continue
		}
		for _, text := range r.texts {
			if found, ok := v.ids[text]; ok && (*id == models.NoToken || found < *id) {
				*id = found
			}
		}
		if *id != models.NoToken {
			control(*id)
		}
	}
	for id, a := range v.attrs {
		if a&attrControl != 0 && strings.Contains(v.texts[id], "unused") {
			v.attrs[id] |= attrUnused
		}
	}

	eog := map[int32]bool{}
	s := &v.special
	for _, text := range eogTexts {
		if id, ok := v.ids[text]; ok {
			eog[id] = true
			control(id)
		}
	}
	for _, text := range shownTexts {
		if id, ok := v.ids[text]; ok {
			v.attrs[id] = attrUser
		}
	}
	for _, id := range []int32{s.fimPad, s.fimRep, s.fimSep, s.eos, s.eot, s.eom} {
		if id != models.NoToken {
			eog[id] = true
		}
	}
	v.dropFalseEOG(eog)
	v.eog = v.eog[:0]
	for id := range eog {
		v.eog = append(v.eog, id)
	}
	slices.Sort(v.eog)
}

// dropFalseEOG takes out tokens that some formats use inside a message:
// "<|end|>" beside the end tokens of harmony or Solar, "</s>" beside Gemma's
// tool tokens.
func (v *Vocab) dropFalseEOG(eog map[int32]bool) {
	has := func(text string) bool {
		id, ok := v.ids[text]
		return ok && eog[id]
	}
	calls := has("<|call|>") || has("<|calls|>")
	if has("<|end|>") && calls && (has("<|return|>") || has("<|flush|>")) {
		id := v.ids["<|end|>"]
		delete(eog, id)
		v.attrs[id] = attrUser
	}
	if has("</s>") && has("<|tool_response>") {
		id := v.ids["</s>"]
		delete(eog, id)
		v.attrs[id] = attrNormal
	}
}

// setStripping marks the special tokens that swallow the white space beside
// them. No key says so; llama.cpp goes by the model's name, and so does this.
func (v *Vocab) setStripping(name, pre, arch string) {
	mark := func(a attr, texts ...string) {
		for _, t := range texts {
			if id, ok := v.ids[t]; ok {
				v.attrs[id] |= a
			}
		}
	}
	containsAny := func(s string, subs ...string) bool {
		return slices.ContainsFunc(subs, func(sub string) bool { return strings.Contains(s, sub) })
	}
	name = strings.ToLower(name)
	switch {
	case containsAny(pre, "jina-v2-de", "jina-v2-es", "jina-v2-code"),
		containsAny(arch, "nomic-bert-moe", "jina-bert-v3"):
		mark(attrLstrip, "<mask>")
	case containsAny(name, "phi-3", "phi3"):
		for id, a := range v.attrs {
			if a&(attrControl|attrUser|attrUnknown) != 0 {
				v.attrs[id] |= attrRstrip
			}
		}
		mark(attrRstrip, "</s>")
		for _, t := range []string{"<unk>", "<s>", "<|endoftext|>"} {
			if id, ok := v.ids[t]; ok {
				v.attrs[id] &^= attrRstrip
			}
		}
	case containsAny(name, "modern-bert"):
		mark(attrLstrip, "[MASK]")
	}
}
