package llama

import (
	"bytes"
	"context"
	"encoding/json"
	"runtime"
	"strings"
	"testing"
	"time"

	"logitscope/models"
	"logitscope/models/gguf"
	"logitscope/models/goldentest"
)

// hostileFiles reads the malformed files, by name.
func hostileFiles(t testing.TB) map[string][]byte {
	t.Helper()
	return goldentest.Archive(t, "../gguf/testdata/hostile.tar.gz")
}

// decodeFour makes a model of a file and decodes four tokens with it.
func decodeFour(name string, data []byte) error {
	f, err := gguf.Parse(name, data)
	if err != nil {
		return err
	}
	m, err := New(f, Options{Workers: 1, ContextLen: 0})
	if err != nil {
		return err
	}
	defer m.Close()
	s := m.newSession()
	defer s.Close()
	ids := m.Vocab().Encode("the cat", models.EncodeOptions{AddSpecial: true})
	if len(ids) == 0 {
		ids = []int32{0}
	}
	for range 4 {
		out, err := s.Forward(context.Background(), ids, 1)
		if err != nil {
			return err
		}
		ids = []int32{argmax(out[0].Values)}
	}
	return nil
}

// TestHostile opens every malformed file and decodes what opens: it must be
// refused or accepted as the manifest says, quickly and in little memory, and
// the error must name the file and the field.
func TestHostile(t *testing.T) {
	files := hostileFiles(t)
	var manifest struct {
		Cases []struct{ File, Wrong, Must string }
	}
	if err := json.Unmarshal(files["manifest.json"], &manifest); err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, c := range manifest.Cases {
		data, ok := files[c.File]
		if !ok {
			continue
		}
		tried++
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		err := decodeFour(c.File, data)
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		switch {
		case err == nil && c.Must == "reject":
			t.Errorf("%s is accepted: %s", c.File, c.Wrong)
		case err != nil && c.Must == "accept":
			t.Errorf("%s is refused: %s: %v", c.File, c.Wrong, err)
		case err != nil && (!strings.HasPrefix(err.Error(), c.File+": ") || strings.ContainsAny(err.Error(), "\n\x1b")):
			t.Errorf("%s: the error does not begin with the file or is not one line: %v", c.File, err)
		}
		if took > time.Second {
			t.Errorf("%s took %v", c.File, took)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20 {
			t.Errorf("%s allocated %d bytes", c.File, n)
		}
		if err != nil {
			t.Log(err)
		}
	}
	if tried < 100 {
		t.Errorf("only %d files tried", tried)
	}
}

// FuzzNew mutates small models: whatever the bytes, there is a model that
// decodes, or an error.
func FuzzNew(f *testing.F) {
	files := hostileFiles(f)
	for name, data := range files {
		if strings.HasSuffix(name, ".gguf") && strings.Contains(name, "valid") {
			f.Add(data)
		}
	}
	f.Add(goldentest.Read(f, "testdata/quant/tiny-moe.MXFP4_MOE.gguf.gz"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := decodeFour("fuzz", bytes.Clone(data)); err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("error of several lines: %q", err)
		}
	})
}
