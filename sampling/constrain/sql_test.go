package constrain

import (
	"database/sql"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"logitscope/sampling/constrain/constraintest"
	"logitscope/sampling/constrain/grammar"
)

var shop = grammar.SQLSpec{Tables: []grammar.SQLTable{
	{Name: "users", Aliases: []string{"u"}, Columns: []string{"id", "name", "email", "age"}},
	{Name: "orders", Aliases: []string{"o"}, Columns: []string{"id", "user_id", "total", "created"}},
	{Name: "items", Aliases: []string{"i"}, Columns: []string{"order_id", "sku", "qty", "price"}},
}}

// TestSQLIsPreparedBySQLite walks the masks at random and lets SQLite judge
// every statement.
func TestSQLIsPreparedBySQLite(t *testing.T) {
	t.Parallel()
	plain := grammar.SQLSpec{Tables: slices.Clone(shop.Tables)}
	plain.Tables[0].Aliases = nil // two aliases are declared, one follows from the name
	for name, spec := range map[string]grammar.SQLSpec{"shop": plain, "shelf": shelf} {
		db := tables(t, spec)
		m, err := constraintest.Compile(t, grammar.SQL(spec)).Bind(constraintest.FableVocab(t))
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
				t.Errorf("%s: not complete: %q", name, text)
				continue
			}
			stmt, err := db.Prepare(text)
			if err != nil {
				t.Errorf("%s: %v: %s", name, err, text)
				continue
			}
			stmt.Close()
			if len(text) > len(longest) {
				longest = text
			}
		}
		t.Logf("%s, longest: %s", name, longest)
	}
}

// shelf has tables without declared aliases, two with the same initial.
var shelf = grammar.SQLSpec{Tables: []grammar.SQLTable{
	{Name: "authors", Columns: []string{"id", "name", "born"}},
	{Name: "books", Columns: []string{"id", "author_id", "title", "year"}},
	{Name: "book_sales", Columns: []string{"book_id", "sold"}},
	{Name: "articles", Columns: []string{"id", "author_id", "headline"}},
}}

// TestSQLAliases tries aliases of every table and pair that no list declares,
// self-joins, and names in any case, all judged by SQLite as well.
func TestSQLAliases(t *testing.T) {
	t.Parallel()
	db := tables(t, shelf)
	g := constraintest.Compile(t, grammar.SQL(shelf))
	cases := map[string]bool{
		"SELECT a.name, b.name FROM authors AS a JOIN authors AS b ON a.born = b.born":            true,
		"SELECT a1.name FROM authors AS a1 LEFT JOIN authors AS a2 ON a1.id < a2.id":              true,
		"SELECT authors.name FROM authors JOIN authors AS a ON authors.id = a.id":                 true,
		"SELECT t1.name, t2.* FROM authors AS t1 JOIN authors AS t2 ON t1.id = t2.id":             true,
		"SELECT name FROM authors AS a JOIN authors AS b ON a.id = b.id":                          false, // ambiguous
		"SELECT a.name FROM authors AS a JOIN authors AS a ON a.id = a.id":                        false,
		"SELECT a.name FROM authors AS b":                                                         false,
		"SELECT x.title FROM authors AS a JOIN authors AS b ON a.id = b.id":                       false,
		"SELECT au.name, bo.title FROM authors AS au JOIN books AS bo ON au.id = bo.author_id":    false, // bo also begins book_sales
		"SELECT b.title, bs.sold FROM books AS b JOIN book_sales AS bs ON b.id = bs.book_id":      true,
		"SELECT au.name, ar.headline FROM authors AS au JOIN articles ar ON au.id = ar.author_id": true,
		"SELECT AUTHORS.NAME, Title FROM Authors JOIN books ON authors.ID = Author_Id AND year>1": false, // author_id is in two tables
		"SELECT AUTHORS.NAME, Title FROM Authors JOIN BOOKS ON authors.ID = Books.Author_Id":      true,
		"select A.nAmE from aUTHORS a order by BORN":                                              true,
		"SELECT a.name FROM authors a, books":                                                     false,
	}
	for i, x := range shelf.Tables {
		column := x.Columns[len(x.Columns)-1]
		one := map[string]string{"authors": "au", "books": "b", "book_sales": "bs", "articles": "ar"}[x.Name]
		cases["SELECT "+one+"."+column+" FROM "+x.Name+" AS "+one] = true
		cases["SELECT zz."+column+" FROM "+x.Name+" AS zz"] = false
		for _, y := range shelf.Tables[i+1:] {
			two := map[string]string{"authors": "au", "books": "b", "book_sales": "bs", "articles": "ar"}[y.Name]
			cases["SELECT "+one+"."+column+" FROM "+y.Name+" AS "+two+" JOIN "+x.Name+" AS "+one+" ON 1=1"] = true
			cases["SELECT "+two+"."+column+" FROM "+x.Name+" AS "+one+" JOIN "+y.Name+" AS "+two+" ON "+one+".nothing=1"] = false
		}
	}
	for text, want := range cases {
		ok, at := g.Check([]byte(text))
		if ok != want {
			t.Errorf("%q: accepted %v (dead at %d), want %v", text, ok, at, want)
		}
		stmt, err := db.Prepare(text)
		if err == nil {
			stmt.Close()
		}
		if ok && err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestSQLOutputNames orders by the names that the items of a select are given.
func TestSQLOutputNames(t *testing.T) {
	t.Parallel()
	db := tables(t, shelf)
	g := constraintest.Compile(t, grammar.SQL(shelf))
	// Masks are compared with few scopes: the slow twin goes through every token.
	small := constraintest.Compile(t, grammar.SQL(grammar.SQLSpec{Tables: shelf.Tables[:1]}))
	v := constraintest.FableVocab(t)
	for text, want := range map[string]bool{
		"SELECT name AS n FROM authors ORDER BY n":                                                                    true,
		"SELECT name AS n FROM authors ORDER BY N DESC, born":                                                         true,
		"SELECT name AS Zwei FROM authors ORDER BY zWEI":                                                              true,
		"SELECT name AS n FROM authors ORDER BY m":                                                                    false,
		"SELECT name AS n FROM authors ORDER BY nn":                                                                   false,
		"SELECT name AS nn FROM authors ORDER BY n":                                                                   false,
		"SELECT name FROM authors ORDER BY n":                                                                         false,
		"SELECT born, COUNT(*) AS total FROM authors GROUP BY born ORDER BY total DESC LIMIT 3":                       true,
		"SELECT born, COUNT(*) AS total FROM authors GROUP BY born ORDER BY total2":                                   false,
		"SELECT id AS total, born AS tot FROM authors ORDER BY tot, total":                                            true,
		"SELECT id AS x, born + 1 AS y FROM authors WHERE id IN (SELECT author_id FROM books) ORDER BY y, x LIMIT 2;": true,
		"SELECT id AS x FROM authors WHERE id IN (SELECT author_id FROM books ORDER BY x)":                            false,
		"SELECT a.id AS x, b.title AS long_name FROM authors a JOIN books b ON a.id=b.author_id ORDER BY long_name":   true,
		"SELECT id AS x, born AS x FROM authors ORDER BY x":                                                           true,
		"SELECT id AS x FROM authors WHERE x > 1":                                                                     false,
		"SELECT id AS order FROM authors ORDER BY order":                                                              false,
	} {
		ok, at := g.Check([]byte(text))
		if ok != want {
			t.Errorf("%q: accepted %v (dead at %d), want %v", text, ok, at, want)
		}
		if ok {
			if _, err := db.Exec(text); err != nil {
				t.Errorf("%s: %v", text, err)
			}
		}
		constraintest.CompareMasks(t, text, small, v, []byte(text), 3)
	}
}

// tables returns a database with the tables of a specification.
func tables(t *testing.T, spec grammar.SQLSpec) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	for _, x := range spec.Tables {
		if _, err := db.Exec("CREATE TABLE " + x.Name + " (" + strings.Join(x.Columns, ", ") + ")"); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

func TestSQLScopes(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
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
	t.Parallel()
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
	t.Parallel()
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
