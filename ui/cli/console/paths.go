package console

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// Annotations of flags whose values name files.
const (
	readsKey  = "logitscope reads"
	writesKey = "logitscope writes"
)

// Reads marks flags that take the name of something that is read: what is "a
// file" or "a model". [CheckNames] goes by it.
func Reads(f *pflag.FlagSet, what string, flags ...string) { mark(f, readsKey, what, flags) }

// Writes marks flags that take the name of a file that is written.
func Writes(f *pflag.FlagSet, flags ...string) { mark(f, writesKey, "a file", flags) }

func mark(f *pflag.FlagSet, key, what string, flags []string) {
	for _, name := range flags {
		if err := f.SetAnnotation(name, key, []string{what}); err != nil {
			panic(err)
		}
	}
}

// mayBeEmpty are the flags whose empty value is one: a text, or a list.
var mayBeEmpty = map[string]bool{
	"about": true, "code": true, "keys": true, "prefill": true, "prompt": true, "prompt-tokens": true,
	"ssh": true, "system": true, "text-tokens": true, "tokens": true, "voter": true, "web": true,
}

// CheckNames refuses an empty argument, and an empty value of a flag that takes
// a word or a name, as an unset variable of a shell leaves it, and a file to be
// written that the same command line reads, args among it.
func CheckNames(f *pflag.FlagSet, args []string) (err error) {
	inputs := slices.Clone(args)
	if i := slices.Index(args, ""); i >= 0 {
		err = Wrong("argument %d: is empty", i+1)
	}
	f.Visit(func(flag *pflag.Flag) {
		what := slices.Concat(flag.Annotations[readsKey], flag.Annotations[writesKey])
		if len(what) > 0 && slices.Contains(values(flag), "") && err == nil {
			err = Wrong("--%s: want the name of %s", flag.Name, what[0])
		}
		if err == nil && flag.Value.Type() == "string" && flag.Value.String() == "" && !mayBeEmpty[flag.Name] {
			err = Wrong("--%s: want a value, given an empty one", flag.Name)
		}
		if flag.Annotations[readsKey] != nil {
			inputs = append(inputs, values(flag)...)
		}
	})
	f.Visit(func(flag *pflag.Flag) {
		if flag.Annotations[writesKey] == nil {
			return
		}
		for _, out := range values(flag) {
			if in, same := sameFile(out, inputs); same && err == nil {
				err = Wrong("--%s %s: is also read, as %s; want another file", flag.Name, out, in)
			}
		}
	})
	return err
}

// values are those of a flag, one or several.
func values(flag *pflag.Flag) []string {
	if s, ok := flag.Value.(pflag.SliceValue); ok {
		return s.GetSlice()
	}
	return []string{flag.Value.String()}
}

// sameFile finds the input that is the file out. An input may be a model:
// tape:FILE, FILE#2.
func sameFile(out string, inputs []string) (in string, ok bool) {
	to, err := os.Stat(out)
	if err != nil || !to.Mode().IsRegular() {
		return "", false
	}
	for _, in := range inputs {
		_, rest, _ := strings.Cut(in, ":")
		for _, name := range []string{in, rest} {
			bare, _, _ := strings.Cut(name, "#")
			for _, name := range []string{name, bare} {
				if from, err := os.Stat(name); err == nil && os.SameFile(from, to) {
					return in, true
				}
			}
		}
	}
	return "", false
}
