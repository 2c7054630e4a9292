package remotetest

import (
	"math"
	"strings"
	"testing"

	"logitscope/models/remote"
)

// FuzzClient is a client to read answers with that nobody sent.
func FuzzClient() *remote.Client { return &remote.Client{Name: "fuzz", Meter: &remote.Meter{}} }

// CheckAnswer checks what was read of some answer: an error is one line, and
// rows that can be distributions are.
func CheckAnswer(t *testing.T, err error, out *remote.Rows) {
	t.Helper()
	if err != nil {
		if strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("error %q", err)
		}
		return
	}
	for _, r := range out.List {
		if !r.Normalised() {
			continue
		}
		sum := 0.0
		for _, v := range r.Values {
			sum += math.Exp(float64(v))
		}
		if !(sum < 1.02) {
			t.Errorf("probabilities add up to %v", sum)
		}
	}
}
