package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite what is generated")

// thirdParty is the file of the licences of what is inside the program.
const thirdParty = "THIRD_PARTY.txt"

// A module is one that the program is made of.
type module struct{ Path, Version, Dir string }

// modules lists the modules that are linked into the program, on any of the
// systems that it is built for.
func modules(t *testing.T) []module {
	all := map[string]module{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		cmd := exec.Command("go", "list", "-deps", "-json=Module", ".")
		cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0", "GOFLAGS=")
		out, err := cmd.Output()
		if err != nil {
			t.Skipf("go list for %s: %v", system, err)
		}
		for d := json.NewDecoder(bytes.NewReader(out)); ; {
			var p struct{ Module *module }
			if err := d.Decode(&p); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if p.Module != nil && p.Module.Version != "" {
				all[p.Module.Path] = *p.Module
			}
		}
	}
	var out []module
	for _, path := range slices.Sorted(maps.Keys(all)) {
		out = append(out, all[path])
	}
	return out
}

// licensesOf returns the texts that a module's authors want kept.
func licensesOf(m module) (texts []string) {
	for _, pattern := range []string{"LICEN[CS]E*", "licen[cs]e*", "COPYING*", "NOTICE*"} {
		names, _ := filepath.Glob(filepath.Join(m.Dir, pattern))
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err == nil && !strings.HasSuffix(name, ".go") {
				texts = append(texts, strings.TrimSpace(strings.ReplaceAll(string(data), "\r\n", "\n")))
			}
		}
	}
	if len(texts) == 0 {
		// Some name the licence in what they say of themselves, and nowhere else.
		readme, _ := os.ReadFile(filepath.Join(m.Dir, "README.md"))
		if _, said, ok := strings.Cut(string(readme), "# License\n"); ok {
			said, _, _ = strings.Cut(said, "\n#")
			texts = append(texts, "Its README says: "+strings.TrimSpace(said))
		}
	}
	return slices.Compact(texts)
}

// The file of licences holds those of every module in the program, and where
// the built-in model comes from. Run with -update after a change of go.mod.
func TestLicenses(t *testing.T) {
	var b strings.Builder
	b.WriteString("What logitscope is made of besides its own code, and under which terms.\n")
	rule := strings.Repeat("=", 78)
	for _, m := range modules(t) {
		texts := licensesOf(m)
		if len(texts) == 0 {
			t.Errorf("%s %s has no licence", m.Path, m.Version)
		}
		fmt.Fprintf(&b, "\n%s\n%s %s\n%s\n\n%s\n", rule, m.Path, m.Version, rule, strings.Join(texts, "\n\n"))
	}
	fmt.Fprintf(&b, "\n%s\nThe built-in model, fable: CC0-1.0\n%s\n\n", rule, rule)
	origin, err := os.ReadFile("models/fable/training/PROVENANCE.md")
	if err != nil {
		t.Fatal(err)
	}
	b.Write(bytes.TrimSpace(origin))
	b.WriteByte('\n')
	if *update {
		if err := os.WriteFile(thirdParty, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	old, err := os.ReadFile(thirdParty)
	if err != nil || string(old) != b.String() {
		t.Errorf("%s is not what the modules say (%v): go test . -run Licenses -update", thirdParty, err)
	}
}
