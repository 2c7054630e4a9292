package goal

import "unicode"

// hidden reports whether r acts on a terminal instead of being drawn.
func hidden(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }
