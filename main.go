// Logitscope is a laboratory for the decoding of language models.
package main

import (
	"os"

	"logitscope/ui/cli"
)

func main() { os.Exit(cli.Main()) }
