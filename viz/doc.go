// Package viz answers: how do numbers look in exactly w by h cells? It draws
// data as text of exactly w×h cells.
//
// A [Canvas] is a grid of cells, each a grapheme cluster with an [Ink]: the
// role it plays, not its colour. A [Palette] turns roles into terminal
// sequences when the canvas is rendered, so that the same drawing serves dark
// and light screens, 16 colours and none. The charts are laid out by ntcharts
// and copied into the canvas; labels, which may hold anything, are made
// printable first. Nothing here writes to a terminal or keeps state.
package viz
