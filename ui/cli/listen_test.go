package cli

import (
	"bufio"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// listening are the addresses that this process listens on.
func listening(t *testing.T) []string {
	t.Helper()
	mine := map[string]bool{} // sockets by their inode
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc here")
	}
	for _, fd := range fds {
		if to, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil && strings.HasPrefix(to, "socket:[") {
			mine[strings.Trim(to, "socket:[]")] = true
		}
	}
	var out []string
	for _, table := range []struct{ file, state string }{{"tcp", "0A"}, {"tcp6", "0A"}, {"udp", "07"}, {"udp6", "07"}} {
		f, err := os.Open("/proc/self/net/" + table.file)
		if err != nil {
			continue
		}
		for s := bufio.NewScanner(f); s.Scan(); {
			if c := strings.Fields(s.Text()); len(c) > 9 && c[3] == table.state && mine[c[9]] {
				out = append(out, table.file+" "+c[1])
			}
		}
		f.Close()
	}
	return out
}

// whileRunning are the commands that are run to see what listens meanwhile.
// Class needs a terminal; what it listens on is looked at in its own package.
var whileRunning = map[string][]string{
	"run":       {"--prompt", "Once", "--max_new_tokens", "3"},
	"replay":    {"missing.jsonl"},
	"shot":      {"--keys", "n"},
	"score":     {"--text", "Once upon a time"},
	"compare":   {"--lane", "preset=chat", "--lane", "preset=greedy", "--prompt", "Once", "--max_new_tokens", "3", "--format", "jsonl"},
	"sweep":     {"--grid", "temperature=0:1:1", "--prompt", "Once", "--max_new_tokens", "3", "--seeds", "1"},
	"bench":     {"--prompt", "Once", "--max_new_tokens", "3"},
	"tune":      {"--over", "temperature=0:1"},
	"vote":      {"--tally", "missing.jsonl"},
	"check":     {},
	"stats":     {},
	"trace":     {},
	"constrain": {},
	"config":    nil,
	"models":    nil,
	"storage":   {},
	"lesson":    {"missing"},
	"lessons":   nil,
	"class":     {},
}

// No command but class listens. Every command has its line here.
func TestWhatListens(t *testing.T) {
	before := listening(t)
	seen := 0
	for _, c := range Root().Commands() {
		if c.Hidden || c.Name() == "help" || c.Name() == "completion" {
			continue
		}
		name := c.Name()
		args, known := whileRunning[name]
		if !known {
			t.Errorf("%s: nobody says whether it listens", name)
			continue
		}
		seen++
		var more []string
		done := make(chan struct{})
		ready := make(chan struct{})
		go func() {
			defer close(done)
			tick := time.NewTicker(5 * time.Millisecond)
			defer tick.Stop()
			for {
				for _, a := range listening(t) {
					if !slices.Contains(before, a) {
						more = append(more, a)
					}
				}
				select {
				case <-ready:
					return
				case <-tick.C:
				}
			}
		}()
		try(t, "", append([]string{name}, args...)...)
		close(ready)
		<-done
		if len(more) > 0 {
			t.Errorf("%s listens on %v", name, more)
		}
	}
	if seen != len(whileRunning) {
		t.Errorf("%d commands were run, %d are listed", seen, len(whileRunning))
	}
}

// One line of the program listens, and it is the class's.
func TestOnePlaceListens(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	var found []string
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || strings.HasSuffix(filepath.Dir(file), "test") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if ok && (strings.HasPrefix(s.Sel.Name, "Listen") && s.Sel.Name != "Listener" || s.Sel.Name == "NewListener" || s.Sel.Name == "FileListener") {
				if x, ok := s.X.(*ast.Ident); ok {
					found = append(found, filepath.ToSlash(strings.TrimPrefix(file, root+string(filepath.Separator)))+" "+x.Name+"."+s.Sel.Name)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var calls []string
	for _, c := range found {
		if strings.Contains(c, " net.") || strings.Contains(c, " http.") || strings.Contains(c, " tls.") || strings.Contains(c, "srv.") {
			calls = append(calls, c)
		}
	}
	if want := []string{"ui/class/serve.go net.Listen"}; !slices.Equal(calls, want) {
		t.Errorf("%s: %v, want %v", runtime.GOOS, calls, want)
	}
}
