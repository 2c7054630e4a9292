// Package program answers: how are rules laid out as one network?
//
// [Build] turns a definition of package lang into a [Program]: nodes with edges
// over bytes, calls of rules, counted repetitions, JSON strings and objects.
// Left recursion is refused (leftrec), repetitions of what may be empty are
// rewritten (nullable), long ones count at run time. Whatever cannot be
// completed is removed, and a root that no text satisfies is refused, so at
// least one token, or the end, is always allowed later.
//
// Every node and rule knows the fewest bytes to its end. Objects and arrays
// know the same for what is still wanted of them ([Object], [Data]), and which
// texts are taken where texts must differ ([Taken]).
package program
