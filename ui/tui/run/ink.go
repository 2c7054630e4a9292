package run

import (
	"logitscope/viz"
)

// presetRoles are the colours of the built-in presets' texts.
var presetRoles = map[string]viz.Ink{
	"factual":  {Role: viz.Factual, Attr: viz.Underline},
	"chat":     {Role: viz.Chat},
	"creative": {Role: viz.Creative, Attr: viz.Italic},
	"neutral":  {Role: viz.Neutral},
	"greedy":   {Role: viz.Greedy, Attr: viz.Bold},
}

// LabelInk returns how text written under a preset's label is drawn.
func LabelInk(name string) viz.Ink {
	if ink, ok := presetRoles[name]; ok {
		return ink
	}
	return viz.Ink{Role: viz.Custom, Attr: viz.Underline}
}
