package answer

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"github.com/spf13/cobra"

	"logitscope/sampling/constrain"
	"logitscope/ui/cli/console"
	"logitscope/ui/cli/setup"
)

// Constrain returns the command constrain.
func Constrain(sys console.System) *cobra.Command {
	var vocabFile string
	cmd := &cobra.Command{
		Use:   "constrain SOURCE < texts.jsonl",
		Short: "check texts against a constraint, or print masks; no model needed",
		Long: `Constrain reads one {"id","text"} (or {"id","hex"}) a line and writes
{"id","accepted","dead_at"}: dead_at is the index of the first code point after
which nothing can complete the text, null while something still can. With
--vocab, each line also gets "allowed", the ids of the tokens that may follow, and
"eos". A source that is refused gives {"refused":[…]} and exit code 2.

JSON may hold any whitespace here, since it is checked and not written; a model's
masks are those of --whitespace bounded.`,
		Example: `  echo '{"id":1,"text":"{\"a\":1}"}' | logitscope constrain --json
  logitscope constrain --json-schema person.json < texts.jsonl
  logitscope constrain --regex '[a-z]+' --vocab pieces.json < texts.jsonl
  echo '{"tables":{"users":["id","name"]},"aliases":{"u":"users"}}' > tables.json
  echo '{"id":1,"text":"SELECT u.name FROM users AS u"}' | logitscope constrain --sql tables.json`,
		Args: console.NoArgs,
	}
	s := &setup.Flags{Sys: sys, FlagSet: cmd.Flags(), Stdin: "the texts"}
	setup.AddSource(cmd.Flags(), "any")
	cmd.Flags().StringVar(&vocabFile, "vocab", "", "JSON list of tokens, each in hex")
	console.Reads(cmd.Flags(), "a file", "vocab")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := console.Within(cmd.Context(), func() (*checker, error) {
			c := &checker{Flags: s}
			return c, c.compile(vocabFile)
		})
		var bad *setup.SourceError
		if errors.As(err, &bad) { // a source that is refused is data
			if err := console.WriteLine(sys.Out, map[string]any{"refused": constrain.Refusals(bad.Err)}); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
		return c.run(cmd.Context())
	}
	return cmd
}

// A checker answers lines about one grammar.
type checker struct {
	*setup.Flags
	grammar *constrain.Grammar
	matcher *constrain.Matcher // nil without a vocabulary
	mask    []uint64
}

// compile makes the grammar, and binds it to a vocabulary if there is one.
func (c *checker) compile(vocabFile string) error {
	text, err := c.Source()
	if err != nil {
		return err
	}
	if text.Text == "" {
		return console.Wrong("constrain needs a source: %s", strings.Join(setup.SourceNames(), ", "))
	}
	c.grammar, err = setup.CompileSource(text.Text, false)
	if err == nil && c.FlagSet.Changed("vocab") {
		var v *constrain.Vocab
		if v, err = c.readVocab(vocabFile); err != nil {
			return err
		}
		c.mask = make([]uint64, v.Words())
		c.matcher, err = c.grammar.Bind(v)
	}
	if err != nil {
		return console.Wrongly(&setup.SourceError{From: text.From, Err: err})
	}
	c.Notes = setup.NotesOf(text.From, c.grammar)
	c.TellNotes()
	return nil
}

// readVocab reads a JSON list of tokens in hex.
func (c *checker) readVocab(name string) (*constrain.Vocab, error) {
	data, err := c.ReadFile("--vocab", name)
	if err != nil {
		return nil, err
	}
	var list []string
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, console.Wrong("--vocab %s: must be a JSON list of tokens in hex", name)
	}
	pieces := make([][]byte, len(list))
	for i, x := range list {
		if pieces[i], err = hex.DecodeString(x); err != nil {
			return nil, console.Wrong("--vocab %s: token %d: %q is not hex", name, i, x)
		}
	}
	return constrain.NewVocab(func(id int32) []byte { return pieces[id] }, len(pieces), nil, nil), nil
}

// A judgement is one line of output.
type judgement struct {
	ID       json.RawMessage `json:"id"`
	Accepted *bool           `json:"accepted,omitempty"`
	DeadAt   *deadAt         `json:"dead_at,omitempty"`
	Allowed  *[]int32        `json:"allowed,omitempty"`
	EOS      *bool           `json:"eos,omitempty"`
	Error    string          `json:"error,omitempty"`
}

// deadAt is an index, or null for -1.
type deadAt int

func (d deadAt) MarshalJSON() ([]byte, error) {
	if d < 0 {
		return []byte("null"), nil
	}
	return json.Marshal(int(d))
}

// run answers every line; a bad one is answered with an error, and the exit
// code is 1 at the end.
func (c *checker) run(ctx context.Context) error {
	out := bufio.NewWriter(c.Sys.Out)
	bad := false
	err := console.EachLine(c.Sys.Input, out, func(n int, line []byte, long error) error {
		var q struct {
			ID   json.RawMessage `json:"id"`
			Text *string         `json:"text"`
			Hex  *string         `json:"hex"`
		}
		a := judgement{}
		err := json.Unmarshal(line, &q)
		a.ID = q.ID
		if a.ID == nil {
			a.ID = json.RawMessage("null")
		}
		var text []byte
		switch {
		case long != nil:
			err = fmt.Errorf("line %d: %w", n, long)
		case err != nil:
			err = fmt.Errorf("line %d: must be a JSON object with text or hex", n)
		case q.Text != nil && q.Hex == nil:
			text = []byte(*q.Text)
		case q.Hex != nil && q.Text == nil:
			if text, err = hex.DecodeString(*q.Hex); err != nil {
				err = fmt.Errorf("line %d: hex: %.40q is not hex", n, *q.Hex)
			}
		default:
			err = fmt.Errorf("line %d: must have one of text and hex", n)
		}
		if err != nil {
			bad = true
			a.Error = err.Error()
			return console.WriteLine(out, a)
		}
		a, err = console.Within(ctx, func() (judgement, error) { return c.check(a.ID, text), nil })
		if err != nil {
			return err
		}
		return console.WriteLine(out, a)
	})
	if err == nil && bad {
		err = &console.ExitError{Code: console.ExitFailed}
	}
	return err
}

// check answers the line id about text.
func (c *checker) check(id json.RawMessage, text []byte) judgement {
	accepted, at := c.grammar.Check(text)
	dead := deadAt(at)
	a := judgement{ID: id, Accepted: &accepted, DeadAt: &dead}
	if c.matcher == nil {
		return a
	}
	allowed, end := []int32{}, false
	if state, _, died := c.matcher.AcceptBytes(c.matcher.Start(), text); !died {
		info := c.matcher.Mask(state, c.mask)
		end = info.EOSAllowed
		for i, w := range c.mask {
			for ; w != 0; w &= w - 1 {
				allowed = append(allowed, int32(i*64+bits.TrailingZeros64(w)))
			}
		}
	}
	a.Allowed, a.EOS = &allowed, &end
	return a
}
