// Package reading is the view of a text that is already there: read under the
// model, token after token, it shows where the text was a surprise, and which
// of its words the settings could never have written.
package reading
