// Package inert answers: why does a setting change nothing? A [Reason] is a value;
// its words are made here, where it is shown.
package inert

import (
	"fmt"
	"strconv"
	"strings"

	"logitscope/sampling/value"
)

// An Reason says why a parameter changes nothing, or less than its value
// promises.
type Reason uint8

const (
	Acts Reason = iota // it may have an effect

	// Reasons that hold at every step.
	IsOff       // its value is its off value, By where that is shown
	NotInEngine // the engine, By, has no such parameter
	NotInOrder  // the list of stages leaves its stage out
	CountsAll   // a window, where the engine, By, counts all tokens
	Replaced    // another chain, By, stands in place of its stage
	IsGreedy    // the best token is taken: By says which setting does that
	MasterOff   // the parameter that switches it on, By, is off
	OneBeam     // the number of beams or groups, By, is 1
	Unmet       // another parameter keeps its stage off: By says how
	GreedyTies  // as IsGreedy, but it may decide between equally likely tokens

	// Reasons that hold at one step.
	OneLeft        // one token is left before its stage
	TokensOut      // N tokens of output are out, as many as it asks for
	KeepsAll       // it would keep By tokens, and N are left
	OneSure        // fewer than two tokens reach the threshold
	TouchesNone    // no token that its stage would touch is in the row
	CutAgain       // a later stage, By, keeps N of the Of tokens it left
	SameTokens     // without it the same N tokens are left, as likely
	NotThisStep    // it is not about the choice of one token
	EveryValueSame // all values that were tried gave one result

	// Not reasons but remarks: it has an effect.
	TouchesFew // it touches N tokens, none of them likely
	Raised     // the engine, By, raises it to P
	TurnsOff   // its value switches a stage off: By says which
	KeepsOne   // it keeps one token, of probability P, for its value By
	NobodySet  // its value N is the default of the engine, By
	OnlySeed   // it says where the draw falls, not how likely tokens are
	OnlyLuck   // it says how the draw is made, not how likely tokens are
	OnlyLimit  // it says where the text ends
	NoOffOfOwn // it has no off value; that of By is what to compare with
	NoOff      // it has no off value
)

// An Inert is why a parameter changes nothing. The zero value says that it may
// have an effect. Inerts are comparable.
type Inert struct {
	Reason Reason
	Key    string  // the parameter
	By     string  // who makes it so: an engine, a stage, a parameter; see the reasons
	N, Of  int     // tokens; see the reasons
	P      float64 // a probability; see [KeepsOne]
}

// An kind is what kind of fact a reason is, which decides how the
// sentence begins.
type kind uint8

const (
	kindRemark     kind = iota // it has an effect
	kindOff                    // it is off
	kindNever                  // no effect at any step
	kindHere                   // no effect at this step
	kindNow                    // no effect from this step on
	kindElsewhere              // no effect on what one step's choice is made from
	kindUnmeasured             // there is nothing to compare with
)

// reasons says of each reason what kind it is, and words it.
var reasons = [...]struct {
	kind kind
	why  func(i Inert) string
}{
	Acts:           {kindRemark, func(Inert) string { return "" }},
	IsOff:          {kindOff, isOff},
	NotInEngine:    {kindNever, func(i Inert) string { return i.By + " has no " + i.Key }},
	NotInOrder:     {kindNever, func(i Inert) string { return "the order has no " + i.Key }},
	CountsAll:      {kindNever, func(i Inert) string { return i.By + " counts all tokens" }},
	Replaced:       {kindNever, func(i Inert) string { return i.By + " replaces it" }},
	IsGreedy:       {kindNever, func(i Inert) string { return "greedy (" + i.By + ")" }},
	MasterOff:      {kindNever, func(i Inert) string { return i.By + " is off" }},
	OneBeam:        {kindNever, func(i Inert) string { return i.By + " is 1" }},
	Unmet:          {kindNever, func(i Inert) string { return i.By }},
	GreedyTies:     {kindRemark, func(i Inert) string { return "greedy (" + i.By + ")" }},
	OneLeft:        {kindHere, func(Inert) string { return "one token left" }},
	TokensOut:      {kindNow, func(i Inert) string { return value.Commas(i.N) + " tokens are out" }},
	KeepsAll:       {kindNever, func(i Inert) string { return i.By + " ≥ " + value.Commas(i.N) + " tokens left" }},
	OneSure:        {kindHere, func(Inert) string { return "one sure token" }},
	TouchesNone:    {kindHere, func(Inert) string { return "touches no token" }},
	TouchesFew:     {kindRemark, func(i Inert) string { return "touches " + value.Commas(i.N) + " tokens here, none of them likely" }},
	CutAgain:       {kindHere, func(i Inert) string { return i.By + " keeps " + value.Commas(i.N) + " of the " + value.Commas(i.Of) }},
	SameTokens:     {kindHere, sameTokens},
	NotThisStep:    {kindElsewhere, func(Inert) string { return "on this step's choice" }},
	EveryValueSame: {kindHere, func(Inert) string { return "every value gives the same texts" }},
	Raised:         {kindRemark, func(i Inert) string { return i.By + " raises it to " + value.Shortest(i.P) }},
	TurnsOff:       {kindRemark, func(i Inert) string { return i.By }},
	KeepsOne:       {kindRemark, keepsOne},
	NobodySet:      {kindRemark, func(i Inert) string { return fmt.Sprintf("%d: %s default, nobody set it", i.N, Possessive(i.By)) }},
	OnlySeed: {kindElsewhere, func(Inert) string {
		return "on the probabilities: the seed only says where u falls among them"
	}},
	OnlyLuck: {kindElsewhere, func(Inert) string {
		return "on the probabilities: luck only says how the draw is made"
	}},
	OnlyLimit: {kindElsewhere, func(Inert) string {
		return "on a choice: it says where the text ends at the latest"
	}},
	NoOffOfOwn: {kindUnmeasured, func(i Inert) string {
		return "no off value of its own: " + i.By + " off is what to compare with"
	}},
	NoOff: {kindUnmeasured, func(Inert) string { return "no off value to compare with" }},
}

// Possessive is a name in the possessive: "the model's", "transformers'".
func Possessive(name string) string {
	if strings.HasSuffix(name, "s") {
		return name + "'"
	}
	return name + "'s"
}

func isOff(i Inert) string {
	if i.By != "" {
		return "off: at " + i.By + " it changes nothing"
	}
	return "off"
}

func sameTokens(i Inert) string {
	if i.N == 1 {
		return "the same one token without it"
	}
	return "the same " + value.Commas(i.N) + " tokens without it"
}

func keepsOne(i Inert) string {
	return fmt.Sprintf("keeps one token here: %s ≥ %s (acts like greedy)", percent(i.P), i.By)
}

// percent writes a probability with the decimals that tell it from 1.
func percent(p float64) string {
	s := strconv.FormatFloat(100*p, 'f', 2, 64)
	if s == "100.00" && p < 1 {
		return ">99.99%"
	}
	return s + "%"
}

// Why returns the bare reason, without saying that there is no effect:
// "greedy (temperature 0)". It is empty if the parameter may have an effect.
func (i Inert) Why() string { return reasons[i.Reason].why(i) }

// NoEffect reports whether the parameter, though it is not off, changes
// nothing: at any step, or at the step it was asked about.
func (i Inert) NoEffect() bool {
	k := reasons[i.Reason].kind
	return k != kindRemark && k != kindOff && k != kindUnmeasured
}

// Always reports whether the parameter changes nothing at any step, but for
// which of equally likely tokens is taken.
func (i Inert) Always() bool {
	return reasons[i.Reason].kind == kindNever && i.Reason != KeepsAll || i.Reason == GreedyTies
}

// Forms are ways to say it, from [Inert.String] to one that fits a narrow
// column.
func (i Inert) Forms() []string {
	forms := []string{i.String()}
	switch i.Reason {
	case NotInEngine:
		forms = append(forms, "no effect: not in "+i.By)
	case KeepsOne:
		return append(forms, "keeps one token here")
	case TouchesFew:
		return append(forms, "touches "+value.Commas(i.N)+" here")
	}
	switch reasons[i.Reason].kind {
	case kindOff:
		forms = append(forms, "off")
	case kindNever:
		forms = append(forms, "no effect")
	case kindHere:
		forms = append(forms, "no effect here")
	case kindNow:
		forms = append(forms, "no effect now")
	}
	return forms
}

// String returns the fact as the screen says it: "off", or "no effect" and the
// reason, or a remark. It is empty if the parameter may have an effect.
func (i Inert) String() string {
	why := i.Why()
	switch reasons[i.Reason].kind {
	case kindNever:
		why = "no effect: " + why
	case kindHere:
		why = "no effect here: " + why
	case kindNow:
		why = "no effect now: " + why
	case kindElsewhere:
		why = "no effect " + why
	}
	switch i.Reason {
	case GreedyTies:
		why += ": decides between equal logits at most"
		fallthrough
	case IsGreedy:
		why += "; penalties, bias and bans still count"
	}
	return why
}
