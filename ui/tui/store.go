package tui

import "logitscope/ui/store"

// errExists says that a file is there already.
var errExists = store.ErrExists

// writeFile writes a file whole or not at all; see [store.WriteFile].
func writeFile(name string, data []byte, over bool) error { return store.WriteFile(name, data, over) }
