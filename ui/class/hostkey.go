package class

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	gossh "golang.org/x/crypto/ssh"
)

// The keys of a class, in the folder for state. The teacher's opens the notes.
const (
	hostKeyFile    = "class_ed25519"
	teacherKeyFile = "class_teacher_ed25519"
)

// keyIn returns the key in the file of that name, which is made where it is
// not there yet, for its owner alone.
func keyIn(dir, name string) (gossh.Signer, error) {
	if dir == "" {
		return nil, errors.New("class: no folder for its keys: set HOME or LOGITSCOPE_STATE_DIR")
	}
	path := filepath.Join(dir, name)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		text, err = makeKey(dir, path)
	}
	if err != nil {
		return nil, fmt.Errorf("class: key %s: %w", path, err)
	}
	key, err := gossh.ParsePrivateKey(text)
	if err != nil {
		return nil, fmt.Errorf("class: %s: want an OpenSSH private key: %w; delete the file to have it made again", path, err)
	}
	return key, nil
}

func makeKey(dir, path string) ([]byte, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	block, err := gossh.MarshalPrivateKey(key, "logitscope class")
	if err != nil {
		return nil, err
	}
	text := pem.EncodeToMemory(block)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) { // another class made it meanwhile
		return os.ReadFile(path)
	}
	if err != nil {
		return nil, err
	}
	_, err = f.Write(text)
	return text, errors.Join(err, f.Close())
}
