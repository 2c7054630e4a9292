// Package speculative lets a cheap drafter guess several tokens and the
// target model verify them in one pass, without changing the law of the text.
package speculative
