// Package automaton answers: what may follow a text, byte by byte and token by
// token?
//
// The automaton makes a program deterministic as a text needs it (automaton,
// closure, states, transitions): a state is a set of places, each with the
// stack of rules it is in. Strings that must differ remember what they read
// (unique, taken). [Checker] reads a text through it; [Matcher] joins it to the
// token trie of a model ([Vocab]) and finds masks; budget closes a text before
// its tokens run out; explain says where a text stands.
//
// A mask is by definition what walking every token's bytes through the
// automaton gives, and the tests hold it to that. It is found faster by parts,
// and each cache is for one thing:
//
//   - transitions of a state (few, row) and the bytes that lead back to it
//     (loops): for the walk of the trie through the automaton (mask_walk)
//   - the division of a state into parts, kept with the state: places in one
//     call of a rule, in strings of one language, or others (mask_parts)
//   - the tokens that stay within a call of a rule, and those that leave it, for
//     each rule and part of the trie (region): shared by all texts under the
//     rule, and by all grammars of a vocabulary for the rules of plain JSON
//   - tokens inside strings by their language (mask_texts, text_walk), and all
//     but a few of another set (mask_except): for strings that only a few
//     tokens end
//   - whole masks of states, by two generations within a bound of bytes (memo):
//     for going back, beams, and texts that come by the same place
//   - costs of completions near the end of a budget (budget)
//
// Automaton and masks are one room: a mask reads items, stacks, frames and
// strings of states, 77 names in all, and keeps its caches in them.
package automaton
