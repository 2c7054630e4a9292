// Package lab answers: what does one step look like, and what do its controls
// do to it?
//
// [View] is the lab: the text, the chart of the next token, the controls, the
// pipeline and the entropy, laid out for the size of the window by one value
// that drawing and mouse share. Its methods are what keys and mouse mean in
// the panes; [View.Around] says where the rest of the screen stands.
package lab
