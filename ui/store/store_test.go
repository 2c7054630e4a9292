package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"logitscope/presets"
	"logitscope/sampling"
)

func preset(name string, temperature float64) presets.Preset {
	return presets.Preset{Name: name, About: "for tests", Config: sampling.Config{}.MustWith("temperature", temperature, sampling.FromFlag)}
}

// has returns what the store lists: names with their temperatures.
func has(t *testing.T, s Presets) string {
	t.Helper()
	list, problems := s.List()
	if len(problems) > 0 {
		t.Errorf("problems: %v", problems)
	}
	text := ""
	for _, p := range list {
		text += fmt.Sprintf("%s %g;", p.Name, p.Config.Float("temperature"))
	}
	return text
}

func TestSaveRenameDeleteRestore(t *testing.T) {
	s := UserPresets(filepath.Join(t.TempDir(), "not", "there", "yet"))
	if got := has(t, s); got != "" {
		t.Errorf("an empty store has %s", got)
	}
	must := func(_ string, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	want := func(w string) {
		t.Helper()
		if got := has(t, s); got != w {
			t.Errorf("%s, want %s", got, w)
		}
	}
	must(s.Save(preset("wild", 1.5), false))
	must(s.Save(preset("calm", 0.3), false))
	want("calm 0.3;wild 1.5;")
	if _, err := s.Save(preset("wild", 1.9), false); !errors.Is(err, ErrExists) {
		t.Errorf("saved over: %v", err)
	}
	want("calm 0.3;wild 1.5;")
	must(s.Save(preset("wild", 1.9), true))
	want("calm 0.3;wild 1.9;")
	must(s.Restore("wild", true)) // what was written over comes back, and takes its place
	want("calm 0.3;wild 1.5;")
	must(s.Restore("wild", true))
	want("calm 0.3;wild 1.9;")
	if _, err := s.Rename("wild", "calm", false); !errors.Is(err, ErrExists) {
		t.Errorf("renamed over: %v", err)
	}
	must(s.Rename("wild", "fierce", false))
	want("calm 0.3;fierce 1.9;")
	must("", s.Delete("fierce"))
	want("calm 0.3;")
	if got := fmt.Sprint(s.deleted()); got != "[fierce wild]" {
		t.Errorf("deleted %s", got)
	}
	must(s.Restore("fierce", false))
	want("calm 0.3;fierce 1.9;")
	must("", s.Delete("fierce"))
	must(s.Save(preset("fierce", 2), false))
	if _, err := s.Restore("fierce", false); !errors.Is(err, ErrExists) {
		t.Errorf("restored over: %v", err)
	}
	want("calm 0.3;fierce 2;")
	must(s.Rename("fierce", "calm", true))
	want("calm 2;")
	must(s.Restore("calm", true))
	want("calm 0.3;")
	if left, _ := filepath.Glob(filepath.Join(s.dir, ".logitscope-*")); len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
}

func TestNames(t *testing.T) {
	s := UserPresets(t.TempDir())
	for name, want := range map[string]string{
		"": "letters a to z", "../up": "letters a to z", "a/b": "letters a to z", `a\b`: "letters a to z", ".": "letters a to z",
		"a b": "letters a to z", "é": "letters a to z", strings.Repeat("a", 65): "1 to 64",
		"chat": "built-in", "Chat": "built-in", "greedy": "built-in", "NUL": "device", "com1": "device", "lpt9": "device",
	} {
		if _, err := s.Save(preset(name, 1), true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
	for _, name := range []string{"a", "My-preset_2", "com", "command1", strings.Repeat("a", 64)} {
		if err := CheckName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	if entries, _ := os.ReadDir(s.dir); len(entries) > 0 {
		t.Errorf("%v", entries)
	}
}

// Files that others wrote: what cannot be used is named and skipped.
func TestForeignFiles(t *testing.T) {
	s := UserPresets(t.TempDir())
	if err := os.MkdirAll(filepath.Join(s.dir, "folder.json"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"a.json":         `{"name":"first","config":{"temperature":0.5}}`, // another name than its file's
		"b.json":         `{"name":"first","config":{"temperature":0.6}}`,
		"broken.json":    "{\"name\":\"broken\",\n\"config\":{\"temperature\":\"hot\"}}",
		"chat.json":      `{"name":"chat","config":{}}`,
		"empty.json":     ``,
		"notes.txt":      `not a preset`,
		".hidden.json":   `nor this`,
		"x.json.deleted": `{`,
	} {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list, problems := s.List()
	if len(list) != 1 || list[0].Name != "first" || list[0].Config.Float("temperature") != 0.5 {
		t.Errorf("%v", list)
	}
	var all []string
	for _, err := range problems {
		all = append(all, strings.TrimPrefix(err.Error(), s.dir+string(filepath.Separator)))
	}
	if len(all) != 4 || !strings.Contains(all[0], "b.json: first is also the name in a.json") || !strings.HasPrefix(all[1], "broken.json:2: temperature") ||
		!strings.Contains(all[2], "chat.json: chat is the name of a built-in") || !strings.HasPrefix(all[3], "empty.json") {
		t.Errorf("problems %q", all)
	}
	// It is changed where it lies.
	if path, err := s.Save(preset("first", 0.9), true); err != nil || filepath.Base(path) != "a.json" {
		t.Errorf("%s: %v", path, err)
	}
	if err := s.Delete("first"); err != nil {
		t.Error(err)
	}
	if _, err := s.Restore("x", false); err == nil || !strings.Contains(err.Error(), "x.json.deleted") {
		t.Errorf("a broken deleted file: %v", err)
	}
	for _, err := range []error{s.Delete("nobody"), s.Delete("chat")} {
		if err == nil {
			t.Error("deleted what is not there")
		}
	}
}

// What stands under a name stays what it is: a link, a pipe.
func TestWriteFileThrough(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	if err := os.WriteFile(real, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	if err := WriteFile(link, []byte("new"), true); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Lstat(link); info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became %v", info.Mode())
	}
	if b, _ := os.ReadFile(real); string(b) != "new" {
		t.Errorf("behind the link: %s", b)
	}
	before, err := os.Stat(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	null := filepath.Join(dir, "null") // never the device itself: a fault would take it away
	if err := os.Symlink(os.DevNull, null); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(null, []byte("gone"), true); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(null); err != nil || after.Mode() != before.Mode() {
		t.Errorf("a device became %v, %v", after, err)
	}
}

func TestWriteFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	if err := WriteFile(name, []byte("one"), false); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(name, []byte("two"), false); !errors.Is(err, ErrExists) {
		t.Errorf("%v", err)
	}
	if b, _ := os.ReadFile(name); string(b) != "one" {
		t.Errorf("%s", b)
	}
	if err := WriteFile(name, []byte("two"), true); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(name); string(b) != "two" {
		t.Errorf("%s", b)
	}
	if err := os.Chmod(name, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(name, []byte("three"), true); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Stat(name); info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("a private file became %v", info.Mode())
	}
	if err := WriteFile(t.TempDir(), nil, true); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("a folder: %v", err)
	}
	bad := filepath.Join(name, "below a file")
	if err := WriteFile(bad, nil, true); err == nil || !strings.HasPrefix(err.Error(), bad+": ") || strings.Count(err.Error(), "logitscope-") > 0 {
		t.Errorf("%v", err)
	}
}
