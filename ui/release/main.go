// Release answers: what is in an archive that people download?
//
//	go run ./ui/release [-dry] [-out dist] VERSION
//
// It builds the program for every system, stripped and without paths of this
// machine, and packs each with its licences, the man pages and the shells'
// completions; checksums.txt lists the archives. With -dry it packs the
// archive of this system alone, unpacks it, and starts what is in it in an
// empty home.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	dry := flag.Bool("dry", false, "pack this system's archive alone, and try it")
	out := flag.String("out", "dist", "folder of the archives; it is made anew")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: go run ./ui/release [-dry] [-out DIR] VERSION")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	r, err := newRelease(flag.Arg(0), *out)
	if err == nil {
		err = r.make(*dry)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}
