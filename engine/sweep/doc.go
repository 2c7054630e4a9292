// Package sweep decodes one prompt at every point of a grid of settings, with
// several seeds each, and measures the texts: [Run] does the work, cell by
// cell, keeping each finished cell on disk, and returns a [Report].
package sweep
