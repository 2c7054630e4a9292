// Package inspect answers: why does this step come out as it does?
//
// Each of its views looks at one step from one side: its stages ([NewStages]),
// what a penalty touched ([NewPenalties]), other engines' laws of it
// ([NewEngines]), every value in force ([NewValues]), many draws from its law
// ([NewDraws]), any token of the vocabulary ([NewFinder]), and what the last
// switch of settings changed ([NewSince]).
package inspect
