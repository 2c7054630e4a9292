package grammar

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"logitscope/sampling/constrain/lang"
)

// A sqlFrom is a table as a FROM clause names it.
type sqlFrom struct {
	table int
	alias string // empty: by its own name
}

// A sqlScope is the tables of one FROM clause, in the order of the
// specification. Every scope has its own rules for expressions, so that a
// column can only be one of its tables', although it is written before them.
type sqlScope struct {
	id   int
	from []sqlFrom
}

// maxScopes bounds the scopes of a grammar; those that matter least are left
// out beyond it.
const maxScopes = 96

// scoped writes the grammar in which columns belong to tables in scope.
func (w *sqlWriter) scoped() {
	scopes := w.scopes()
	byKey := map[string]*sqlScope{}
	var selects, scalars []string
	for i := range scopes {
		s := &scopes[i]
		byKey[keyOf(s.from)] = s
		selects = append(selects, fmt.Sprintf("select_%d", s.id))
		scalars = append(scalars, fmt.Sprintf("scalar_%d", s.id))
	}
	w.rule(`root ::= (%s) (ws? ";")?`, strings.Join(selects, " | "))
	w.rule(`alias_new ::= "x"`) // filled in later
	w.rule(`alias_old ::= "x"`)
	w.rule(`scalar ::= %s`, strings.Join(scalars, " | "))
	for i := range scopes {
		w.statement(&scopes[i], byKey)
		w.ladder(scopes[i].id, "e", fmt.Sprintf("scall_%d", scopes[i].id))
		w.ladder(scopes[i].id, "a", fmt.Sprintf("acall_%d | agg_%d", scopes[i].id, scopes[i].id))
	}
}

// A scopeList gathers scopes, each with the smaller ones that its joins need.
type scopeList struct {
	list []sqlScope
	seen map[string]bool
}

func keyOf(from []sqlFrom) string {
	var key strings.Builder
	for _, f := range from {
		fmt.Fprintf(&key, "%d %q ", f.table, f.alias)
	}
	return key.String()
}

// sorted returns from in the order of the specification.
func sorted(from []sqlFrom) []sqlFrom {
	from = slices.Clone(from)
	slices.SortFunc(from, func(a, b sqlFrom) int {
		return cmp.Or(cmp.Compare(a.table, b.table), cmp.Compare(a.alias, b.alias))
	})
	return from
}

// add adds a scope with all that are part of it, if there is room for them.
func (l *scopeList) add(from ...sqlFrom) {
	var fresh [][]sqlFrom
	var need func(from []sqlFrom)
	need = func(from []sqlFrom) {
		if len(from) == 0 || l.seen[keyOf(from)] || slices.ContainsFunc(fresh, func(x []sqlFrom) bool { return slices.Equal(x, from) }) {
			return
		}
		for i := range from {
			need(slices.Delete(slices.Clone(from), i, i+1))
		}
		fresh = append(fresh, from)
	}
	if need(sorted(from)); len(l.list)+len(fresh) > maxScopes && len(from) > 1 {
		return
	}
	for _, from := range fresh {
		l.seen[keyOf(from)] = true
		l.list = append(l.list, sqlScope{len(l.list), from})
	}
}

// scopes lists the FROM clauses that may be written, those that matter most
// first: tables alone, joined by their own names and by their aliases, with
// themselves, three of them, and last by names that tell nothing of them.
func (w *sqlWriter) scopes() []sqlScope {
	l := &scopeList{seen: map[string]bool{}}
	n := len(w.spec.Tables)
	names := make([][]string, n) // the own one, then aliases
	for t := range n {
		names[t] = append([]string{""}, w.aliases(t)...)
		l.add(sqlFrom{t, ""})
	}
	for t := range n {
		for _, a := range names[t] {
			l.add(sqlFrom{t, a})
		}
	}
	// join adds joins of different tables in which pick allows the names.
	join := func(size int, pick func(places []int) bool) {
		w.combine(nil, 0, size, names, func(from []sqlFrom, places []int) {
			if pick(places) {
				l.add(from...)
			}
		})
	}
	own := func(places []int) bool { return slices.Max(places) == 0 }
	first := func(places []int) bool { return slices.Min(places) == 1 && slices.Max(places) == 1 }
	any := func([]int) bool { return true }
	join(2, own)
	join(2, first)
	for t := range n {
		for _, pair := range w.selfJoins(t) {
			l.add(sqlFrom{t, pair[0]}, sqlFrom{t, pair[1]})
		}
	}
	join(3, own)
	join(3, first)
	join(2, any)
	join(3, any)
	for t := range n {
		for u := range n {
			for _, pair := range [][2]string{{"a", "b"}, {"t1", "t2"}} {
				if len(w.spec.Tables[t].Aliases)+len(w.spec.Tables[u].Aliases) == 0 && w.free(pair[0]) && w.free(pair[1]) && t != u {
					l.add(sqlFrom{t, pair[0]}, sqlFrom{u, pair[1]})
				}
			}
		}
	}
	return l.list
}

// combine calls fn with every choice of size different tables from next on
// under names that differ, and with the place of each name in its list.
func (w *sqlWriter) combine(chosen []sqlFrom, next, size int, names [][]string, fn func(from []sqlFrom, places []int)) {
	var walk func(chosen []sqlFrom, places []int, next int)
	walk = func(chosen []sqlFrom, places []int, next int) {
		if len(chosen) == size {
			fn(chosen, places)
			return
		}
		for t := next; t < len(names); t++ {
			for i, a := range names[t] {
				f := sqlFrom{t, a}
				if !slices.ContainsFunc(chosen, func(g sqlFrom) bool { return strings.EqualFold(w.qualifier(f), w.qualifier(g)) }) {
					walk(append(slices.Clone(chosen), f), append(slices.Clone(places), i), t+1)
				}
			}
		}
	}
	walk(chosen, nil, next)
}

// aliases are the names that a table may be given where it is not joined with
// itself.
func (w *sqlWriter) aliases(t int) []string {
	if list := w.spec.Tables[t].Aliases; len(list) > 0 {
		return list
	}
	initials := initialsOf(w.spec.Tables[t].Name)
	clash := false
	for u, x := range w.spec.Tables {
		clash = clash || u != t && initialsOf(x.Name) == initials
	}
	candidates := []string{initials}
	if clash {
		candidates = []string{w.prefix(t), initials}
	}
	return slices.DeleteFunc(candidates, func(a string) bool { return !w.free(a) })
}

// selfJoins are the pairs of names under which a table is joined with itself.
func (w *sqlWriter) selfJoins(t int) (pairs [][2]string) {
	if list := w.spec.Tables[t].Aliases; len(list) > 0 {
		pairs = append(pairs, [2]string{"", list[0]})
		for i, a := range list {
			for _, b := range list[i+1:] {
				pairs = append(pairs, [2]string{a, b})
			}
		}
		return pairs
	}
	x := initialsOf(w.spec.Tables[t].Name)
	next := x + "2"
	if len(x) == 1 && x < "z" {
		next = string(rune(x[0] + 1))
	}
	for _, pair := range [][2]string{{"a", "b"}, {x + "1", x + "2"}, {"", x}, {x, next}, {"t1", "t2"}} {
		if (pair[0] == "" || w.free(pair[0])) && w.free(pair[1]) {
			pairs = append(pairs, pair)
		}
	}
	return pairs
}

// initialsOf are the first letters of the words of a name: oi for order_items.
func initialsOf(name string) string {
	var out []byte
	for _, word := range strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r < 'a' || r > 'z' }) {
		out = append(out, word[0])
	}
	return string(out)
}

// prefix is the shortest beginning of a table's name, of two letters at least,
// that no other table begins with; empty if there is none.
func (w *sqlWriter) prefix(t int) string {
	name := strings.ToLower(w.spec.Tables[t].Name)
	for n := 2; n < len(name); n++ {
		if !slices.ContainsFunc(w.spec.Tables, func(x SQLTable) bool {
			return x.Name != w.spec.Tables[t].Name && strings.HasPrefix(strings.ToLower(x.Name), name[:n])
		}) {
			return name[:n]
		}
	}
	return ""
}

// free reports whether a word can be an alias: it is a plain name, and neither
// that of a table nor a keyword.
func (w *sqlWriter) free(alias string) bool {
	return sqlName(alias) == alias && !slices.ContainsFunc(w.spec.Tables, func(x SQLTable) bool { return strings.EqualFold(x.Name, alias) })
}

func (w *sqlWriter) qualifier(f sqlFrom) string {
	if f.alias != "" {
		return f.alias
	}
	return w.spec.Tables[f.table].Name
}

func (w *sqlWriter) fromText(f sqlFrom) string {
	name := w.name(w.spec.Tables[f.table].Name)
	if f.alias == "" {
		return name
	}
	return fmt.Sprintf("%s ws (AS ws)? %s", name, w.name(f.alias))
}

// statement writes the select of a scope. Sources may come in any order; the
// condition of a join sees the tables up to it.
func (w *sqlWriter) statement(s *sqlScope, byKey map[string]*sqlScope) {
	k := s.id
	var stars []string
	for _, f := range s.from {
		stars = append(stars, w.name(w.qualifier(f))+` ".*"`)
	}
	w.rule(`items_%d ::= "*" | item_%d (comma item_%d)*`, k, k, k)
	w.rule(`item_%d ::= a_%d (ws AS ws alias_new)? | %s`, k, k, strings.Join(stars, " | "))
	w.rule(`from_%d ::= %s`, k, strings.Join(w.orders(s, byKey), " | "))
	// A sub-select has one item, which needs no name.
	for _, t := range []struct{ of, alias string }{{"tail", " | alias_old"}, {"stail", ""}} {
		of, alias := t.of, t.alias
		w.rule(`%s_%d ::= (ws WHERE ws e_%d)? (ws GROUP ws BY ws keys_%d (ws HAVING ws a_%d)? (ws ORDER ws BY ws g%s_%d (comma g%s_%d)*)? | ws ORDER ws BY ws o%s_%d (comma o%s_%d)*)? (ws LIMIT ws int (ws OFFSET ws int)?)?`, of, k, k, k, k, of, k, of, k, of, k, of, k)
		w.rule(`o%s_%d ::= (key_%d%s) (ws (ASC | DESC))?`, of, k, k, alias)
		w.rule(`g%s_%d ::= (key_%d | agg_%d%s) (ws (ASC | DESC))?`, of, k, k, k, alias)
	}
	w.rule(`keys_%d ::= key_%d (comma key_%d)*`, k, k, k)
	w.rule(`key_%d ::= col_%d | scall_%d`, k, k, k)
	w.rule(`select_%d ::= SELECT ws (DISTINCT ws)? items_%d ws FROM ws from_%d tail_%d`, k, k, k, k)
	w.rule(`scalar_%d ::= SELECT ws (DISTINCT ws)? a_%d ws FROM ws from_%d stail_%d`, k, k, k, k)
	w.rule(`agg_%d ::= COUNT "(" opt "*" opt ")" | afunc "(" opt (DISTINCT ws)? e_%d opt ")"`, k, k)
	w.rule(`scall_%d ::= sfunc "(" opt e_%d opt ")" | ROUND "(" opt e_%d comma [0-9] opt ")" | COALESCE "(" opt e_%d (comma e_%d)+ opt ")"`, k, k, k, k, k)
	w.rule(`acall_%d ::= sfunc "(" opt a_%d opt ")" | ROUND "(" opt a_%d comma [0-9] opt ")" | COALESCE "(" opt a_%d (comma a_%d)+ opt ")"`, k, k, k, k, k)
	w.names(fmt.Sprintf("col_%d", k), w.columns(s), true)
}

// orders lists the ways to write a scope's FROM clause.
func (w *sqlWriter) orders(s *sqlScope, byKey map[string]*sqlScope) []string {
	var out []string
	permute(s.from, func(order []sqlFrom) {
		var b strings.Builder
		b.WriteString(w.fromText(order[0]))
		for i := 1; i < len(order); i++ {
			seen := slices.Clone(order[:i+1])
			fmt.Fprintf(&b, ` ws ((LEFT | INNER) ws)? JOIN ws %s ws ON ws e_%d`, w.fromText(order[i]), byKey[keyOf(sorted(seen))].id)
		}
		out = append(out, b.String())
	})
	return out
}

func permute(list []sqlFrom, fn func([]sqlFrom)) {
	if len(list) == 1 {
		fn(list)
		return
	}
	for i := range list {
		rest := slices.Delete(slices.Clone(list), i, i+1)
		permute(rest, func(tail []sqlFrom) { fn(append([]sqlFrom{list[i]}, tail...)) })
	}
}

// columns lists the columns in scope: with their table, and without where they
// cannot mean another's. A join's condition is read with only the tables before
// it in scope, but SQLite looks at all of them, so with several tables a plain
// column is one that no other table of the specification has.
func (w *sqlWriter) columns(s *sqlScope) []string {
	owners := map[string]int{}
	for _, t := range w.spec.Tables {
		for _, c := range t.Columns {
			owners[strings.ToLower(c)]++
		}
	}
	once := func(t int) bool {
		n := 0
		for _, f := range s.from {
			if f.table == t {
				n++
			}
		}
		return n == 1
	}
	var out []string
	for _, f := range s.from {
		for _, c := range w.spec.Tables[f.table].Columns {
			if len(s.from) == 1 || owners[strings.ToLower(c)] == 1 && once(f.table) {
				out = append(out, sqlName(c))
			}
			out = append(out, sqlName(w.qualifier(f))+"."+sqlName(c))
		}
	}
	return out
}

// ladder writes expressions over a scope. An unary minus never follows a
// binary one directly, since two of them begin a comment.
func (w *sqlWriter) ladder(k int, x, calls string) {
	rules := `X_K ::= Xand_K (ws OR ws Xand_K)*
Xand_K ::= Xnot_K (ws AND ws Xnot_K)*
Xnot_K ::= (NOT ws)? Xcmp_K
Xcmp_K ::= Xsum_K ( opt cmpop opt Xsum_K | ws IS ws (NOT ws)? NULL | ws (NOT ws)? IN ws? "(" opt (scalar | X_K (comma X_K)*) opt ")" | ws (NOT ws)? LIKE ws string | ws (NOT ws)? BETWEEN ws Xsum_K ws AND ws Xsum_K )?
Xsum_K ::= Xterm_K (opt "+" opt Xterm_K | opt "-" (" " Xterm_K | Xplus_K))*
Xterm_K ::= Xfactor_K (opt [*/%] opt Xfactor_K)*
Xplus_K ::= Xprimary_K (opt [*/%] opt Xfactor_K)*
Xfactor_K ::= Xprimary_K | "-" Xprimary_K
Xprimary_K ::= number | string | NULL | col_K | CALLS | Xcase_K | "(" opt (X_K | scalar) opt ")"
Xcase_K ::= CASE (ws WHEN ws X_K ws THEN ws X_K)+ (ws ELSE ws X_K)? ws END`
	rules = strings.NewReplacer("_K", fmt.Sprintf("_%d", k), "X", x, "CALLS", calls).Replace(rules)
	w.b.WriteString(rules + "\n")
}

// scopeNames makes the names that a select gives to its items known to its
// ORDER BY: they are words of the statement's scope, so the rules between are
// written into it.
func scopeNames(d *lang.Definition, ident *lang.DFA) {
	word := lang.StringLang{Lang: ident, Hi: -1, Bare: true, Word: true}
	given, used := word, word
	used.Among = true
	into := map[string]*lang.Expr{"alias_new": {Op: lang.OpString, Str: &given}, "alias_old": {Op: lang.OpString, Str: &used}}
	byName := map[string]*lang.Expr{}
	for _, r := range d.Rules {
		byName[r.Name] = r.Body
	}
	var write func(e *lang.Expr) *lang.Expr
	write = func(e *lang.Expr) *lang.Expr {
		if e.Op == lang.OpCall {
			name := d.Rules[e.Rule].Name
			kind, _, _ := strings.Cut(name, "_")
			switch {
			case into[name] != nil:
				return into[name]
			case slices.Contains([]string{"items", "item", "tail", "otail", "gtail"}, kind):
				return write(byName[name])
			}
			return e
		}
		if e.Op == lang.OpRepeat && e.Min == 0 && e.Max == 1 {
			return lang.Optional(write(e.Subs[0])) // a counter would stand between the words and their scope
		}
		out := *e
		out.Subs = make([]*lang.Expr, len(e.Subs))
		for i, s := range e.Subs {
			out.Subs[i] = write(s)
		}
		return &out
	}
	for i := range d.Rules {
		if r := &d.Rules[i]; strings.HasPrefix(r.Name, "select_") {
			r.Body = &lang.Expr{Op: lang.OpObject, Obj: &lang.ObjectLang{
				Keys: []lang.MemberLang{{Body: write(r.Body), Required: true}}, Separator: lang.Empty, Max: -1, Scope: true,
			}}
		}
	}
}
