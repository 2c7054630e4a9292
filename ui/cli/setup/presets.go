package setup

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"logitscope/presets"
	"logitscope/ui/cli/console"
	"logitscope/ui/store"
)

// UserPresets are the presets in the program's own folder.
func UserPresets(sys console.System) store.Presets { return store.UserPresets(console.ConfigDir(sys)) }

// OwnPresets reads the user's presets, by name. A broken file is named in
// problems and skipped.
func OwnPresets(sys console.System) (own []presets.Preset, problems []error) {
	return UserPresets(sys).List()
}

// FindPreset returns the preset of that name, built-in or the user's.
func FindPreset(sys console.System, name string) (presets.Preset, error) {
	p, err := presets.Named(name)
	if err == nil {
		return p, nil
	}
	own, problems := OwnPresets(sys)
	for _, err := range problems {
		if b := new(store.Broken); errors.As(err, &b) && b.Name == name {
			return presets.Preset{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, p := range own {
		if p.Name == name {
			return p, nil
		}
	}
	return presets.Preset{}, fmt.Errorf("%s: no such preset; %s", cmp.Or(name, `""`), PresetNames(sys))
}

// PresetNames lists the presets, the user's after the built-in ones.
func PresetNames(sys console.System) string {
	names := presets.Names()
	own, _ := OwnPresets(sys)
	for _, p := range own {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}
