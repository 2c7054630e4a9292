package engine

import (
	"slices"

	"logitscope/models/chat"
	"logitscope/sampling"
)

// EndTurn returns a configuration under which a text also ends where a chat
// template ends the model's turn.
func EndTurn(cfg sampling.Config, ends chat.Ends) sampling.Config {
	stops, ids := cfg.Strings("stop"), cfg.TokenIDs("stop_token_ids")
	n, k := len(stops), len(ids)
	for _, text := range ends.Texts {
		if !slices.Contains(stops, text) {
			stops = append(slices.Clone(stops), text)
		}
	}
	for _, id := range ends.Tokens {
		if !slices.Contains(ids, id) {
			ids = append(slices.Clone(ids), id)
		}
	}
	if len(stops) > n {
		cfg = cfg.MustWith("stop", stops, sampling.FromModel)
	}
	if len(ids) > k {
		cfg = cfg.MustWith("stop_token_ids", ids, sampling.FromModel)
	}
	return cfg
}
