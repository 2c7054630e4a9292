package inside

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// What was seen is written for other programs: as tables for people
// (comma-separated values), and whole, as arrays of NumPy.

// writeNPY writes an array of float32 in NumPy's format, version 1.0, the last
// index running fastest.
func writeNPY(w io.Writer, values []float32, shape ...int) error {
	size := 1
	dims := make([]string, len(shape))
	for i, n := range shape {
		size *= n
		dims[i] = strconv.Itoa(n)
	}
	if size != len(values) {
		return fmt.Errorf("%d values for an array of %d", len(values), size)
	}
	tuple := strings.Join(dims, ", ")
	if len(shape) == 1 {
		tuple += ","
	}
	head := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }", tuple)
	const magic, align = "\x93NUMPY\x01\x00", 64
	head += strings.Repeat(" ", align-1-(len(magic)+2+len(head))%align) + "\n"
	out := make([]byte, 0, len(magic)+2+len(head)+4*size)
	out = append(out, magic...)
	out = binary.LittleEndian.AppendUint16(out, uint16(len(head)))
	out = append(out, head...)
	for _, v := range values {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
	}
	_, err := w.Write(out)
	return err
}

// A File is a file of what was seen.
type File struct {
	Name string
	Data []byte
}

// savedBest is how many tokens of a layer the table of the lens has.
const savedBest = 20

// Files returns what was seen as files whose names begin with a word: the
// logits of every layer at the last position, (layers+1, vocabulary), and the
// attention there, (layers, heads, positions) with NaN for heads that a layer
// does not have; beside each a table, of the best tokens and of all weights.
// name is what a token is called in the tables.
func (in *Insight) Files(begin string, name func(id int32) string) ([]File, error) {
	var files []File
	add := func(end string, write func(w io.Writer) error) error {
		var b bytes.Buffer
		err := write(&b)
		files = append(files, File{begin + end, b.Bytes()})
		return err
	}
	layers, n := in.Anatomy.Layers(), in.Inside.Len
	err := add("-lens.npy", func(w io.Writer) error {
		return writeNPY(w, slices.Concat(in.Lens...), layers+1, len(in.Lens[0]))
	})
	if err == nil {
		err = add("-lens.csv", func(w io.Writer) error { return in.lensTable(w, name) })
	}
	most := slices.Max(in.Anatomy.Heads)
	if err == nil {
		err = add("-attention.npy", func(w io.Writer) error {
			var all []float32
			for l, heads := range in.Anatomy.Heads {
				all = append(all, in.Inside.Attention[l]...)
				all = append(all, slices.Repeat([]float32{float32(math.NaN())}, (most-heads)*n)...)
			}
			return writeNPY(w, all, layers, most, n)
		})
	}
	if err == nil {
		err = add("-attention.csv", func(w io.Writer) error { return in.attentionTable(w, name) })
	}
	return files, err
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', 7, 64) }

func (in *Insight) lensTable(w io.Writer, name func(int32) string) error {
	c := csv.NewWriter(w)
	rows := [][]string{{"layer", "rank", "id", "token", "logit", "probability"}}
	for l, logits := range in.Lens {
		law := law(logits)
		for i, id := range Best(logits, savedBest) {
			rows = append(rows, []string{strconv.Itoa(l), strconv.Itoa(i + 1), strconv.Itoa(int(id)), name(id), number(float64(logits[id])), number(law[id])})
		}
	}
	return c.WriteAll(rows)
}

func (in *Insight) attentionTable(w io.Writer, name func(int32) string) error {
	c := csv.NewWriter(w)
	rows := [][]string{{"layer", "head", "position", "id", "token", "weight"}}
	for l, heads := range in.Anatomy.Heads {
		for h := range heads {
			for pos, v := range in.Inside.Head(l, h) {
				id := in.Tokens[pos]
				rows = append(rows, []string{strconv.Itoa(l + 1), strconv.Itoa(h + 1), strconv.Itoa(pos), strconv.Itoa(int(id)), name(id), number(float64(v))})
			}
			if s := in.Inside.Sinks[l][h]; s > 0 {
				rows = append(rows, []string{strconv.Itoa(l + 1), strconv.Itoa(h + 1), "", "", "sink", number(float64(s))})
			}
		}
	}
	return c.WriteAll(rows)
}
