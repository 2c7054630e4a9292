// Package prompt answers: what is the model given to continue, and what was
// written for it before?
//
// [Prompts] keep the history. [NewEditor] edits a prompt or the turns of a
// conversation, counted as the model reads them; [NewExamples] lists prompts
// whose distributions have known shapes.
package prompt
