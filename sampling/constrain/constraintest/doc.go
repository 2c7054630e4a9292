// Package constraintest answers: what do the tests of constraints share?
//
// Vocabularies, texts drawn at random under masks, the slow twin of a mask, and
// the data of testdata and beside the project.
package constraintest
