// Package tui is the lab: the program's only Bubble Tea model.
//
// [Model] owns the state, takes messages and routes them; nothing else writes
// it. What fills the screen is a view, what lies over it an overlay; both
// implement [view] and are listed in the table of views. Keys, their help,
// the footer and the command palette come from one table of actions, and
// every action either acts or says in the help line why it cannot. Layout is
// a pure function of the window's size, and drawing changes nothing.
//
// To add a view: write a file with a type that implements view, and give it a
// line in the table in views.go and an action that opens it in actions.go.
// To add a command: give it a line in actions.go, with keys if it shall have
// some.
package tui
