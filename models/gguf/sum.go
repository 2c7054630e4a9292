package gguf

import (
	"crypto/sha256"
	"encoding/hex"
)

// SHA256 returns the SHA-256 of the file in hex; of a split model, that of its
// files one after the other. It reads every byte, which takes seconds for
// gigabytes. The file must not be closed meanwhile.
func (f *File) SHA256() (string, error) {
	h := sha256.New()
	err := f.Guard(func() {
		for _, p := range f.parts {
			h.Write(p)
		}
	})
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
