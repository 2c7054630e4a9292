package engine

import "strings"

// A Name is what settings are called, as [Settings] has it in its label: the
// preset they come from, and whether something was changed since.
type Name struct {
	Preset  string
	Changed bool
}

// star marks a label whose settings were changed.
const star = "*"

// NameOf reads the name in a label of settings.
func NameOf(label string) Name {
	preset, changed := strings.CutSuffix(label, star)
	return Name{preset, changed}
}

// String is the label: the preset, with a star once it was changed.
func (n Name) String() string {
	if n.Changed {
		return n.Preset + star
	}
	return n.Preset
}
