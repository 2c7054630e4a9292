package engine

import "errors"

// isTemporary reports whether another try may succeed: the error says so
// itself, as a server's errors do.
func isTemporary(err error) bool {
	var t interface{ Temporary() bool }
	return errors.As(err, &t) && t.Temporary()
}
