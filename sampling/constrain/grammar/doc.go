// Package grammar answers: which text does a regular expression, a GBNF
// grammar, a list of choices or a query over tables allow?
//
// [Regex], [GBNF], [Choice] and [SQL] read their notation and give a
// definition of package lang. GBNF is llama.cpp's notation, with its escapes
// and repetitions, and without left recursion. SQL is written as GBNF, with a
// rule for each set of tables in scope, so that a column is only named where
// its table is.
package grammar
