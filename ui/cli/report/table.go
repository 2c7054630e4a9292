package report

import (
	"bufio"
	"fmt"
	"maps"
	"slices"
	"strings"

	"logitscope/viz"
)

// WriteBlocks prints columns side by side. Where width is not 0 and they are
// wider, they go below each other in blocks, each with the fixed ones.
func WriteBlocks(out *bufio.Writer, fixed, columns []Column, width int) {
	for first := 0; first < len(columns); {
		last := first
		block := fixed
		for last < len(columns) && (last == first || width == 0 || tableWidth(append(block, columns[last])) <= width) {
			block = append(block[:len(block):len(block)], columns[last])
			last++
		}
		if first > 0 {
			fmt.Fprintln(out)
		}
		writeColumns(out, block)
		first = last
	}
}

// A Column is a head and a text for every line.
type Column struct {
	Head  string
	Left  bool // is aligned to the left, and not as numbers are
	Cells []string
}

// FormatReasons writes how many texts ended for each reason: "eos 3, length 1".
func FormatReasons(n map[string]int) string {
	var parts []string
	for _, reason := range slices.Sorted(maps.Keys(n)) {
		parts = append(parts, fmt.Sprintf("%s %d", reason, n[reason]))
	}
	return strings.Join(parts, ", ")
}

const columnGap = 2

func (c Column) width() int {
	w := viz.Width(c.Head)
	for _, s := range c.Cells {
		w = max(w, viz.Width(s))
	}
	return w
}

func tableWidth(columns []Column) int {
	w := -columnGap
	for _, c := range columns {
		w += c.width() + columnGap
	}
	return w
}

// writeColumns prints columns side by side: numbers to the right.
func writeColumns(out *bufio.Writer, columns []Column) {
	line := func(text func(c Column) string) {
		var b strings.Builder
		for i, c := range columns {
			if i > 0 {
				b.WriteString(strings.Repeat(" ", columnGap))
			}
			s := text(c)
			pad := strings.Repeat(" ", c.width()-viz.Width(s))
			if c.Left {
				b.WriteString(s + pad)
			} else {
				b.WriteString(pad + s)
			}
		}
		fmt.Fprintln(out, strings.TrimRight(b.String(), " "))
	}
	line(func(c Column) string { return c.Head })
	for i := range columns[0].Cells {
		line(func(c Column) string { return c.Cells[i] })
	}
}
