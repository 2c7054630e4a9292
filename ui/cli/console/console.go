// Package console answers: how does a command read, write and fail? It holds the
// world around the program (System), the exit codes and the errors behind them,
// input that ends with the context, and output that steers no terminal.
package console

import (
	"io"
	"io/fs"
)

// A System is what the program needs of the world around it.
type System struct {
	Args   []string // without the program's name
	In     io.Reader
	Out    io.Writer
	Err    io.Writer
	Getenv func(string) string

	Licenses fs.FS // the files that --licenses prints, in their order by name; nil for none

	Input io.Reader // In, for all but the screen: reading it ends with the context
}
