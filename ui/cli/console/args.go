package console

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// NoArgs refuses arguments that are not flags.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		if s := switchOf(cmd, args[0]); s != "" {
			return Wrong("--%s %s: it is a switch; --%s=%s", s, args[0], s, args[0])
		}
		if cmd.HasSubCommands() {
			var names []string
			for _, c := range cmd.Commands() {
				if c.IsAvailableCommand() {
					names = append(names, c.Name())
				}
			}
			return Wrong("%s: no such command; %s", args[0], strings.Join(names, ", "))
		}
		return Wrong("%s: unexpected argument; flags only, see %s --help", args[0], cmd.CommandPath())
	}
	return nil
}

// Unused refuses the first of some flags that was given; why says what would
// read it.
func Unused(f *pflag.FlagSet, why string, flags ...string) error {
	for _, name := range flags {
		if f.Changed(name) {
			return Wrong("--%s: has no effect, %s", name, why)
		}
	}
	return nil
}

// switchOf is the switch that an argument was meant for as its value, as in
// "--do-sample true"; empty if it cannot be one. Of several it is the first.
func switchOf(cmd *cobra.Command, arg string) (name string) {
	if _, err := strconv.ParseBool(arg); err != nil {
		return ""
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if name == "" && f.NoOptDefVal == "true" && f.Value.String() == "true" {
			name = f.Name
		}
	})
	return name
}
