package lesson

import (
	"embed"
	"slices"
)

//go:embed lessons/*.md
var files embed.FS

// Builtin returns the lessons that come with the program, in their order. A
// test holds that they have no fault; one that had would be among the faults.
func Builtin(names Names) (list []*Lesson, faults []Fault) {
	dir, err := files.ReadDir("lessons")
	if err != nil {
		return nil, []Fault{{Line: 1, Why: err.Error()}}
	}
	for _, f := range dir {
		src, err := files.ReadFile("lessons/" + f.Name())
		if err != nil {
			return nil, []Fault{{Lesson: f.Name(), Line: 1, Why: err.Error()}}
		}
		l, bad := Parse(src, f.Name(), names)
		if faults = append(faults, bad...); l != nil {
			list = append(list, l)
		}
	}
	slices.SortStableFunc(list, func(a, b *Lesson) int { return a.Order - b.Order })
	return list, faults
}
