// Package tui answers: which view gets this key, and where does it stand on the
// screen?
//
// [Model] is the program's only Bubble Tea model. It takes messages and routes
// them, and owns what surrounds the views: keys and actions, layout, header,
// help line, footer, help and command palette. What is decoded, and what keys
// do to it, is in ui/tui/run; what all views need is in ui/tui/kit; each group
// of views is a package that imports these two, viz and its engine room, and
// neither this package nor another group. imports_test.go holds that.
//
// Keys, their help, the footer and the command palette come from one table of
// actions, and every action either acts or says in the help line why it
// cannot. Drawing changes nothing, and takes its places from the same values
// as the mouse does.
//
// # To add a view
//
//   - Write a package ui/tui/NAME. Its doc begins with the one question that
//     it answers.
//   - A type implements [kit.View], and [kit.Overlay] if it lies in a box. It
//     asks the screen for things through the [kit.Host] that every method is
//     given, and keeps what else it needs, such as [run.Lanes], a report or a
//     store, from its New: func New(h kit.Host, …) (kit.View, tea.Cmd), nil
//     after saying why the view cannot be opened now.
//   - Act takes the actions it names and returns false for all others. The
//     lab's own among those ([kit.OfLab]) are answered with NotHere
//     ([kit.Denier]), except those that Lends lists ([kit.Lender]).
//   - What takes time is a [kit.Job]: Want starts it, Follow takes its result.
//   - Give it a [kit.ViewID], a line in the table in views.go, an action with
//     a [kit.ID] that opens it in keytable.go, and a script in testdata.
//
// To add a command, give it a [kit.ID] and a line in keytable.go, with keys if
// it shall have some.
package tui
