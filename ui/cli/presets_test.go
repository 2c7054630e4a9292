package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// tryIn is try with a folder of presets and settings that outlives it.
func tryIn(t *testing.T, configDir, in string, args ...string) (out, errs string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	env := map[string]string{"LOGITSCOPE_CONFIG_DIR": configDir, "LOGITSCOPE_CACHE_DIR": t.TempDir()}
	code = Run(context.Background(), System{Args: args, In: strings.NewReader(in), Out: &o, Err: &e, Getenv: func(k string) string { return env[k] }})
	return o.String(), e.String(), code
}
