package models_test

import (
	"strings"
	"testing"

	"logitscope/models"
	"logitscope/models/fable"
	"logitscope/models/llama"
)

func TestDescribe(t *testing.T) {
	m, err := fable.Open(llama.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	got := make(map[string]string)
	for _, f := range models.Describe(m) {
		if f.Value == "" {
			t.Errorf("%s has no value", f.Name)
		}
		if f.Name != " " {
			got[f.Name] = f.Value
		}
	}
	for name, want := range map[string]string{"name": "fable", "parameters": "4.5M", "context": "512 tokens", "vocabulary": "4,096 tokens"} {
		if !strings.HasPrefix(got[name], want) {
			t.Errorf("%s is %q, want %s", name, got[name], want)
		}
	}
}

func TestUnits(t *testing.T) {
	for got, want := range map[string]string{
		models.Bytes(10): "10 B", models.Bytes(4_907_008): "4.68 MiB", models.Bytes(1 << 30): "1.00 GiB",
		models.Commas(999): "999", models.Commas(-1234567): "-1,234,567",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
