package lesson

import (
	_ "embed"
	"fmt"
	"strings"

	"logitscope/engine/goal"
)

//go:embed template.md
var template string

// Template returns a lesson to begin with, which explains itself and is right.
func Template(id string) (string, error) {
	if !idForm.MatchString(id) {
		return "", fmt.Errorf("id: %s: want a-z, 0-9 and -, at most 64", goal.Shown(id))
	}
	return strings.Replace(template, "id: my-lesson", "id: "+id, 1), nil
}

// Command reads one line of a solution, with the names of the lesson's files.
func (l *Lesson) Command(text string) (Command, error) {
	r := &reader{lesson: l}
	list := r.solution(fenced{lines: []line{{1, text}}})
	if len(r.faults) > 0 {
		return Command{}, r.faults[0]
	}
	if len(list) == 0 {
		return Command{}, fmt.Errorf("want one of %s", strings.Join(verbNames, ", "))
	}
	return list[0], nil
}
