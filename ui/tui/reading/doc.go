// Package reading answers: how likely was a text that is already there? It is read
// under the model, token after token: the view shows where the text was a surprise,
// and which of its words the settings could never have written.
package reading
