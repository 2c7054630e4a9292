package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"

	"logitscope/presets"
	"logitscope/ui/store"
)

// configDir is the platform's folder for the program's own files; empty where
// the environment names no home, and then nothing is kept.
func configDir(sys System) string {
	return ownDir(sys, "LOGITSCOPE_CONFIG_DIR", "XDG_CONFIG_HOME", xdg.ConfigHome)
}

// ownDir is the folder that a variable of the environment names, else the
// program's in the platform's folder; empty where neither that nor a home is
// named.
func ownDir(sys System, variable, base, platform string) string {
	if d := sys.Getenv(variable); d != "" {
		return d
	}
	if _, err := os.UserHomeDir(); err != nil && sys.Getenv(base) == "" {
		return ""
	}
	return filepath.Join(platform, "logitscope")
}

// cacheDir is the platform's folder for what can be had again: models that were
// pulled, cells of sweeps and benches. Where there is no home it is one that the
// system clears.
func cacheDir(sys System) string {
	dir := ownDir(sys, "LOGITSCOPE_CACHE_DIR", "XDG_CACHE_HOME", xdg.CacheHome)
	return cmp.Or(dir, filepath.Join(os.TempDir(), "logitscope"))
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
