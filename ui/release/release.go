package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra/doc"

	"logitscope/ui/cli"
)

// A system is one that the program is built for.
type system struct{ os, arch string }

var systems = []system{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"}}

// A file is one of an archive.
type file struct {
	name string
	data []byte
	exec bool
}

// A release is the archives of one version.
type release struct {
	version, commit string
	date            time.Time // of the commit: two runs give the same bytes
	out             string
	common          []file // what every archive holds
}

var versions = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$`)

// newRelease gathers what all archives have in common.
func newRelease(version, out string) (*release, error) {
	if !versions.MatchString(version) {
		return nil, fmt.Errorf("version %q: must be like v1.2.3 or v1.2.3-rc.1", version)
	}
	r := &release{version: version, out: out}
	head, err := exec.Command("git", "log", "-1", "--format=%h %cI").Output()
	if err != nil {
		return nil, fmt.Errorf("git log: %w", err)
	}
	commit, date, _ := strings.Cut(strings.TrimSpace(string(head)), " ")
	r.commit = commit
	if r.date, err = time.Parse(time.RFC3339, date); err != nil {
		return nil, err
	}
	for _, name := range []string{"LICENSE", "THIRD_PARTY.txt", "README.md", "CHANGELOG.md"} {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		r.common = append(r.common, file{name: name, data: data})
	}
	return r, r.describe()
}

// describe adds the man pages and the shells' completions.
func (r *release) describe() error {
	root := cli.Root()
	dir, err := os.MkdirTemp("", "man")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	root.DisableAutoGenTag = true
	header := &doc.GenManHeader{Title: "LOGITSCOPE", Section: "1", Source: "logitscope " + r.version, Date: &r.date}
	if err := doc.GenManTree(root, header, dir); err != nil {
		return err
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		return err
	}
	for _, name := range pages {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		r.common = append(r.common, file{name: "man/" + filepath.Base(name), data: data})
	}
	for _, shell := range []struct {
		file  string
		write func(io.Writer) error
	}{
		{"logitscope.bash", func(w io.Writer) error { return root.GenBashCompletionV2(w, true) }},
		{"_logitscope", root.GenZshCompletion},
		{"logitscope.fish", func(w io.Writer) error { return root.GenFishCompletion(w, true) }},
		{"logitscope.ps1", root.GenPowerShellCompletionWithDesc},
	} {
		var b bytes.Buffer
		if err := shell.write(&b); err != nil {
			return err
		}
		r.common = append(r.common, file{name: "completions/" + shell.file, data: b.Bytes()})
	}
	slices.SortFunc(r.common, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return nil
}

// make packs the archives and their checksums.
func (r *release) make(dry bool) error {
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	var sums strings.Builder
	for _, s := range systems {
		here := s.os == runtime.GOOS && s.arch == runtime.GOARCH
		if dry && !here {
			continue
		}
		name, data, err := r.pack(s)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(r.out, name), data, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), name)
		fmt.Printf("%-44s %5.1f MB\n", name, float64(len(data))/1e6)
		if here {
			if err := r.try(name, data); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return os.WriteFile(filepath.Join(r.out, "checksums.txt"), []byte(sums.String()), 0o644)
}

// build returns the program for a system.
func (r *release) build(s system) (file, error) {
	name := "logitscope"
	if s.os == "windows" {
		name += ".exe"
	}
	dir, err := os.MkdirTemp("", "build")
	if err != nil {
		return file{}, err
	}
	defer os.RemoveAll(dir)
	to := filepath.Join(dir, name)
	set := func(key, value string) string { return " -X logitscope/ui/cli/console." + key + "=" + value }
	flags := "-s -w" + set("BuiltVersion", r.version) + set("BuiltCommit", r.commit) + set("BuiltDate", r.date.UTC().Format(time.DateOnly))
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", to, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+s.os, "GOARCH="+s.arch)
	if said, err := cmd.CombinedOutput(); err != nil {
		return file{}, fmt.Errorf("%s/%s: %w\n%s", s.os, s.arch, err, said)
	}
	data, err := os.ReadFile(to)
	return file{name: name, data: data, exec: true}, err
}

// pack returns the archive of a system: zip for Windows, else tar.gz.
func (r *release) pack(s system) (name string, data []byte, err error) {
	program, err := r.build(s)
	if err != nil {
		return "", nil, err
	}
	folder := strings.Join([]string{"logitscope", r.version[1:], s.os, s.arch}, "_")
	files := append([]file{program}, r.common...)
	var b bytes.Buffer
	if s.os == "windows" {
		err = r.zip(&b, folder, files)
		return folder + ".zip", b.Bytes(), err
	}
	err = r.tar(&b, folder, files)
	return folder + ".tar.gz", b.Bytes(), err
}

func mode(f file) os.FileMode {
	if f.exec {
		return 0o755
	}
	return 0o644
}

func (r *release) zip(b *bytes.Buffer, folder string, files []file) error {
	w := zip.NewWriter(b)
	for _, f := range files {
		h := &zip.FileHeader{Name: path.Join(folder, f.name), Method: zip.Deflate, Modified: r.date.UTC()}
		h.SetMode(mode(f))
		to, err := w.CreateHeader(h)
		if err == nil {
			_, err = to.Write(f.data)
		}
		if err != nil {
			return err
		}
	}
	return w.Close()
}

func (r *release) tar(b *bytes.Buffer, folder string, files []file) error {
	z := gzip.NewWriter(b)
	w := tar.NewWriter(z)
	for _, f := range files {
		err := w.WriteHeader(&tar.Header{Name: path.Join(folder, f.name), Mode: int64(mode(f)), Size: int64(len(f.data)), ModTime: r.date.UTC(), Format: tar.FormatPAX})
		if err == nil {
			_, err = w.Write(f.data)
		}
		if err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return z.Close()
}

// try unpacks the archive of this system and starts what is in it, in an empty
// home with nothing else in reach.
func (r *release) try(name string, data []byte) error {
	dir, err := os.MkdirTemp("", "try")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program, err := unpack(dir, name, data)
	if err != nil {
		return err
	}
	for _, args := range [][]string{{"--version"}, {"run", "--prompt", "The capital of France is", "--temperature", "0", "--max-new-tokens", "1"}} {
		cmd := exec.Command(program, args...)
		cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir, "USERPROFILE=" + dir}
		said, err := cmd.CombinedOutput()
		if err != nil || len(bytes.TrimSpace(said)) == 0 {
			return fmt.Errorf("%s: %v: %s", strings.Join(args, " "), err, said)
		}
		fmt.Printf("  %s: %s\n", strings.Join(args, " "), bytes.TrimSpace(said))
	}
	return nil
}

// unpack writes the files of an archive below dir and returns the program.
func unpack(dir, name string, data []byte) (program string, err error) {
	write := func(name string, mode os.FileMode, r io.Reader) error {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if mode&0o100 != 0 {
			program = to
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		f, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, mode)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(f, r)
		return err
	}
	if path.Ext(name) == ".zip" {
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return "", err
		}
		for _, f := range z.File {
			from, err := f.Open()
			if err == nil {
				err = write(f.Name, f.Mode(), from)
			}
			if err != nil {
				return "", err
			}
		}
		return program, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return "", err
	}
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if err == io.EOF {
			return program, nil
		}
		if err == nil {
			err = write(h.Name, os.FileMode(h.Mode), t)
		}
		if err != nil {
			return "", err
		}
	}
}
