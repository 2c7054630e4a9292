package grammar

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"logitscope/sampling/constrain/jsonvalue"
	"logitscope/sampling/constrain/lang"
)

// A SQLSpec says which tables a SELECT statement may use.
type SQLSpec struct {
	// Tables and their columns, in order. With none, every identifier that is
	// no keyword is taken for a name, and nothing is known of its columns.
	Tables []SQLTable
	// Loose allows every column with every table, and the names of Aliases
	// anywhere: a statement may then refer to columns that are not in scope.
	// Otherwise each column belongs to a table of its FROM clause.
	Loose bool
	// Aliases are further names for Loose.
	Aliases []string
}

// A SQLTable is a table with its columns. Aliases are the names it may be given
// in a FROM clause; with none, those that people use: see [SQL].
type SQLTable struct {
	Name    string
	Aliases []string
	Columns []string
}

// ReadSQLSpec reads a specification from JSON:
//
//	{"tables": {"users": ["id", "name"], "orders": ["id", "user_id"]},
//	 "aliases": {"u": "users"}, "loose": false}
//
// The keys loose and aliases may be left out. Several aliases may name one
// table. With loose, aliases may also be a plain list of names.
func ReadSQLSpec(data []byte) (SQLSpec, error) {
	var spec SQLSpec
	root, err := jsonvalue.Read(data)
	if err != nil {
		return spec, CheckDDL(string(data), err)
	}
	if root.Kind != jsonvalue.Object {
		return spec, lang.Refuse("", "sql", "must be an object with the key tables")
	}
	var aliases *jsonvalue.Value
	for i, key := range root.Names {
		v := root.List[i]
		switch key {
		case "tables":
			if spec.Tables, err = readTables(v); err != nil {
				return spec, err
			}
		case "aliases":
			aliases = v
		case "loose":
			if v.Kind != jsonvalue.True && v.Kind != jsonvalue.False {
				return spec, lang.Refuse("/loose", "loose", "must be true or false")
			}
			spec.Loose = v.Kind == jsonvalue.True
		default:
			return spec, lang.Refuse("/"+lang.EscapePointer(key), "sql", "unknown key; the keys are tables, loose and aliases")
		}
	}
	if aliases != nil {
		err = spec.readAliases(aliases)
	}
	return spec, err
}

func (s *SQLSpec) readAliases(v *jsonvalue.Value) (err error) {
	if v.Kind != jsonvalue.Object {
		s.Aliases, err = readNames(v, "/aliases")
		if err == nil && !s.Loose {
			err = lang.Refuse("/aliases", "aliases", "must map names to tables unless loose is true")
		}
		return err
	}
	for i, alias := range v.Names {
		t := slices.IndexFunc(s.Tables, func(t SQLTable) bool { return t.Name == v.List[i].Text })
		if t < 0 || v.List[i].Kind != jsonvalue.String {
			return lang.Refuse("/aliases/"+lang.EscapePointer(alias), "aliases", "must name one of the tables")
		}
		s.Tables[t].Aliases = append(s.Tables[t].Aliases, alias)
		s.Aliases = append(s.Aliases, alias)
	}
	return nil
}

func readTables(v *jsonvalue.Value) ([]SQLTable, error) {
	if v.Kind != jsonvalue.Object {
		return nil, lang.Refuse("/tables", "tables", "must be an object that maps table names to lists of columns")
	}
	var out []SQLTable
	for i, name := range v.Names {
		columns, err := readNames(v.List[i], "/tables/"+lang.EscapePointer(name))
		if err != nil {
			return nil, err
		}
		if len(columns) == 0 {
			return nil, lang.Refuse("/tables/"+lang.EscapePointer(name), "tables", "a table needs at least one column")
		}
		out = append(out, SQLTable{Name: name, Columns: columns})
	}
	return out, nil
}

func readNames(v *jsonvalue.Value, ptr string) ([]string, error) {
	var out []string
	if v.Kind != jsonvalue.Array {
		return nil, lang.Refuse(ptr, "names", "must be a list of names")
	}
	for _, x := range v.List {
		if x.Kind != jsonvalue.String || x.Text == "" {
			return nil, lang.Refuse(ptr, "names", "must be a list of names")
		}
		out = append(out, x.Text)
	}
	return out, nil
}

// SQL wants one SELECT statement: joins, WHERE, GROUP BY with HAVING, ORDER BY,
// LIMIT, CASE, the usual functions, sub-selects. Keywords are in capitals or
// small letters, names in any case. Unless the
// specification is loose, in which case names stand as they are given, SQLite
// prepares every statement it allows. ORDER BY knows the names that the items of
// the select are given.
//
// A table may be joined with itself. One without declared aliases may be called
// by its initials (oi for order_items), by the beginning that tells it from
// others, and in joins also a and b, t1 and t2, or its initials with 1 and 2, as
// far as [maxScopes] allows.
func SQL(spec SQLSpec) lang.Source { return sqlSource(spec) }

type sqlSource SQLSpec

func (s sqlSource) Define() (*lang.Definition, error) {
	for i, t := range s.Tables {
		for _, u := range s.Tables[:i] {
			if strings.EqualFold(t.Name, u.Name) {
				return nil, lang.Refuse("/tables", "tables", "table %q is listed twice", lang.Clip(t.Name))
			}
		}
	}
	w := &sqlWriter{spec: SQLSpec(s)}
	switch {
	case len(s.Tables) == 0:
		w.rule("name ::= any_name\ntable ::= any_name")
		w.loose()
	case s.Loose:
		var tables, names []string
		for _, t := range s.Tables {
			tables = append(tables, t.Name)
			names = append(names, t.Columns...)
		}
		tables = append(tables, s.Aliases...)
		w.names("name", sqlNames(append(slices.Clone(tables), names...)), false)
		w.names("table", sqlNames(tables), false)
		w.loose()
	default:
		w.scoped()
	}
	w.common()
	d, err := gbnfSource(w.b.String()).Define()
	if err != nil {
		return nil, fmt.Errorf("constraint: the SQL grammar: %w", err)
	}
	return d, w.fillNames(d)
}

var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// sqlName is a name as it stands in a statement: quoted if it has to be.
func sqlName(name string) string {
	if plainName.MatchString(name) && !slices.Contains(sqlKeywords, strings.ToUpper(name)) {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// sqlNames are names as they stand in a statement.
func sqlNames(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = sqlName(n)
	}
	return out
}

// CheckDDL returns err, or if text begins like SQL instead of the JSON that is
// read here, an error that says so.
func CheckDDL(text string, err error) error {
	word, _, _ := strings.Cut(strings.Join(strings.Fields(text), " "), " ")
	for _, k := range []string{"CREATE", "SELECT", "TABLE", "ALTER", "--"} {
		if strings.EqualFold(word, k) {
			return lang.SyntaxAt(text, strings.Index(text, word),
				`%s is SQL; list the tables as JSON instead: {"tables": {"users": ["id", "name"]}}`, word)
		}
	}
	return err
}

// A sqlWriter writes the grammar of a specification.
type sqlWriter struct {
	spec  SQLSpec
	b     strings.Builder
	tries map[string]sqlWords
	rules map[string]string // rules for single names, by the name
}

// sqlWords are the words of a rule, in any case if fold.
type sqlWords struct {
	list []string
	fold bool
}

func (w *sqlWriter) rule(format string, args ...any) { fmt.Fprintf(&w.b, format+"\n", args...) }

// common writes the rules that do not depend on names.
func (w *sqlWriter) common() {
	w.rule(`cmpop ::= "=" | "<>" | "!=" | "<=" | ">=" | "<" | ">"
number ::= int ("." [0-9]{1,6})?
int ::= "0" | [1-9] [0-9]{0,9}
string ::= "'" ([^'\x00] | "''")* "'"
comma ::= opt "," opt
opt ::= " "?
ws ::= " "{1,3}`)
	for _, k := range strings.Fields(sqlGrammarWords) {
		w.words(k, k)
	}
	w.words("sfunc", "LOWER", "UPPER", "LENGTH", "ABS", "ROUND")
	w.words("afunc", "COUNT", "SUM", "AVG", "MIN", "MAX")
	w.rule(`any_name ::= "x"`) // filled in later
}

// words writes a rule for keywords in capitals or small letters.
func (w *sqlWriter) words(rule string, list ...string) {
	both := slices.Clone(list)
	for _, k := range list {
		both = append(both, strings.ToLower(k))
	}
	w.names(rule, both, false)
}

// names writes a rule for a list of words. It becomes a trie, which takes one
// item of a state where alternatives would take one each.
func (w *sqlWriter) names(rule string, list []string, fold bool) {
	if w.tries == nil {
		w.tries = map[string]sqlWords{}
	}
	w.tries[rule] = sqlWords{list, fold}
	w.rule(`%s ::= "x"`, rule) // filled in later
}

// name is the rule for one name in any case.
func (w *sqlWriter) name(name string) string {
	rule, ok := w.rules[name]
	if !ok {
		if w.rules == nil {
			w.rules = map[string]string{}
		}
		rule = fmt.Sprintf("name_%d", len(w.rules))
		w.rules[name] = rule
		w.names(rule, []string{sqlName(name)}, true)
	}
	return rule
}

// fillNames gives the rules for names their meaning; any_name is an identifier
// that is not a keyword.
func (w *sqlWriter) fillNames(d *lang.Definition) error {
	ident, err := lang.RegexNFA(`[A-Za-z_][A-Za-z0-9_]{0,30}`, false)
	if err != nil {
		return err
	}
	words, err := lang.RegexNFA(`(?i)`+strings.Join(sqlKeywords, "|"), false)
	if err != nil {
		return err
	}
	t, ok := lang.NewDFA([]lang.Condition{{NFA: ident, Negate: false}, {NFA: words, Negate: true}})
	if !ok {
		return lang.Refuse("", "sql", "the names need too many states")
	}
	for i := range d.Rules {
		r := &d.Rules[i]
		if words, ok := w.tries[r.Name]; ok && words.fold {
			r.Body = lang.OneOfFold(words.list)
		} else if ok {
			r.Body = lang.OneOf(words.list)
		} else if r.Name == "any_name" {
			r.Body = &lang.Expr{Op: lang.OpNFA, NFA: t.NFA()}
		}
	}
	scopeNames(d, t)
	return nil
}

// loose writes the grammar in which any name may stand with any table.
func (w *sqlWriter) loose() {
	w.rule(`root ::= select (ws? ";")?
select ::= SELECT ws (DISTINCT ws)? items ws FROM ws source (ws join)* (ws WHERE ws expr)? (ws GROUP ws BY ws exprs (ws HAVING ws expr)?)? (ws ORDER ws BY ws orders)? (ws LIMIT ws int (ws OFFSET ws int)?)?
items ::= "*" | item (comma item)*
item ::= expr (ws AS ws name)? | name ".*"
source ::= table (ws AS ws name)? | "(" opt select opt ")" ws AS ws name
join ::= ((LEFT | INNER) ws)? JOIN ws source ws ON ws expr
exprs ::= expr (comma expr)*
orders ::= order (comma order)*
order ::= expr (ws (ASC | DESC))?
expr ::= and (ws OR ws and)*
and ::= not (ws AND ws not)*
not ::= (NOT ws)? cmp
cmp ::= sum ( opt cmpop opt sum | ws IS ws (NOT ws)? NULL | ws (NOT ws)? IN ws? "(" opt (select | exprs) opt ")" | ws (NOT ws)? LIKE ws string | ws (NOT ws)? BETWEEN ws sum ws AND ws sum )?
sum ::= term (opt "+" opt term | opt "-" (" " term | plus))*
term ::= factor (opt [*/%%] opt factor)*
plus ::= primary (opt [*/%%] opt factor)*
factor ::= primary | "-" primary
primary ::= number | string | NULL | column | call | case | "(" opt expr opt ")" | "(" opt select opt ")"
call ::= COUNT "(" opt "*" opt ")" | fname "(" opt (DISTINCT ws)? expr (comma expr)* opt ")"
fname ::= COUNT | SUM | AVG | MIN | MAX | LOWER | UPPER | LENGTH | ABS | ROUND | COALESCE
case ::= CASE (ws WHEN ws expr ws THEN ws expr)+ (ws ELSE ws expr)? ws END
column ::= (name ".")? name`)
}

const sqlGrammarWords = `SELECT DISTINCT FROM AS LEFT INNER JOIN ON WHERE GROUP BY HAVING ORDER LIMIT OFFSET ASC DESC AND OR NOT IS NULL IN LIKE
BETWEEN CASE WHEN THEN ELSE END COUNT SUM AVG MIN MAX LOWER UPPER LENGTH ABS ROUND COALESCE`

// sqlKeywords are the words that SQLite does not take for names, or not
// everywhere.
var sqlKeywords = strings.Fields(`ABORT ACTION ADD AFTER ALL ALTER ALWAYS ANALYZE AND AS ASC ATTACH AUTOINCREMENT BEFORE BEGIN BETWEEN BY CASCADE CASE CAST
CHECK COLLATE COLUMN COMMIT CONFLICT CONSTRAINT CREATE CROSS CURRENT CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP DATABASE DEFAULT DEFERRABLE DEFERRED
DELETE DESC DETACH DISTINCT DO DROP EACH ELSE END ESCAPE EXCEPT EXCLUDE EXCLUSIVE EXISTS EXPLAIN FAIL FILTER FIRST FOLLOWING FOR FOREIGN FROM FULL
GENERATED GLOB GROUP GROUPS HAVING IF IGNORE IMMEDIATE IN INDEX INDEXED INITIALLY INNER INSERT INSTEAD INTERSECT INTO IS ISNULL JOIN KEY LAST LEFT LIKE
LIMIT MATCH MATERIALIZED NATURAL NO NOT NOTHING NOTNULL NULL NULLS OF OFFSET ON OR ORDER OTHERS OUTER OVER PARTITION PLAN PRAGMA PRECEDING PRIMARY QUERY
RAISE RANGE RECURSIVE REFERENCES REGEXP REINDEX RELEASE RENAME REPLACE RESTRICT RETURNING RIGHT ROLLBACK ROW ROWS SAVEPOINT SELECT SET TABLE TEMP TEMPORARY
THEN TIES TO TRANSACTION TRIGGER UNBOUNDED UNION UNIQUE UPDATE USING VACUUM VALUES VIEW VIRTUAL WHEN WHERE WINDOW WITH WITHOUT TRUE FALSE ROWID OID _ROWID_`)
