package config

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"logitscope/presets"
	"logitscope/presets/exchange"
	"logitscope/sampling"
	"logitscope/sampling/param"
	"logitscope/ui/cli/console"
	"logitscope/ui/cli/setup"
	"logitscope/ui/store"
)

func newConfigImport(sys console.System) *cobra.Command {
	var from, name, form string
	var strict bool
	var call int
	cmd := &cobra.Command{
		Use:   "import [FILE]",
		Short: "settings of another engine, as this program's own",
		Long: `Import reads settings in another engine's words, from a file or standard input,
and writes them as a file that --config reads: Python, JSON, curl and other
command lines, environment, compose, unit, INI and YAML files, Modelfiles. From
a model file (.gguf) it reads the settings that the file recommends. What can be
read is read; what is implied, set aside, not modelled, unread or unknown is
listed on standard error, never dropped in silence.`,
		Example: `  logitscope config import generation_config.json > mine.json
  echo "llama-cli -m x.gguf --temp 0.8 --top-k 40" | logitscope config import
  logitscope config import serve.py --call 2 --strict
  logitscope config import Modelfile --from ollama --name mine`,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return console.Wrong("config import: one file, or standard input")
			}
			file := "-"
			if len(args) == 1 {
				file = args[0]
			}
			if err := checkReport(form); err != nil {
				return err
			}
			if call < 1 {
				return console.Wrong("--call %d: must be 1 or more", call)
			}
			if err := store.CheckName(name); err != nil {
				return console.Wrong("--name %v", err)
			}
			opt := exchange.Options{Call: call}
			if from != "" {
				var err error
				if opt.From, err = exchange.FormatNamed(from); err != nil {
					return console.Wrong("--from %v", err)
				}
			}
			in, err := setup.ImportFile(sys, file, opt)
			if err != nil {
				return console.Wrongly(err)
			}
			if form != "" {
				err = console.WriteLine(sys.Out, in.Report())
			} else {
				tell(sys.Err, in)
				err = presets.Encode(sys.Out, presets.Preset{Name: name, About: "from " + in.Format.Name, Config: in.Config})
			}
			if err != nil || !strict {
				return err
			}
			return in.Strict()
		},
	}
	f := cmd.Flags()
	f.StringVar(&from, "from", "", "format, where it cannot be told: "+strings.Join(exchange.FormatNames(), ", "))
	f.StringVar(&name, "name", "imported", "name of the preset written")
	f.BoolVar(&strict, "strict", false, "exit 1 if anything is unread or unknown")
	f.IntVar(&call, "call", 1, "which of several calls or commands of the file to read")
	addReport(cmd, &form, "one JSON object with all that was read and was not")
	return cmd
}

// tell lists what an import did beyond the settings themselves.
func tell(w io.Writer, in *exchange.Imported) {
	fmt.Fprintf(w, "read as %s\n", in.Format.About)
	implied := make([]string, len(in.Implied))
	for i, key := range in.Implied {
		p, _ := param.Lookup(key)
		implied[i] = key + " " + p.Format(in.Config.Value(key))
	}
	for _, u := range in.Unread {
		fmt.Fprintln(w, console.Visible(u.String()))
	}
	for _, x := range []struct {
		what string
		list []string
	}{
		{"implied, since nothing says otherwise", implied}, {"note", in.Notes}, {"acts on tokens and is not modelled here", setup.Words(in.Acts)},
		{"set aside (chooses no token as it stands)", setup.Words(in.Aside)}, {"unknown", setup.Words(in.Unknown)},
	} {
		if len(x.list) > 0 {
			fmt.Fprintf(w, "%s: %s\n", x.what, console.Visible(strings.Join(x.list, ", ")))
		}
	}
}

func newConfigDiff(sys console.System) *cobra.Command {
	return &cobra.Command{
		Use:   "diff A B",
		Short: "two settings by effective value, in words",
		Long: `Diff compares two files in any of the formats, or presets, by the values in
force, and says what the engine of each makes of the other's.`,
		Example: `  logitscope config diff chat creative
  logitscope config diff generation_config.json Modelfile`,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return console.Wrong("config diff: want two files or presets")
			}
			var cfg [2]sampling.Config
			for i, name := range args {
				var err error
				if cfg[i], err = anyConfig(sys, name); err != nil {
					return console.Wrongly(err)
				}
			}
			for _, line := range presets.Diff(cfg[0], cfg[1], "A", "B") {
				if _, err := fmt.Fprintln(sys.Out, console.Visible(line)); err != nil {
					return err
				}
			}
			for i, name := range []string{"A", "B"} {
				if err := tellOther(sys.Out, name, cfg[i], cfg[1-i].Order()); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// tellOther says what the engine of an order makes of settings that are meant
// for another.
func tellOther(w io.Writer, name string, c sampling.Config, o sampling.Order) error {
	i := slices.IndexFunc(exchange.Targets(), func(t *exchange.Target) bool { return t.Format.Engine == o.Engine() })
	if i < 0 || o.Engine() == c.Order().Engine() {
		return nil
	}
	x, err := exchange.Export(c, exchange.Targets()[i])
	if err != nil {
		return err
	}
	x.Lost = slices.DeleteFunc(x.Lost, func(l exchange.Loss) bool { return !l.Lossy() })
	if len(x.Lost) == 0 {
		_, err := fmt.Fprintf(w, "%s makes the same of %s\n", o.Engine(), name)
		return err
	}
	fmt.Fprintf(w, "what %s makes of %s:\n", o.Engine(), name)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, l := range x.Lost {
		fmt.Fprintf(t, "  %s\t%s\n", l.Key, console.Visible(l.Text))
	}
	return t.Flush()
}

// anyConfig reads a preset or a file.
func anyConfig(sys console.System, name string) (sampling.Config, error) {
	p, err := setup.FindPreset(sys, name)
	if err == nil {
		return p.Config, nil
	}
	if _, err := os.Stat(name); os.IsNotExist(err) && name != "-" {
		return sampling.Config{}, fmt.Errorf("%s: no such file, and no such preset; %s", name, setup.PresetNames(sys))
	}
	in, err := setup.ImportFile(sys, name, exchange.Options{})
	if err != nil {
		return sampling.Config{}, err
	}
	return in.Config, nil
}
