package gguf

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"unsafe"

	"github.com/edsrzf/mmap-go"
)

// A mapping is one file in memory.
type mapping struct {
	name string
	data mmap.MMap
}

// Open maps a model into memory: a file, the first file of a split model
// ("name-00001-of-00003.gguf"), or a folder that holds one or the other. The
// caller must Close the File.
//
// If another process truncates a mapped file, touching the lost bytes is a
// fault that would end the program. [File.Guard] turns it into an error.
func Open(path string) (*File, error) {
	first, err := resolve(path)
	if err != nil {
		return nil, err
	}
	paths, err := siblings(first)
	if err != nil {
		return nil, err
	}
	maps := make([]mapping, 0, len(paths))
	fail := func(err error) (*File, error) {
		return nil, errors.Join(err, unmap(maps))
	}
	for _, p := range paths {
		data, err := mapFile(p)
		if err != nil {
			return fail(err)
		}
		maps = append(maps, mapping{p, data})
	}
	var f *File
	names, data := make([]string, len(maps)), make([][]byte, len(maps))
	for i, m := range maps {
		names[i], data[i] = m.name, m.data
	}
	faulted := guard(maps, func() { f, err = parseSplit(names, data) })
	if err = errors.Join(faulted, err); err != nil {
		return fail(err)
	}
	f.maps = maps
	return f, nil
}

// Close frees the memory map. Values and tensor data must not be used after
// it. Closing a parsed or a closed File does nothing.
func (f *File) Close() error {
	maps := f.maps
	f.maps = nil
	return unmap(maps)
}

func unmap(maps []mapping) error {
	var errs []error
	for i := range maps {
		if maps[i].data != nil {
			errs = append(errs, maps[i].data.Unmap())
		}
	}
	return errors.Join(errs...)
}

func mapFile(path string) (mmap.MMap, error) {
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		return nil, &Error{File: path, Field: "file", Offset: -1, Reason: "not a regular file"}
	}
	h, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	st, err := h.Stat()
	if err != nil {
		return nil, err
	}
	if st.Size() == 0 {
		return nil, nil // cannot be mapped; parsing reports it
	}
	data, err := mmap.Map(h, mmap.RDONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: memory map: %w", path, err)
	}
	return data, nil
}

// Guard calls fn and turns a fault on the file's memory into an error. It
// covers the goroutine that calls it alone: each worker that reads tensors
// needs its own.
func (f *File) Guard(fn func()) error { return guard(f.maps, fn) }

func guard(maps []mapping, fn func()) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		fault, ok := r.(interface{ Addr() uintptr })
		if !ok {
			panic(r)
		}
		for _, m := range maps {
			base := uintptr(unsafe.Pointer(unsafe.SliceData(m.data)))
			if off := fault.Addr() - base; off < uintptr(len(m.data)) {
				err = &Error{File: m.name, Field: "data", Offset: int64(off), Reason: "the file was truncated while in use"}
				return
			}
		}
		panic(r)
	}()
	fn()
	return nil
}

// resolve finds the file that a path means: itself, or the one model in a
// folder. Projectors of multimodal models ("mmproj-…") are not models.
func resolve(path string) (string, error) {
	st, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !st.IsDir() {
		return path, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return "", err
	}
	var found []string
	for _, e := range entries {
		name := e.Name()
		if !strings.EqualFold(filepath.Ext(name), ".gguf") || strings.HasPrefix(name, "mmproj") {
			continue
		}
		if _, no, _, ok := splitName(name); ok && no != 1 {
			continue
		}
		found = append(found, name)
	}
	switch len(found) {
	case 1:
		return filepath.Join(path, found[0]), nil
	case 0:
		return "", &Error{File: path, Field: "folder", Offset: -1, Reason: "holds no .gguf file, or not the first of a split model"}
	default:
		return "", &Error{File: path, Field: "folder", Offset: -1,
			Reason: fmt.Sprintf("holds %d models (%s, %s …); name one", len(found), show(found[0]), show(found[1]))}
	}
}
