// Logitscope is a laboratory for the decoding of language models.
package main

import (
	"embed"
	"os"

	"logitscope/ui/cli"
)

//go:embed LICENSE THIRD_PARTY.txt
var licenses embed.FS

func main() { os.Exit(cli.Main(licenses)) }
