package lessons

import (
	"os"
	"testing"

	"logitscope/engine/lesson"
	"logitscope/models"
	"logitscope/models/fable"
	"logitscope/models/llama"
)

// What a stranger's solution presses neither writes a file, nor reads one, nor
// opens a model or an address.
func TestSolutionsAreSealed(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("secret.txt", []byte("Paris\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var opened []string
	c, err := newChecker(func(name string) (models.Model, error) {
		opened = append(opened, name)
		if name == lesson.FableDraft {
			return fable.OpenDraft(llama.Options{})
		}
		return fable.Open(llama.Options{})
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, keys := range []string{
		"keys W enter\ntype own.sh\nkeys enter enter",
		"keys W tab tab enter\ntype run.jsonl\nkeys enter enter",
		"keys W tab enter\ntype mine\nkeys enter enter",
		"keys y",
		"keys M /\ntype http://127.0.0.1:9/\nkeys enter",
		"keys S m\ntype /etc/passwd\nkeys enter",
		"keys e ctrl+o\ntype secret.txt\nkeys enter",
		"keys J enter ctrl+o\ntype secret.txt\nkeys enter",
		"keys K enter\ntype secret.txt\nkeys enter w\ntype report.html\nkeys enter",
	} {
		l, faults := lesson.Parse([]byte("# T\n\n```lesson\nid: t\n```\n\n## A\n\n```setup\nprompt: The\n```\n```goal\ntop_k = 7 and contains(text, \"x\") : never\n```\n```solution\n"+keys+"\n```\n"), "t.md", Names())
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		if v, err := c.Check(t.Context(), l); err != nil || len(v) != 1 || v[0].OK {
			t.Errorf("%s: %+v, %v", keys, v, err)
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Errorf("the folder holds %v, %v; want secret.txt alone", files, err)
	}
	for _, name := range opened {
		if name != lesson.Fable && name != lesson.FableDraft {
			t.Errorf("%s was opened", name)
		}
	}
}
