package engine

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	_ "modernc.org/sqlite"

	"logitscope/engine/enginetest"
	"logitscope/models"
	"logitscope/models/fable"
	"logitscope/models/llama"
	"logitscope/sampling"
)

// generate decodes a prompt under a constraint until the text ends.
func generate(t *testing.T, m models.Model, c *Compiler, prompt []int32, set ...any) View {
	t.Helper()
	s, err := c.Settings(enginetest.Config(t, append([]any{"do_sample", true, "temperature", 1.5, "top_k", 0}, set...)...), "")
	if err != nil {
		t.Fatalf("%v: %v", set, err)
	}
	l := NewLane(0, m, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go l.Run(ctx)
	l.Post(Start{Prompt: prompt, Settings: s})
	l.Post(Advance{-1})
	for v := range l.Views() {
		if v.Phase == Done || v.Phase == Failed {
			return v
		}
	}
	t.Fatal("the lane has ended")
	return View{}
}

func fableModel(t *testing.T) models.Model {
	m, err := fable.Open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// What the built-in model writes at temperature 1.5 under each of 200 schemas,
// with little room, is complete and valid in the eyes of another program.
func TestSchemasHoldTheModel(t *testing.T) {
	data, err := os.ReadFile("../sampling/constrain/testdata/schemas.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil || len(list) < 200 {
		t.Fatalf("%d schemas: %v", len(list), err)
	}
	if testing.Short() {
		list = list[:40]
	}
	m := fableModel(t)
	prompt, err := Prompt(t.Context(), m, "Extract the person's name and age from: Ana Silva is 34 years old.\n")
	if err != nil {
		t.Fatal(err)
	}
	c := NewCompiler(m)
	for i, raw := range list {
		source := fmt.Sprintf(`{"type":"json_schema","schema":%s}`, raw)
		v := generate(t, m, c, prompt, "constraint", source, "max_new_tokens", 220, "seed", i, "order", sampling.Orders()[i%4].Name())
		if v.Err != nil {
			t.Errorf("schema %d: %v", i, v.Err)
			continue
		}
		text := v.Text()
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err == nil {
			err = validator(t, raw).Validate(value)
		}
		if err != nil {
			t.Errorf("schema %d, ended by %q: %v\n%s\n%.300s", i, v.Reason, err, text, raw)
		}
	}
}

func validator(t *testing.T, raw []byte) *jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("mem:schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Every statement is one that SQLite prepares.
func TestSQLHoldsTheModel(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, s := range []string{"CREATE TABLE users (id INTEGER, name TEXT, age INTEGER)", "CREATE TABLE orders (id INTEGER, user_id INTEGER, total REAL)"} {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	m := fableModel(t)
	prompt, err := Prompt(t.Context(), m, "List the names of users older than 30.\n")
	if err != nil {
		t.Fatal(err)
	}
	source := `{"type":"sql","sql":{"tables":{"users":["id","name","age"],"orders":["id","user_id","total"]}}}`
	c := NewCompiler(m)
	for seed := range 40 {
		v := generate(t, m, c, prompt, "constraint", source, "max_new_tokens", 80, "seed", seed)
		if v.Err != nil {
			t.Fatal(v.Err)
		}
		stmt, err := db.Prepare(v.Text())
		if err != nil {
			t.Errorf("seed %d, ended by %q: %v: %s", seed, v.Reason, err, v.Text())
			continue
		}
		stmt.Close()
	}
}

// What was made ready beforehand is what a constraint would have made.
func TestWarm(t *testing.T) {
	m, err := fable.Open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	cold, warm := NewCompiler(m), NewCompiler(m)
	done := make(chan struct{})
	go func() { defer close(done); warm.Warm() }()
	cfg := enginetest.Config(t, "constraint", "json")
	for _, c := range []*Compiler{cold, warm} {
		if _, err := c.Settings(cfg, ""); err != nil {
			t.Fatal(err)
		}
	}
	<-done
	trie := warm.constraints.trie
	warm.Warm()
	if warm.constraints.trie != trie || trie.Size() != cold.constraints.trie.Size() {
		t.Error("the trie was built again, or is another")
	}
}
