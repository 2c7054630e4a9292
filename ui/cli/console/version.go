package console

import (
	"runtime/debug"
	"strings"
	"time"
)

// Set by the linker in a release.
var BuiltVersion, BuiltCommit, BuiltDate string

// Version is the version, commit and date of the program: of a release as it
// was built, else what Go's tools know of the checkout it was built from.
func Version() string {
	v, commit, date := BuiltVersion, BuiltCommit, BuiltDate
	info, ok := debug.ReadBuildInfo()
	if v == "" && ok {
		v = info.Main.Version
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				commit = s.Value[:min(len(s.Value), 12)]
			case "vcs.time":
				if t, err := time.Parse(time.RFC3339, s.Value); err == nil {
					date = t.Format(time.DateOnly)
				}
			case "vcs.modified":
				if s.Value == "true" {
					commit += "+changes"
				}
			}
		}
	}
	if v == "" {
		v = "(devel)"
	}
	return strings.Join(strings.Fields(v+" "+commit+" "+date), " ")
}
