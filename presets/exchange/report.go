package exchange

import (
	"encoding/json"

	"logitscope/sampling"
)

// A Report is an import as one JSON object.
type Report struct {
	Format  string            `json:"format"`
	Config  ReportedConfig    `json:"config"` // what the file sets
	Order   string            `json:"order"`
	Implied map[string]any    `json:"implied"`
	Acts    []string          `json:"acts_not_modelled"`
	Aside   []string          `json:"set_aside"`
	Unknown []string          `json:"unknown"`
	Unread  []UnreadReport    `json:"unread"`
	Suggest map[string]string `json:"suggest"` // unknown key → the known one that is probably meant
	Notes   []string          `json:"notes"`
}

// A ReportedConfig is a configuration in a [Report]: the settings of a
// watermark stand as one, under the name and the fields of transformers.
type ReportedConfig struct{ sampling.Config }

// MarshalJSON writes the configuration.
func (c ReportedConfig) MarshalJSON() ([]byte, error) {
	mark := map[string]any{}
	for _, f := range sampling.WatermarkFields {
		if set, ok := c.Lookup(f.Key); ok {
			mark[f.Theirs] = set.Value
			c.Config = c.Without(f.Key)
		}
	}
	b, err := c.Config.MarshalJSON()
	if err != nil || len(mark) == 0 {
		return b, err
	}
	one, err := json.Marshal(map[string]any{"watermarking_config": mark})
	if err != nil || len(b) == len("{}") {
		return one, err
	}
	return append(append(b[:len(b)-1], ','), one[1:]...), nil
}

// An UnreadReport is a [carrier.Unread] in a [Report].
type UnreadReport struct {
	Line int    `json:"line"`
	Key  string `json:"key"`
	Text string `json:"text"`
	Why  string `json:"why"`
}

// Report returns what was read and what was not.
func (in *Imported) Report() Report {
	r := Report{
		Format: in.Format.Name, Config: ReportedConfig{in.Config}, Order: in.Config.Order().Name(), Implied: map[string]any{}, Acts: []string{}, Aside: []string{}, Unknown: []string{},
		Unread: []UnreadReport{}, Suggest: map[string]string{}, Notes: append([]string{}, in.Notes...),
	}
	for _, key := range in.Implied {
		r.Implied[key] = in.Config.Value(key)
	}
	for _, key := range r.Config.Keys() {
		if set, _ := r.Config.Lookup(key); set.Origin == sampling.FromDefault {
			r.Config.Config = r.Config.Without(key)
		}
	}
	r.Config.Config = r.Config.Without("order")
	for _, x := range []struct {
		to   *[]string
		keys []Key
	}{{&r.Acts, in.Acts}, {&r.Aside, in.Aside}, {&r.Unknown, in.Unknown}} {
		for _, k := range x.keys {
			*x.to = append(*x.to, k.Name)
		}
	}
	for _, k := range in.Unknown {
		if k.Suggest != "" {
			r.Suggest[k.Name] = k.Suggest
		}
	}
	for _, u := range in.Unread {
		r.Unread = append(r.Unread, UnreadReport(u))
	}
	return r
}
