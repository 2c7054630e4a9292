package value

import (
	"encoding/json"
	"regexp"
	"strings"
)

var nextSetting = regexp.MustCompile(`,\s*[A-Za-z][\w-]*\s*=`)

// SplitSettings splits key=value, key=value at the commas that begin a new
// setting: a value may hold commas itself, as in order=top_k,top_p.
func SplitSettings(spec string) []string {
	var parts []string
	for {
		n := settingLen(spec)
		parts = append(parts, strings.TrimSpace(spec[:n]))
		if n == len(spec) {
			return parts
		}
		spec = spec[n+1:]
	}
}

// settingLen returns how long the key=value is with which spec begins. One
// whose value is JSON ends after it.
func settingLen(spec string) int {
	from := 0
	if key, value, ok := strings.Cut(spec, "="); ok && !strings.Contains(key, ",") {
		d := json.NewDecoder(strings.NewReader(value))
		if d.Decode(new(json.RawMessage)) == nil {
			from = len(spec) - len(value) + int(d.InputOffset())
		}
	}
	if next := nextSetting.FindStringIndex(spec[from:]); next != nil {
		return from + next[0]
	}
	return len(spec)
}
