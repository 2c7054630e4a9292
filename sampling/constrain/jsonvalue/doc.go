// Package jsonvalue answers: what does a JSON document say, exactly and in its
// order?
//
// [Read] keeps the order of members, numbers as rationals, and notes names that
// come twice; encoding/json keeps none of these. Its errors have a line and a
// column. Depth and exponents are bounded, since documents are not trusted.
package jsonvalue
