package exchange

import (
	"slices"

	"logitscope/sampling"
	"logitscope/sampling/value"
)

// WithIDs returns c with the token ids of texts that have a bias, as encode
// gives them: few formats take texts.
func WithIDs(c sampling.Config, encode func(string) []int32) sampling.Config {
	set, ok := c.Lookup("logit_bias")
	if !ok {
		return c
	}
	biases := slices.Clone(set.Value.([]value.TokenBias))
	for i, b := range biases {
		if b.Tokens == nil {
			biases[i] = value.TokenBias{Tokens: encode(b.Text), Bias: b.Bias}
		}
	}
	if with, err := c.With("logit_bias", biases, set.Origin); err == nil {
		return with
	}
	return c // a text without a token stays a text
}
