// Package course answers: what does the lesson ask for, and is it true on the
// screen? It brings the lab into the state that a task begins from, gathers
// what its goals may ask about, and keeps what was met.
package course
