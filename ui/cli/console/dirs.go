package console

import (
	"cmp"
	"os"
	"path/filepath"

	"github.com/adrg/xdg"
)

// ModelDir is where pulled models are kept.
func ModelDir(sys System) string { return filepath.Join(CacheDir(sys), "models") }

// ConfigDir is the platform's folder for the program's own files; empty where
// the environment names no home, and then nothing is kept.
func ConfigDir(sys System) string {
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

// CacheDir is the platform's folder for what can be had again: models that were
// pulled, cells of sweeps and benches. Where there is no home it is one that the
// system clears.
func CacheDir(sys System) string {
	dir := ownDir(sys, "LOGITSCOPE_CACHE_DIR", "XDG_CACHE_HOME", xdg.CacheHome)
	return cmp.Or(dir, filepath.Join(os.TempDir(), "logitscope"))
}

// StateDir is the platform's folder for what the program makes for itself and
// keeps: the keys of classes. It is empty where the environment names no home.
func StateDir(sys System) string {
	return ownDir(sys, "LOGITSCOPE_STATE_DIR", "XDG_STATE_HOME", xdg.StateHome)
}
