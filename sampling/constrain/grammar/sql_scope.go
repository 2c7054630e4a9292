package grammar

import (
	"fmt"
	"slices"
	"strings"
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

// maxScopes bounds the scopes of a grammar. Where all combinations would be
// more, joins of three tables are left out, then aliases, then joins.
const maxScopes = 96

// scoped writes the grammar in which columns belong to tables in scope.
func (w *sqlWriter) scoped() {
	scopes := w.scopes()
	byKey := map[string]*sqlScope{}
	var selects, scalars []string
	for i := range scopes {
		s := &scopes[i]
		byKey[fmt.Sprint(s.from)] = s
		selects = append(selects, fmt.Sprintf("select_%d", s.id))
		scalars = append(scalars, fmt.Sprintf("scalar_%d", s.id))
	}
	w.rule(`root ::= (%s) (ws? ";")?`, strings.Join(selects, " | "))
	w.rule(`scalar ::= %s`, strings.Join(scalars, " | "))
	for i := range scopes {
		w.statement(&scopes[i], byKey)
		w.ladder(scopes[i].id, "e", fmt.Sprintf("scall_%d", scopes[i].id))
		w.ladder(scopes[i].id, "a", fmt.Sprintf("acall_%d | agg_%d", scopes[i].id, scopes[i].id))
	}
}

// scopes lists the combinations of one to three different tables.
func (w *sqlWriter) scopes() []sqlScope {
	for _, try := range []struct {
		joined int
		alias  bool
	}{{3, true}, {2, true}, {3, false}, {2, false}, {1, true}} {
		var out []sqlScope
		w.combine(&out, nil, 0, try.joined, try.alias)
		if len(out) <= maxScopes || try.joined == 1 {
			for i := range out {
				out[i].id = i
			}
			return out
		}
	}
	return nil
}

func (w *sqlWriter) combine(out *[]sqlScope, chosen []sqlFrom, next, joined int, alias bool) {
	if len(chosen) > 0 {
		*out = append(*out, sqlScope{from: slices.Clone(chosen)})
	}
	if len(chosen) == joined {
		return
	}
	for t := next; t < len(w.spec.Tables); t++ {
		names := []string{""}
		if a := w.spec.Tables[t].Alias; a != "" && alias {
			names = append(names, a)
		}
		for _, a := range names {
			w.combine(out, append(slices.Clone(chosen), sqlFrom{t, a}), t+1, joined, alias)
		}
	}
}

func (w *sqlWriter) qualifier(f sqlFrom) string {
	if f.alias != "" {
		return f.alias
	}
	return w.spec.Tables[f.table].Name
}

func (w *sqlWriter) fromText(f sqlFrom) string {
	name := quoteGBNF(sqlName(w.spec.Tables[f.table].Name))
	if f.alias == "" {
		return name
	}
	return fmt.Sprintf("%s ws AS ws %s", name, quoteGBNF(sqlName(f.alias)))
}

// statement writes the select of a scope. Sources may come in any order; the
// condition of a join sees the tables up to it.
func (w *sqlWriter) statement(s *sqlScope, byKey map[string]*sqlScope) {
	k := s.id
	var stars []string
	for _, f := range s.from {
		stars = append(stars, quoteGBNF(sqlName(w.qualifier(f))+".*"))
	}
	w.rule(`items_%d ::= "*" | item_%d (comma item_%d)*`, k, k, k)
	w.rule(`item_%d ::= a_%d (ws AS ws any_name)? | %s`, k, k, strings.Join(stars, " | "))
	w.rule(`from_%d ::= %s`, k, strings.Join(w.orders(s, byKey), " | "))
	w.rule(`tail_%d ::= (ws WHERE ws e_%d)? (ws GROUP ws BY ws keys_%d (ws HAVING ws a_%d)? (ws ORDER ws BY ws gorder_%d (comma gorder_%d)*)? | ws ORDER ws BY ws order_%d (comma order_%d)*)? (ws LIMIT ws int (ws OFFSET ws int)?)?`, k, k, k, k, k, k, k, k)
	w.rule(`keys_%d ::= key_%d (comma key_%d)*`, k, k, k)
	w.rule(`key_%d ::= col_%d | scall_%d`, k, k, k)
	w.rule(`order_%d ::= key_%d (ws (ASC | DESC))?`, k, k)
	w.rule(`gorder_%d ::= (key_%d | agg_%d) (ws (ASC | DESC))?`, k, k, k)
	w.rule(`select_%d ::= SELECT ws (DISTINCT ws)? items_%d ws FROM ws from_%d tail_%d`, k, k, k, k)
	w.rule(`scalar_%d ::= SELECT ws (DISTINCT ws)? a_%d ws FROM ws from_%d tail_%d`, k, k, k, k)
	w.rule(`agg_%d ::= COUNT "(" opt "*" opt ")" | afunc "(" opt (DISTINCT ws)? e_%d opt ")"`, k, k)
	w.rule(`scall_%d ::= sfunc "(" opt e_%d opt ")" | ROUND "(" opt e_%d comma [0-9] opt ")" | COALESCE "(" opt e_%d (comma e_%d)+ opt ")"`, k, k, k, k, k)
	w.rule(`acall_%d ::= sfunc "(" opt a_%d opt ")" | ROUND "(" opt a_%d comma [0-9] opt ")" | COALESCE "(" opt a_%d (comma a_%d)+ opt ")"`, k, k, k, k, k)
	w.names(fmt.Sprintf("col_%d", k), w.columns(s))
}

// orders lists the ways to write a scope's FROM clause.
func (w *sqlWriter) orders(s *sqlScope, byKey map[string]*sqlScope) []string {
	var out []string
	permute(s.from, func(order []sqlFrom) {
		var b strings.Builder
		b.WriteString(w.fromText(order[0]))
		for i := 1; i < len(order); i++ {
			seen := slices.Clone(order[:i+1])
			slices.SortFunc(seen, func(a, b sqlFrom) int { return a.table - b.table })
			fmt.Fprintf(&b, ` ws ((LEFT | INNER) ws)? JOIN ws %s ws ON ws e_%d`, w.fromText(order[i]), byKey[fmt.Sprint(seen)].id)
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
	var out []string
	for _, f := range s.from {
		for _, c := range w.spec.Tables[f.table].Columns {
			if len(s.from) == 1 || owners[strings.ToLower(c)] == 1 {
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
