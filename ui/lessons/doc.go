// Package lessons answers: is a lesson right? It drives the lab through a
// lesson without a terminal, task by task, as its solution says.
package lessons
