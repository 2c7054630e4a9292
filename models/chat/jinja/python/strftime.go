package python

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Strftime formats the time that the template is shown, without a zone, as C
// and Python do in the locale C.
func (st *Run) Strftime(format string) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			b.WriteByte(format[i])
			continue
		}
		start := i
		flag, letters := byte(0), byte(0)
		for i++; i < len(format) && strings.IndexByte("-_0^#", format[i]) >= 0; i++ {
			if format[i] == '^' || format[i] == '#' {
				letters = format[i]
			} else {
				flag = format[i]
			}
		}
		width := 0
		for ; i < len(format) && isDecimal(format[i]); i++ {
			if width = width*10 + int(format[i]-'0'); width > 1024 {
				Exceed("a width in strftime is larger than 1024")
			}
		}
		if i < len(format) && (format[i] == 'E' || format[i] == 'O') {
			Refuse("the modifier %c of strftime", format[i])
		}
		if i == len(format) {
			b.WriteString(format[start:])
			break
		}
		text, ok := directiveOf(st.Now, format[i], flag, width)
		if format[i] == 'f' && letters != 0 {
			ok = false // Python knows it without flags alone
		}
		if !ok && width > 0 {
			Refuse("the directive %s of strftime", Quoted(format[start:i+1]))
		}
		if !ok {
			text = format[start : i+1]
		}
		switch {
		case letters == '^' && format[i] != 'P', letters == '#' && strings.IndexByte("aAbBh", format[i]) >= 0:
			text = strings.ToUpper(text)
		case letters == '#' && format[i] == 'p':
			text = strings.ToLower(text)
		}
		b.WriteString(text)
		if b.Len() > 1<<20 {
			Exceed("strftime writes more than 1 MiB")
		}
	}
	return b.String()
}

// directiveOf formats one directive of strftime.
func directiveOf(t time.Time, c, flag byte, width int) (string, bool) {
	number := func(n, size int, pad byte) (string, bool) {
		switch flag {
		case '-':
			return strconv.Itoa(n), true
		case '_':
			pad = ' '
		case '0':
			pad = '0'
		}
		s := strconv.Itoa(n)
		return strings.Repeat(string(pad), max(max(size, width)-len(s), 0)) + s, true
	}
	layout := func(s string) (string, bool) {
		s = t.Format(s)
		pad := " "
		if flag == '0' {
			pad = "0"
		}
		return strings.Repeat(pad, max(width-len(s), 0)) + s, true
	}
	year, week := t.ISOWeek()
	hour := (t.Hour()+11)%12 + 1
	weekday := int(t.Weekday())
	switch c {
	case '%':
		return layout("%")
	case 'n':
		return layout("\n")
	case 't':
		return layout("\t")
	case 'Y':
		return number(t.Year(), 0, '0')
	case 'C':
		return number(t.Year()/100, 2, '0')
	case 'y':
		return number(t.Year()%100, 2, '0')
	case 'G':
		return number(year, 0, '0')
	case 'g':
		return number(year%100, 2, '0')
	case 'V':
		return number(week, 2, '0')
	case 'U':
		return number((t.YearDay()+6-weekday)/7, 2, '0')
	case 'W':
		return number((t.YearDay()+6-(weekday+6)%7)/7, 2, '0')
	case 'm':
		return number(int(t.Month()), 2, '0')
	case 'd':
		return number(t.Day(), 2, '0')
	case 'e':
		return number(t.Day(), 2, ' ')
	case 'j':
		return number(t.YearDay(), 3, '0')
	case 'u':
		return number((weekday+6)%7+1, 1, '0')
	case 'w':
		return number(weekday, 1, '0')
	case 'H':
		return number(t.Hour(), 2, '0')
	case 'k':
		return number(t.Hour(), 2, ' ')
	case 'I':
		return number(hour, 2, '0')
	case 'l':
		return number(hour, 2, ' ')
	case 'M':
		return number(t.Minute(), 2, '0')
	case 'S':
		return number(t.Second(), 2, '0')
	case 'f':
		if flag != 0 || width > 0 {
			return "", false
		}
		return fmt.Sprintf("%06d", t.Nanosecond()/1000), true
	case 's':
		Refuse("the directive %%s of strftime")
	case 'z':
		return "", true
	case 'Z':
		return layout("")
	}
	layouts := map[byte]string{
		'a': "Mon", 'A': "Monday", 'b': "Jan", 'h': "Jan", 'B': "January", 'p': "PM", 'P': "pm",
		'c': "Mon Jan _2 15:04:05 2006", 'x': "01/02/06", 'D': "01/02/06", 'X': "15:04:05", 'T': "15:04:05",
		'R': "15:04", 'r': "03:04:05 PM", 'F': "2006-01-02",
	}
	if s, ok := layouts[c]; ok {
		return layout(s)
	}
	return "", false
}
