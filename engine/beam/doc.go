// Package beam keeps the most likely texts instead of drawing one: beam
// search, its diverse, sampled and constrained forms, and contrastive search.
package beam
