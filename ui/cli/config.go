package cli

import (
	"bytes"

	"github.com/spf13/cobra"

	"logitscope/sampling"
)

func newConfig(sys System) *cobra.Command {
	return &cobra.Command{Use: "config", Args: noArgs}
}

func newSweep(sys System) *cobra.Command {
	return &cobra.Command{Use: "sweep", Args: noArgs}
}

func importConfig(data []byte, name string) (sampling.Config, error) {
	return sampling.DecodeConfig(bytes.NewReader(data), name, sampling.FromFile)
}

func importModelDefaults(map[string]any) (sampling.Config, error) { return sampling.Config{}, nil }
