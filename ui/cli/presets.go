package cli

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"

	"logitscope/presets"
	"logitscope/ui/store"
)

// configDir is the platform's folder for the program's own files.
func configDir(sys System) string {
	if d := sys.Getenv("LOGITSCOPE_CONFIG_DIR"); d != "" {
		return d
	}
	return filepath.Join(xdg.ConfigHome, "logitscope")
}

// cacheDir is the platform's folder for models that were pulled.
func cacheDir(sys System) string {
	if d := sys.Getenv("LOGITSCOPE_CACHE_DIR"); d != "" {
		return d
	}
	return filepath.Join(xdg.CacheHome, "logitscope")
}

// userPresets are the presets in the program's own folder.
func userPresets(sys System) store.Presets { return store.UserPresets(configDir(sys)) }

// ownPresets reads the user's presets, by name. A broken file is named in
// problems and skipped.
func ownPresets(sys System) (own []presets.Preset, problems []error) { return userPresets(sys).List() }

// findPreset returns the preset of that name, built-in or the user's.
func findPreset(sys System, name string) (presets.Preset, error) {
	p, err := presets.Named(name)
	if err == nil {
		return p, nil
	}
	own, problems := ownPresets(sys)
	for _, err := range problems {
		if file := string(filepath.Separator) + name + ".json"; name != "" && strings.Contains(err.Error(), file) {
			return presets.Preset{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	names := presets.Names()
	for _, p := range own {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return presets.Preset{}, fmt.Errorf("%s: no such preset; %s", cmp.Or(name, `""`), strings.Join(names, ", "))
}
