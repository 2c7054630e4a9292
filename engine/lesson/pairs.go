package lesson

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"logitscope/engine/goal"
	"logitscope/sampling"
	"logitscope/sampling/param"
	"logitscope/sampling/value"
)

// A pair is a key and its value in a block.
type pair struct {
	n          int
	key, value string
}

// pairs reads lines of key: value with the keys that are allowed.
func (r *reader) pairs(b fenced, keys []string) (list []pair, ok bool) {
	before := len(r.faults)
	seen := map[string]bool{}
	for _, l := range b.lines {
		if strings.TrimSpace(l.text) == "" {
			continue
		}
		key, value, found := strings.Cut(l.text, ":")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch {
		case !found || !slices.Contains(keys, key):
			r.faultf(l.n, "%s: no such key in a %s block; want %s", goal.Shown(key), b.word, strings.Join(keys, ", "))
		case seen[key]:
			r.faultf(l.n, "%s stands twice", key)
		default:
			seen[key] = true
			list = append(list, pair{l.n, key, value})
		}
	}
	return list, len(r.faults) == before
}

// whole reads a whole number from 0 to MaxSteps.
func whole(p pair) (int, error) {
	n, err := strconv.Atoi(p.value)
	if err != nil || n < 0 || n > MaxSteps || p.value != strconv.Itoa(n) {
		return 0, fmt.Errorf("%s: %s: want a whole number from 0 to %d", p.key, goal.Shown(p.value), MaxSteps)
	}
	return n, nil
}

// spelled turns the signs of a line into text: ␣ is a blank, \n a newline.
func spelled(s string) string {
	return strings.NewReplacer("␣", " ", `\n`, "\n").Replace(s)
}

// settings reads k=v, k=v.
func (r *reader) settings(text string) ([]Setting, error) {
	var out []Setting
	for _, kv := range value.SplitSettings(text) {
		s, err := r.setting(kv)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

func (r *reader) setting(kv string) (Setting, error) {
	key, value, ok := strings.Cut(kv, "=")
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	if !ok {
		return Setting{}, fmt.Errorf("%s: want settings as in temperature=0.3, top_k=40", goal.Shown(kv))
	}
	p, known := param.Lookup(key)
	if !known {
		_, err := sampling.Config{}.With(key, "", sampling.FromYou)
		return Setting{}, err
	}
	v, err := r.value(p, value)
	if err != nil {
		return Setting{}, err
	}
	cfg, err := sampling.Config{}.With(key, v, sampling.FromYou)
	if err != nil {
		return Setting{}, err
	}
	return Setting{key, cfg.Value(key)}, nil
}

// value reads the value of a parameter. A constraint is the name of a file
// block.
func (r *reader) value(p *param.Param, text string) (any, error) {
	if p.Key == "constraint" {
		if p.IsOff(text) || text == offWord {
			return p.Off, nil
		}
		return r.fileNamed(p.Key, text)
	}
	return goal.ParseValue(p, text)
}

const offWord = "off"

func (r *reader) fileNamed(key, name string) (string, error) {
	text, ok := r.lesson.Files[name]
	switch {
	case ok:
		stored, err := constraintOf(name, text)
		if err != nil {
			return "", fmt.Errorf("%s: %w", key, err)
		}
		return stored, nil
	case len(r.lesson.Files) == 0:
		return "", fmt.Errorf("%s: %s: no such file block; this lesson has none", key, goal.Shown(name))
	}
	return "", fmt.Errorf("%s: %s: no such file block; want %s", key, goal.Shown(name), strings.Join(slices.Sorted(maps.Keys(r.lesson.Files)), ", "))
}
