package measure

import (
	"encoding/base64"
	"fmt"
	"io"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"logitscope/models"
	"logitscope/models/tape/logprobs"
	"logitscope/ui/cli/console"
	"logitscope/ui/cli/laws"
	"logitscope/ui/cli/setup"
	"logitscope/viz"
)

// maxDiffer is the most steps of which both rows are shown.
const maxDiffer = 1000

// Score returns the command score.
func Score(sys console.System) *cobra.Command {
	var o textOptions
	var file, report, format string
	var response int
	cmd := &cobra.Command{
		Use:   "score",
		Short: "how likely a text was, token by token: under a model, or from saved log probabilities",
		Long: `Score reads an existing text. With --text the model reads it, each token after
the true ones before it, and says how likely each was, what the settings would
have done to it, and the totals; texts longer than the context are read in
windows that overlap by half. --against puts the same
text through a second law, a lane's SPEC, on the same model or on one of the same
vocabulary (model=FILE), and says how far the two are apart. --watermark looks for
transformers' watermark with the watermark_ settings, and says what a mark would
cost on this text and after how many tokens it would be seen.

With --logprobs it reads saved responses with log probabilities: in the form of
the OpenAI APIs, which vLLM, SGLang and llama-server speak too, or in llama-server's,
Ollama's, SGLang's or TGI's own; whole, as a list, one a line, as batch output
or as a stream. The content tells which. A floor, such as -9999, counts as no
value and enters no sum.`,
		Example: `  logitscope score --text story.txt --preset chat
  echo -n "Paris" | logitscope score --text - --prompt "The capital of France is" --report json
  logitscope score --text story.txt --preset neutral --against neutral,temperature=0.7
  logitscope score --text story.txt --model a.Q8_0.gguf --against neutral,model=a.Q4_K.gguf
  logitscope run --prompt "Once upon a time" --watermark-bias 4 | logitscope score --text - --watermark
  logitscope score --logprobs batch.jsonl --response 2 --report json`,
		Args: console.NoArgs,
	}
	s := bencher{setup.Add(sys, cmd)}
	f := cmd.Flags()
	f.StringVar(&o.text, "text", "", "file with the text to read; - is standard input")
	f.StringVar(&o.tokens, "text-tokens", "", "the text as token ids, such as 1,8: what a run wrote, to the last bit")
	f.StringVar(&o.against, "against", "", "with --text: a second law, such as neutral,temperature=0.7 or chat,model=FILE")
	f.StringVar(&o.windows, "windows", windowsHalf, "of a long text: "+windowsHalf+", overlapping by half, or "+windowsLlama+", as its perplexity tool scores")
	f.IntVar(&o.differ, "differ", 3, "with --against: of how many of the most different steps both rows are shown")
	f.StringVar(&file, "logprobs", "", "file with saved responses")
	console.Reads(f, "a file", "text", "logprobs")
	f.StringVar(&report, "report", "", "one JSON object, or with --text a page: json or html")
	f.StringVar(&format, "format", "table", "table or jsonl")
	f.BoolVar(&o.mark, "watermark", false, "with --text: count the green tokens of a watermark (--watermark-key, …) and say what it costs")
	f.IntVar(&response, "response", 1, "with --logprobs: which of the responses, from 1")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		form := format
		switch {
		case report != "" && report != "json" && report != "html":
			return console.Wrong("--report %q: must be json or html", report)
		case report == "html" && file != "":
			return console.Wrong("--report html goes with --text; with --logprobs it must be json")
		case report != "":
			form = report
		case format != "table" && format != "jsonl":
			return console.Wrong("--format %q: must be table or jsonl", format)
		}
		switch {
		case o.windows != windowsHalf && o.windows != windowsLlama:
			return console.Wrong("--windows %q: must be %s or %s", o.windows, windowsHalf, windowsLlama)
		case o.differ < 0 || o.differ > maxDiffer:
			return console.Wrong("--differ %d: must be 0 to %d", o.differ, maxDiffer)
		case o.text == "" && o.tokens == "" && file == "":
			return console.Wrong("score needs a text: --text FILE, or --logprobs FILE")
		case o.text != "" && o.tokens != "":
			return console.Wrong("--text and --text-tokens: one of them")
		case (o.text != "" || o.tokens != "") && file != "":
			return console.Wrong("--text and --logprobs: one of them")
		case file == "" && f.Changed("response"):
			return console.Wrong("--response goes with --logprobs")
		case o.text != "" || o.tokens != "":
			return s.scoreText(cmd.Context(), o, form)
		}
		if name := besides(f, "logprobs", "response", "report", "format"); name != "" {
			return console.Wrong("--%s goes with --text", name)
		}
		r, err := readScore(file, response)
		if err != nil {
			return console.Wrong("--logprobs %w", err)
		}
		if form == "json" {
			return console.WriteLine(sys.Out, r)
		}
		return r.print(sys.Out)
	}
	return cmd
}

// besides returns the first flag that was given and is none of names; empty for
// none.
func besides(f *pflag.FlagSet, names ...string) (name string) {
	f.Visit(func(flag *pflag.Flag) {
		if name == "" && !slices.Contains(names, flag.Name) {
			name = flag.Name
		}
	})
	return name
}

// A scoreReport is what score --report json prints.
type scoreReport struct {
	Format       logprobs.Format `json:"format"`
	Responses    int             `json:"responses"`
	Model        *string         `json:"model"`
	Text         string          `json:"text"`
	Tokens       []scoreToken    `json:"tokens"`
	PromptTokens []scoreToken    `json:"prompt_tokens,omitempty"`
	PromptBits   *float64        `json:"prompt_bits,omitempty"`
	Bits         float64         `json:"bits"`
	PerToken     *float64        `json:"bits_per_token"`
	PerByte      *float64        `json:"bits_per_byte"`
	Perplexity   *float64        `json:"perplexity"`
	Missing      int             `json:"missing"`
	Notes        []scoreNote     `json:"notes"`

	number int // of the response, from 1
}

// A scoreToken is one token; a name is its text or its bytes, if known.
type scoreToken struct {
	Text    *string  `json:"text,omitempty"`
	Bytes   string   `json:"bytes_base64,omitempty"`
	ID      *int32   `json:"id,omitempty"`
	Logprob *float64 `json:"logprob"`
	Floor   bool     `json:"floor,omitempty"`
	Rank    int      `json:"rank,omitempty"`
	Top     [][2]any `json:"top"`
}

type scoreNote struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
	Text  string `json:"text"`
}

// maxTop is how many tokens of a list the report has.
const maxTop = 20

// readScore reads response n of a file.
func readScore(name string, n int) (*scoreReport, error) {
	f, err := models.OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all, err := logprobs.Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if n < 1 || n > len(all.Responses) {
		return nil, fmt.Errorf("%s: no response %d, it has %d with log probabilities", name, n, len(all.Responses))
	}
	r := newScoreReport(all, all.Responses[n-1])
	r.number = n
	return r, nil
}

func newScoreReport(f *logprobs.File, r *logprobs.Response) *scoreReport {
	out := &scoreReport{Format: r.Format, Responses: len(f.Responses), Text: r.Text, Tokens: scoreTokens(r.Tokens), Notes: scoreNotes(f, r)}
	if r.Model != "" {
		out.Model = &r.Model
	}
	var valued, bytes int
	var known bool
	out.Bits, valued, bytes, known = sumBits(r.Tokens)
	out.Missing = len(r.Tokens) - valued
	if valued > 0 {
		per := out.Bits / float64(valued)
		out.PerToken, out.Perplexity = &per, laws.Known(math.Exp2(per))
		if known && bytes > 0 {
			x := out.Bits / float64(bytes)
			out.PerByte = &x
		}
	}
	if r.Prompt != nil {
		bits, _, _, _ := sumBits(r.Prompt)
		out.PromptTokens, out.PromptBits = scoreTokens(r.Prompt), &bits
	}
	return out
}

// sumBits adds up the tokens that have a value, and the bytes of those; known
// is false if one has bytes that are not known.
func sumBits(tokens []logprobs.Token) (bits float64, valued, bytes int, known bool) {
	known = true
	for i := range tokens {
		t := &tokens[i]
		if !t.Has() {
			continue
		}
		valued++
		bits -= t.Logprob / math.Ln2
		switch {
		case t.Special:
		case t.Bytes == nil:
			known = false
		default:
			bytes += len(t.Bytes)
		}
	}
	return bits + 0, valued, bytes, known
}

func scoreTokens(tokens []logprobs.Token) []scoreToken {
	out := make([]scoreToken, len(tokens))
	for i := range tokens {
		t := &tokens[i]
		s := scoreToken{Floor: t.Floor, Rank: t.Rank, Top: [][2]any{}}
		if t.ID >= 0 {
			s.ID = &t.ID
		}
		switch {
		case !t.Known():
		case t.Bytes != nil && !utf8.Valid(t.Bytes):
			s.Bytes = base64.StdEncoding.EncodeToString(t.Bytes)
		default:
			s.Text = &t.Text
		}
		if t.Has() {
			s.Logprob = &t.Logprob
		}
		for _, e := range t.Top[:min(len(t.Top), maxTop)] {
			s.Top = append(s.Top, [2]any{entryName(&e.Piece), e.Logprob})
		}
		out[i] = s
	}
	return out
}

func entryName(p *logprobs.Piece) any {
	switch {
	case !p.Known():
		return map[string]int32{"id": p.ID}
	case p.Bytes != nil && !utf8.Valid(p.Bytes):
		return map[string]string{"bytes_base64": base64.StdEncoding.EncodeToString(p.Bytes)}
	}
	return p.Text
}

// scoreNotes says what must be known about the numbers.
func scoreNotes(f *logprobs.File, r *logprobs.Response) []scoreNote {
	count := func(is func(t *logprobs.Token) bool) (n int) {
		for i := range r.Tokens {
			if is(&r.Tokens[i]) {
				n++
			}
		}
		return n
	}
	one := func(yes bool) int {
		if yes {
			return 1
		}
		return 0
	}
	notes := []scoreNote{}
	for _, n := range []scoreNote{
		{"floor", count(func(t *logprobs.Token) bool { return t.Floor }), "tokens of which the server says only that they are less likely than what it lists: in no sum"},
		{"clipped", count(func(t *logprobs.Token) bool { return t.Clipped }), "tokens with a value a little above 0, taken for 0"},
		{"outside_top", count((*logprobs.Token).Outside), "tokens that are not in their own list"},
		{"post_sampling", count(func(t *logprobs.Token) bool { return t.Sampled }), "tokens with probabilities after sampling: not the model's own"},
		{"replacement", count(func(t *logprobs.Token) bool { return t.Known() && t.Replaced() }), "tokens whose bytes are lost: U+FFFD stands for them"},
		{"text_differs", one(r.Differs()), "the tokens do not join to the text"},
		{"unfinished", one(r.Unfinished), "the stream has no end"},
		{"without", f.Without, "responses without log probabilities"},
	} {
		if n.Count > 0 {
			notes = append(notes, n)
		}
	}
	return notes
}

// print writes the report for people.
func (r *scoreReport) print(w io.Writer) error {
	model := "a model without a name"
	if r.Model != nil {
		model = console.Visible(*r.Model)
	}
	fmt.Fprintf(w, "%s, %s · response %d of %d\n", model, r.Format, r.number, r.Responses)
	fmt.Fprintf(w, "%s in %s", bitsOf(r.Bits), viz.Plural(len(r.Tokens)-r.Missing, "token"))
	if r.PerToken != nil {
		fmt.Fprintf(w, " · %.4g bits a token · perplexity %.4g", *r.PerToken, math.Exp2(*r.PerToken))
	}
	if r.PerByte != nil {
		fmt.Fprintf(w, " · %.4g bits a byte", *r.PerByte)
	}
	fmt.Fprintln(w)
	if r.PromptBits != nil {
		fmt.Fprintf(w, "prompt: %s in %s\n", bitsOf(*r.PromptBits), viz.Plural(len(r.PromptTokens), "token"))
	}
	for _, n := range r.Notes {
		fmt.Fprintf(w, "%d: %s\n", n.Count, n.Text)
	}
	for _, t := range r.Tokens {
		value, rank, name := "     –", "   –", "–"
		if t.Logprob != nil {
			value = fmt.Sprintf("%6.2f%%", 100*math.Exp(*t.Logprob))
		}
		if t.Rank > 0 {
			rank = fmt.Sprintf("%4d", t.Rank)
		}
		if t.Text != nil {
			name = fmt.Sprintf("%q", *t.Text)
		} else if t.Bytes != "" {
			name = "bytes " + t.Bytes
		}
		if _, err := fmt.Fprintf(w, "%8s  %s  %s\n", value, rank, console.Visible(name)); err != nil {
			return err
		}
	}
	return nil
}

func bitsOf(x float64) string { return fmt.Sprintf("%.4f bits", x) }
