// Package timeline answers: how did the text come about, and which texts were
// left?
//
// [New] opens the view: every step of a text as a column, the texts that were
// left as branches below, and going on, comparing and trying other settings
// from any step of any of them. [NewName] names one.
package timeline
