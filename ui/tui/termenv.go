package tui

import (
	"github.com/muesli/termenv"

	"logitscope/ui/tui/quiet"
)

func init() { quiet.Restore() }

// An envMap answers termenv's questions from a list instead of the process.
type envMap struct{ list []string }

func (e envMap) Environ() []string { return e.list }

func (e envMap) Getenv(key string) string { return environ(e.list)[key] }

func termOptions(list []string) []termenv.OutputOption {
	return []termenv.OutputOption{termenv.WithEnvironment(envMap{list}), termenv.WithTTY(true)}
}
