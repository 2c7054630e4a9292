package lesson

import (
	"errors"
	"fmt"
	"strings"

	"logitscope/engine/goal"
)

// verbs read the rest of a line of a solution.
var verbs = map[string]func(*reader, *Command, string) error{
	"keys": func(_ *reader, c *Command, rest string) error {
		if c.Keys = strings.Fields(rest); len(c.Keys) == 0 {
			return errors.New("keys: want the names of keys, as in keys V esc")
		}
		return nil
	},
	"type": func(_ *reader, c *Command, rest string) error {
		if c.Type = rest; rest == "" {
			return errors.New("type: want a text")
		}
		return nil
	},
	"steps":  counted,
	"rounds": counted,
	"done": func(_ *reader, _ *Command, rest string) error {
		if rest != "" {
			return fmt.Errorf("done: %s has no place here", goal.Shown(rest))
		}
		return nil
	},
	"set": func(r *reader, c *Command, rest string) (err error) {
		c.Set, err = r.settings(rest)
		return err
	},
}

var verbNames = []string{"keys", "type", "steps", "rounds", "done", "set"}

func counted(_ *reader, c *Command, rest string) (err error) {
	c.N, err = whole(pair{key: c.Verb, value: rest})
	return err
}

func (r *reader) solution(b fenced) []Command {
	var list []Command
	for _, l := range b.lines {
		text := strings.TrimSpace(l.text)
		if text == "" {
			continue
		}
		verb, rest, _ := strings.Cut(text, " ")
		c := Command{Line: l.n, Text: text, Verb: verb}
		read := verbs[verb]
		if read == nil {
			r.faultf(l.n, "%s: no such verb; want %s", goal.Shown(verb), strings.Join(verbNames, ", "))
			continue
		}
		if err := read(r, &c, strings.TrimSpace(rest)); err != nil {
			r.fault(l.n, err)
			continue
		}
		list = append(list, c)
	}
	return list
}
