package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/adrg/xdg"

	"logitscope/presets"
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

// ownPresets reads the user's presets, by name. A broken file is named in
// problems and skipped.
func ownPresets(sys System) (own []presets.Preset, problems []error) {
	files, _ := filepath.Glob(filepath.Join(configDir(sys), "presets", "*.json"))
	sort.Strings(files)
	for _, file := range files {
		p, err := readPreset(file)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		own = append(own, p)
	}
	sort.SliceStable(own, func(i, j int) bool { return own[i].Name < own[j].Name })
	return own, problems
}

func readPreset(file string) (presets.Preset, error) {
	f, err := os.Open(file)
	if err != nil {
		return presets.Preset{}, err
	}
	defer f.Close()
	return presets.Decode(f, file)
}

// findPreset returns the preset of that name, built-in or the user's.
func findPreset(sys System, name string) (presets.Preset, error) {
	p, err := presets.Named(name)
	if err == nil {
		return p, nil
	}
	own, _ := ownPresets(sys)
	names := presets.Names()
	for _, p := range own {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return presets.Preset{}, fmt.Errorf("%s: no such preset; %s", name, strings.Join(names, ", "))
}
