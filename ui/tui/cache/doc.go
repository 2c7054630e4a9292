// Package cache answers: what do reading a prompt and writing a text cost, and
// what does the cache of keys and values save?
//
// [View] shows the cache cell by cell while the prompt is read again, pass by
// pass at the pace chosen, and the text is written token by token. What was
// measured here stands beside what engine/cost computes for other models: the
// two never share a box.
package cache
