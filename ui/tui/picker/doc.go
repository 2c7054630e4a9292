// Package picker answers: which model runs, what is it, and which others are
// there?
package picker
