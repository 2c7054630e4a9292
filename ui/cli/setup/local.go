package setup

import (
	"slices"

	"github.com/spf13/pflag"

	"logitscope/models"
	"logitscope/models/llama"
	"logitscope/ui/cli/console"
)

// Local says how a model runs here.
type Local struct {
	context   int
	kv        string
	arith     string
	flashAttn string
}

// Add declares the flags.
func (l *Local) Add(f *pflag.FlagSet) {
	f.IntVar(&l.context, "context", 0, "context length in tokens; 0 is the model's own")
	f.StringVar(&l.kv, "kv-type", "", "type of the KV cache: f32 or f16; without it f32, and f16 with --arith llama.cpp")
	f.StringVar(&l.arith, "arith", llama.Exact.String(), "arithmetic of a model that runs here: exact; llama.cpp for the same bits as llama.cpp on AVX2, llama.cpp-old as its builds before March 2025")
	f.StringVar(&l.flashAttn, "flash-attn", "off", "flash attention of --arith llama.cpp, with an f16 cache: on or off")
}

// idle are the flags that were given and that m, which has been opened, does
// not read, since it does not run here.
func (l Local) idle(m models.Model) (flags []string) {
	if i := m.Info(); i.Arithmetic.Name != "" && !i.Caps.Recorded {
		return nil
	}
	if l.context != 0 {
		flags = append(flags, "context")
	}
	if l.kv != "" {
		flags = append(flags, "kv-type")
	}
	return flags
}

// kvTypes are the values of --kv-type; empty is what the arithmetic takes.
var kvTypes = map[string]llama.KVType{"f32": llama.F32, "f16": llama.F16}

// with returns l with the value of a key of a lane, and whether there is such
// a key.
func (l Local) with(key, value string) (Local, bool) {
	keys := map[string]*string{"arith": &l.arith, "kv-type": &l.kv, "flash-attn": &l.flashAttn}
	at, ok := keys[key]
	if ok {
		*at = value
	}
	return l, ok
}

// Check refuses an arithmetic that m, which has been opened, does not compute
// in: a server has its own, and a table or a recording none.
func (l Local) Check(m models.Model) error {
	if opt, err := l.options(); err != nil || !opt.Arith.Foreign() || m.Info().Arithmetic.Foreign() {
		return err
	}
	return console.Wrong("--arith %s: only for a model that runs here, not %s", l.arith, m.Info().Name)
}

// options returns what the flags say.
func (l Local) options() (llama.Options, error) {
	opt := llama.Options{ContextLen: l.context, FlashAttention: l.flashAttn == "on"}
	if l.context < 0 {
		return opt, console.Wrong("--context %d: 1 or more, or 0 for the model's own", l.context)
	}
	var err error
	if opt.Arith, err = llama.ParseArith(l.arith); err != nil {
		return opt, console.Wrong("--arith %w", err)
	}
	if !slices.Contains([]string{"on", "off"}, l.flashAttn) {
		return opt, console.Wrong("--flash-attn %s: on or off", l.flashAttn)
	}
	if opt.FlashAttention && !opt.Arith.Foreign() {
		return opt, console.Wrong("--flash-attn on: only with --arith %s", llama.LlamaCPP)
	}
	switch kv, ok := kvTypes[l.kv]; {
	case ok && kv != llama.F16 && opt.FlashAttention:
		return opt, console.Wrong("--kv-type %s: flash attention takes a cache of f16; f16, or --flash-attn off", l.kv)
	case ok:
		opt.KVType = kv
	case l.kv != "":
		return opt, console.Wrong("--kv-type %s: f32 or f16", l.kv)
	case opt.Arith.Foreign():
		opt.KVType = llama.F16
	}
	return opt, nil
}
