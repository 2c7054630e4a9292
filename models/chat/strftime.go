package chat

import (
	"fmt"
	"strings"
	"time"
)

// layouts are the directives of strftime as layouts of package time.
var layouts = map[byte]string{
	'Y': "2006", 'y': "06", 'm': "01", 'B': "January", 'b': "Jan", 'h': "Jan", 'd': "02", 'e': "_2",
	'A': "Monday", 'a': "Mon", 'H': "15", 'I': "03", 'M': "04", 'S': "05", 'p': "PM",
	'F': "2006-01-02", 'T': "15:04:05", 'D': "01/02/06", 'R': "15:04", 'Z': "MST", 'z': "-0700", 'f': "000000",
	'c': "Mon Jan _2 15:04:05 2006", 'x': "01/02/06", 'X': "15:04:05",
}

// strftime formats a time as C and Python do; a '-' after '%' leaves out
// leading zeros. What is no directive stays as it is.
func strftime(t time.Time, format string) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		bare := format[i] == '-' && i+1 < len(format)
		if bare {
			i++
		}
		text := ""
		switch layout, ok := layouts[format[i]]; {
		case format[i] == '%':
			text = "%"
		case format[i] == 'n':
			text = "\n"
		case format[i] == 'j':
			text = fmt.Sprintf("%03d", t.YearDay())
		case format[i] == 'f':
			text = fmt.Sprintf("%06d", t.Nanosecond()/1000)
		case ok:
			text = t.Format(layout)
		default:
			text = "%" + string(format[i])
		}
		if bare {
			if short := strings.TrimLeft(text, "0 "); short != "" {
				text = short
			}
		}
		b.WriteString(text)
	}
	return b.String()
}
