package automaton_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"logitscope/sampling/constrain"
	"logitscope/sampling/constrain/automaton"
	"logitscope/sampling/constrain/constraintest"
	"logitscope/sampling/constrain/grammar"
	"logitscope/sampling/constrain/schema"
)

func TestMasksAgainstSlowTwinOnBench(t *testing.T) {
	v := constraintest.FableVocab(t)
	for i, c := range constraintest.BenchCases(t) {
		g, err := constrain.Compile(schema.New(c.Schema, schema.Options{AnyOrder: i%3 == 2}))
		if err != nil {
			continue
		}
		for j, d := range c.Valid {
			if testing.Short() && (i+j)%4 != 0 {
				continue
			}
			constraintest.CompareMasks(t, c.ID, g, v, constraintest.Spaced(constraintest.Compact(t, d)), 7)
		}
	}
}

func TestMasksAgainstSlowTwin(t *testing.T) {
	fable, dense := constraintest.FableVocab(t), constraintest.DenseVocab()
	for _, c := range constraintest.TwinCases {
		g := constraintest.Compile(t, c.Src)
		if ok, at := g.Check([]byte(c.Text)); !ok {
			t.Errorf("%s: %q rejected, dead at %d", c.Name, c.Text, at)
		}
		for _, v := range []*automaton.Vocab{fable, dense, constraintest.ByteVocab()} {
			constraintest.CompareMasks(t, c.Name, g, v, []byte(c.Text), 1)
		}
	}
}

// TestMasksOfManyWays has a grammar in which a token may be read in far more
// ways than one mask follows part by part.
func TestMasksOfManyWays(t *testing.T) {
	var ways strings.Builder
	for i := range 60 {
		fmt.Fprintf(&ways, " | \"a\" w%d", i)
	}
	src := "root ::= (\"b\"" + ways.String() + ")*\n"
	for i := range 60 {
		src += fmt.Sprintf("w%d ::= \"a\"? \"%d\"?\n", i, i)
	}
	pieces := [][]byte{nil}
	for n := 1; n < 24; n++ {
		pieces = append(pieces, bytes.Repeat([]byte("a"), n), append(bytes.Repeat([]byte("a"), n), "59b"...), append(bytes.Repeat([]byte("a"), n), "60"...))
	}
	v := constraintest.VocabOf(pieces, 0)
	g := constraintest.Compile(t, grammar.GBNF(src))
	constraintest.CompareMasks(t, "many ways", g, v, []byte("aaa17ba"), 1)
	m, err := g.Bind(v)
	if err != nil {
		t.Fatal(err)
	}
	m.Mask(m.Start(), make([]uint64, v.Words()))
	if n := m.Reaches(); n <= automaton.MaxReaches {
		t.Errorf("%d states gone through part by part, so the limit of %d was not tried", n, automaton.MaxReaches)
	}
}
