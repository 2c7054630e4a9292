package constrain

import (
	"database/sql"
	"math/rand/v2"
	_ "modernc.org/sqlite"
	"slices"
	"testing"

	"logitscope/sampling/constrain/constraintest"
	"logitscope/sampling/constrain/grammar"
)

var shop = grammar.SQLSpec{Tables: []grammar.SQLTable{
	{Name: "users", Alias: "u", Columns: []string{"id", "name", "email", "age"}},
	{Name: "orders", Alias: "o", Columns: []string{"id", "user_id", "total", "created"}},
	{Name: "items", Alias: "i", Columns: []string{"order_id", "sku", "qty", "price"}},
}}

func shopDB(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	for _, s := range []string{
		"CREATE TABLE users (id INTEGER, name TEXT, email TEXT, age INTEGER)",
		"CREATE TABLE orders (id INTEGER, user_id INTEGER, total REAL, created TEXT)",
		"CREATE TABLE items (order_id INTEGER, sku TEXT, qty INTEGER, price REAL)",
	} {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// TestSQLIsPreparedBySQLite walks the masks at random and lets SQLite judge
// every statement.
func TestSQLIsPreparedBySQLite(t *testing.T) {
	db := shopDB(t)
	plain := grammar.SQLSpec{Tables: slices.Clone(shop.Tables)}
	plain.Tables[0].Alias, plain.Tables[2].Alias = "", "" // fewer scopes, a quicker test
	m, err := constraintest.Compile(t, grammar.SQL(plain)).Bind(constraintest.FableVocab(t))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 5))
	n := 40
	if testing.Short() {
		n = 10
	}
	longest := ""
	for range n {
		text, ok := constraintest.RandomText(t, m, rng, 150, 30)
		if !ok {
			t.Errorf("not complete: %q", text)
			continue
		}
		stmt, err := db.Prepare(text)
		if err != nil {
			t.Errorf("%v: %s", err, text)
			continue
		}
		stmt.Close()
		if len(text) > len(longest) {
			longest = text
		}
	}
	t.Logf("longest: %s", longest)
}

func TestSQLScopes(t *testing.T) {
	g := constraintest.Compile(t, grammar.SQL(shop))
	for text, want := range map[string]bool{
		"SELECT name FROM users":                                     true,
		"select u.name from users as u where u.age >= 18":            true,
		"SELECT total FROM users":                                    false,
		"SELECT id FROM users JOIN orders ON users.id = user_id":     false, // ambiguous
		"SELECT users.id FROM users JOIN orders ON users.id=user_id": true,
		"SELECT name FROM users WHERE COUNT(*) > 1":                  false,
		"SELECT age, COUNT(*) AS n FROM users GROUP BY age HAVING COUNT(*) > 1 ORDER BY COUNT(*) DESC LIMIT 3;": true,
		"SELECT name FROM users ORDER BY 5":                               false,
		"SELECT name FROM users WHERE id IN (SELECT user_id FROM orders)": true,
		"SELECT name FROM users WHERE id IN (SELECT * FROM orders)":       false,
		"SELECT 1--2 FROM users":                                          false,
		"SELECT 1 - -2 FROM users":                                        true,
		"SELECT name AS select FROM users":                                false,
		"SELECT u.name, o.total FROM users AS u JOIN orders AS o ON u.id = o.user_id LEFT JOIN items AS i ON i.order_id = o.id": true,
		"SELECT name FROM users JOIN orders ON order_id = 1 JOIN items ON 1=1":                                                  false, // the first condition does not see items
	} {
		if ok, at := g.Check([]byte(text)); ok != want {
			t.Errorf("%q: accepted %v (dead at %d), want %v", text, ok, at, want)
		}
	}
}

// TestLooseSQLAgreesWithGolden runs the golden statements through the loose
// grammar with the same names.
func TestLooseSQLAgreesWithGolden(t *testing.T) {
	var data struct {
		Valid   []struct{ Text string }
		Invalid []rejected
	}
	constraintest.Golden(t, "sql_cases.json", &data)
	spec := grammar.SQLSpec{Loose: true, Aliases: []string{"u", "o", "i", "t"}, Tables: append([]grammar.SQLTable{}, shop.Tables...)}
	spec.Tables = append(spec.Tables, grammar.SQLTable{Name: "t", Columns: []string{"n", "x"}})
	g := constraintest.Compile(t, grammar.SQL(spec))
	for _, v := range data.Valid {
		check(t, "loose", g, []string{v.Text}, nil)
	}
	for _, v := range data.Invalid {
		if ok, _ := g.Check([]byte(v.Text)); ok {
			t.Errorf("%q accepted", v.Text)
		}
	}
}

func TestSQLWithoutTables(t *testing.T) {
	g := constraintest.Compile(t, grammar.SQL(grammar.SQLSpec{}))
	for text, want := range map[string]bool{
		"SELECT a.b, count(*) FROM anything AS a GROUP BY a.b": true,
		"SELECT from FROM x":    false,
		"SELECT fromage FROM x": true,
		"DROP TABLE x":          false,
	} {
		if ok, _ := g.Check([]byte(text)); ok != want {
			t.Errorf("%q: accepted %v, want %v", text, ok, want)
		}
	}
}

func TestReadSQLSpec(t *testing.T) {
	spec, err := grammar.ReadSQLSpec([]byte(`{"tables":{"b":["x","order by"],"a":["y"]},"loose":true,"aliases":["n"]}`))
	if err != nil || len(spec.Tables) != 2 || spec.Tables[0].Name != "b" || !spec.Loose || spec.Aliases[0] != "n" {
		t.Errorf("%+v, %v", spec, err)
	}
	if ok, _ := constraintest.Compile(t, grammar.SQL(grammar.SQLSpec{Tables: spec.Tables})).Check([]byte(`SELECT "order by" FROM b`)); !ok {
		t.Error("quoted name rejected")
	}
	for _, bad := range []string{`[]`, `{"tables":[]}`, `{"tables":{"a":[]}}`, `{"tables":{"a":["x"]},"colour":1}`, `{"tables":{"a":[1]}}`, `{`} {
		if _, err := grammar.ReadSQLSpec([]byte(bad)); err == nil {
			t.Errorf("%s read without error", bad)
		}
	}
}
