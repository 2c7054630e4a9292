package setup

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"logitscope/sampling"
	"logitscope/sampling/param"
)

// usageWidth is the width to which the help of flags is wrapped.
const usageWidth = 80

// A heading is a part of a command's help: its title, and the flags below it by
// name, hidden ones too. The flags of parameters stand below the heading of their
// group.
type heading struct {
	title  string
	flags  []string
	params []param.Group
}

// headings lists the parts in their order. A flag that none of them has is the
// command's own and comes first.
var headings = []heading{
	{title: "Model and prompt", flags: []string{"model", "context", "kv-type", "arith", "flash-attn", "prompt", "prompt-file", "prompt-tokens"}},
	{title: "Conversation", flags: []string{"chat", "system", "messages", "prefill", "chat-template", "template-kwargs", "tools"}},
	{title: "Settings", flags: []string{"preset", "config", "order", "set", "schedule"}, params: []param.Group{param.Other}},
	{title: "Temperature and cuts", params: []param.Group{param.Sampling}},
	{title: "Penalties and bans", params: []param.Group{param.Penalty}},
	{title: "Length and ends", params: []param.Group{param.Limit}},
	{title: "Constraint", flags: constraintFlags()},
	{title: "Speculative decoding", flags: []string{"draft", "draft-method", "num-drafts", "draft-tree"}, params: []param.Group{param.Speculative}},
	{title: "Beam search", params: []param.Group{param.Beam}},
	{title: "Recording", flags: []string{"record", "rows", "cast"}},
	{title: "Screen", flags: []string{"theme", "ascii", "no-mouse", "fps"}},
}

func constraintFlags() (names []string) {
	for _, f := range sourceFlags {
		names = append(names, f.name)
	}
	for _, f := range optionFlags {
		names = append(names, f.name)
	}
	return names
}

// has reports whether f stands below h.
func (h *heading) has(f *pflag.Flag) bool {
	if slices.Contains(h.flags, f.Name) {
		return true
	}
	v, ok := f.Value.(*ParamFlag)
	return ok && !f.Hidden && slices.Contains(h.params, v.param.Group)
}

// Usage writes how cmd is used: its forms, examples and commands, and its flags
// by subject. It is a cobra usage function.
func Usage(cmd *cobra.Command) error {
	var b strings.Builder
	b.WriteString("Usage:\n")
	if cmd.Runnable() {
		fmt.Fprintf(&b, "  %s\n", cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s [command]\n", cmd.CommandPath())
	}
	if cmd.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\nCommands:\n")
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() || c.Name() == "help" {
				fmt.Fprintf(&b, "  %-*s %s\n", c.NamePadding(), c.Name(), c.Short)
			}
		}
	}
	usageOfFlags(&b, cmd.LocalFlags())
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n\"%s [command] --help\" says more about a command.\n", cmd.CommandPath())
	}
	_, err := io.WriteString(cmd.OutOrStderr(), b.String())
	return err
}

// usageOfFlags writes the flags under their headings.
func usageOfFlags(b *strings.Builder, flags *pflag.FlagSet) {
	parts := make([][]*pflag.Flag, 1+len(headings)) // those of no heading first
	more := false
	flags.VisitAll(func(f *pflag.Flag) {
		i := slices.IndexFunc(headings, func(h heading) bool { return h.has(f) })
		switch _, param := f.Value.(*ParamFlag); {
		case i >= 0 || !f.Hidden:
			parts[1+i] = append(parts[1+i], f)
		case param:
			more = true
		}
	})
	for i, part := range parts {
		if len(part) == 0 {
			continue
		}
		title := "Flags"
		if i > 0 {
			title = headings[i-1].title
		}
		slices.SortStableFunc(part, func(x, y *pflag.Flag) int { return cmp.Compare(place(x), place(y)) })
		shown := pflag.NewFlagSet("", pflag.ContinueOnError)
		shown.SortFlags = false
		for _, f := range part {
			f := *f
			f.Hidden, f.Usage = false, f.Usage+allowed(&f)
			shown.AddFlag(&f)
		}
		fmt.Fprintf(b, "\n%s:\n%s", title, shown.FlagUsagesWrapped(usageWidth))
	}
	if more {
		b.WriteString("\nThe other parameters that docs/formats.md lists are flags too.\n")
	}
}

// allowed lists the values of a flag whose parameter takes one of a few.
func allowed(f *pflag.Flag) string {
	v, ok := f.Value.(*ParamFlag)
	switch {
	case ok && v.param.Key == "order":
		var names []string
		for _, o := range sampling.Orders() {
			names = append(names, o.Name())
		}
		return " One of " + strings.Join(names, ", ") + ", or stages such as top_k,top_p,temperature."
	case ok && len(v.param.Choices) > 0:
		return " One of " + strings.Join(v.param.Choices, ", ") + "."
	}
	return ""
}

// place orders the flags below one heading: by name in its list, then parameters
// in the order of the screen's list.
func place(f *pflag.Flag) int {
	for i := range headings {
		if k := slices.Index(headings[i].flags, f.Name); k >= 0 {
			return k
		}
	}
	if v, ok := f.Value.(*ParamFlag); ok {
		return 1000 + slices.IndexFunc(param.All(), func(p param.Param) bool { return p.Key == v.param.Key })
	}
	return 0
}
