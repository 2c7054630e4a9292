package gguf

import (
	"fmt"
	"regexp"
	"strconv"
)

const (
	keySplitCount   = "split.count"
	keySplitNo      = "split.no"
	keySplitTensors = "split.tensors.count"
)

var splitPattern = regexp.MustCompile(`^(.*)-(\d{5})-of-(\d{5})(\.(?i:gguf))$`)

// splitName takes apart the name of a file of a split model, such as
// "m-00001-of-00003.gguf".
func splitName(path string) (prefix string, no, count int, ok bool) {
	m := splitPattern.FindStringSubmatch(path)
	if m == nil {
		return "", 0, 0, false
	}
	no, _ = strconv.Atoi(m[2])
	count, _ = strconv.Atoi(m[3])
	return m[1], no, count, no >= 1 && no <= count
}

// siblings lists the files of the model whose first file is given.
func siblings(path string) ([]string, error) {
	prefix, no, count, ok := splitName(path)
	if !ok {
		return []string{path}, nil
	}
	ext := path[len(path)-len(".gguf"):]
	name := func(i int) string { return fmt.Sprintf("%s-%05d-of-%05d%s", prefix, i, count, ext) }
	if no != 1 {
		return nil, &Error{File: path, Field: "file name", Offset: -1,
			Reason: fmt.Sprintf("file %d of a split model; open the first, %s", no, show(name(1)))}
	}
	paths := make([]string, count)
	for i := range paths {
		paths[i] = name(i + 1)
	}
	return paths, nil
}

// splitPlace returns which of how many files f is, counting from 0; 0 of 1
// if it was never split.
func (f *File) splitPlace() (no, count uint64, err error) {
	count, ok, err := f.Uint(keySplitCount)
	if err != nil || !ok || count == 0 {
		return 0, 1, err
	}
	no, ok, err = f.Uint(keySplitNo)
	if err == nil && (!ok || no >= count) {
		err = f.Errorf(keySplitNo, "must be below %s, %d", keySplitCount, count)
	}
	return no, count, err
}

// checkWhole refuses a file that is only part of a model.
func (f *File) checkWhole() error {
	no, count, err := f.splitPlace()
	if err != nil {
		return err
	}
	if count > 1 {
		return f.Errorf(keySplitCount, "file %d of a model split into %d; open the first by its name, NAME-00001-of-%05d.gguf, with the others beside it", no+1, count, count)
	}
	return nil
}

// parseSplit reads a model that was split into files, given in order. The
// metadata of the result are the first file's. With one file it is [Parse].
func parseSplit(names []string, data [][]byte) (*File, error) {
	if len(names) == 1 {
		return Parse(names[0], data[0])
	}
	var whole *File
	for i := range names {
		f, err := parse(names[i], data[i])
		if err != nil {
			return nil, err
		}
		no, count, err := f.splitPlace()
		if err != nil {
			return nil, err
		}
		if count != uint64(len(names)) {
			return nil, f.Errorf(keySplitCount, "is %d, but the model has %d files", count, len(names))
		}
		if no != uint64(i) {
			return nil, f.Errorf(keySplitNo, "is %d, not %d as by its place", no, i)
		}
		if whole == nil {
			whole = f
			continue
		}
		if err := whole.append(f); err != nil {
			return nil, err
		}
	}
	want, ok, err := whole.Int(keySplitTensors)
	if err != nil {
		return nil, err
	}
	if ok && want != int64(len(whole.Tensors)) {
		return nil, whole.Errorf(keySplitTensors, "is %d, but the files hold %d tensors", want, len(whole.Tensors))
	}
	return whole, nil
}

// append adds the tensors of the next file.
func (f *File) append(part *File) error {
	for _, t := range part.Tensors {
		if _, dup := f.tensors[t.Name]; dup {
			return &Error{File: part.Name, Field: "tensor " + show(t.Name), Offset: int64(t.Offset), Reason: "the name occurs in an earlier file too"}
		}
		f.tensors[t.Name] = len(f.Tensors)
		f.Tensors = append(f.Tensors, t)
	}
	f.Parts = append(f.Parts, part.Name)
	f.parts = append(f.parts, part.parts...)
	f.Size += part.Size
	return nil
}
