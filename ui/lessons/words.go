package lessons

import (
	"logitscope/engine/goal"
	"logitscope/ui/tui/course"
)

// Words is a value as texts and marks show it.
func Words(v goal.Value, ascii bool) string { return course.Words(v, ascii) }
