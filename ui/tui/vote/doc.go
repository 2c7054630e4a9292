// Package vote answers: which of two texts would people rather read, when
// nothing tells them which settings wrote which?
package vote
