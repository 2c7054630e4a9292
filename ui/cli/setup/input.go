package setup

import (
	"bytes"

	"logitscope/engine/bench/prompts"
	"logitscope/ui/cli/console"
)

// Text returns the text to continue and whether one was given.
func (s *Flags) Text() (string, bool, error) {
	if !s.FlagSet.Changed("prompt-file") {
		return s.Prompt, s.FlagSet.Changed("prompt"), nil
	}
	if s.promptText == nil {
		if s.FlagSet.Changed("prompt") {
			return "", false, console.Wrong("--prompt and --prompt-file: one of them")
		}
		data, err := s.ReadFile("--prompt-file", s.PromptFile)
		if err != nil {
			return "", false, err
		}
		if prompts.IsSet(data) {
			return "", false, console.Wrong("--prompt-file %s: is a set of prompts, not one; bench takes it with --prompts", s.PromptFile)
		}
		text := string(data)
		s.promptText = &text
	}
	return *s.promptText, true, nil
}

// ReadFile reads the file that a flag names, without a byte order mark; "-" is
// standard input.
func (s *Flags) ReadFile(flag, name string) ([]byte, error) {
	if err := s.takeInput(flag, name); err != nil {
		return nil, err
	}
	data, err := console.ReadFile(s.Sys, name)
	if err != nil {
		return nil, console.Wrong("%s %w", flag, err)
	}
	return bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), nil
}

// takeInput marks standard input as read by a flag if that is what it names:
// only one can have it.
func (s *Flags) takeInput(flag, name string) error {
	if name != "-" {
		return nil
	}
	if s.Stdin != "" {
		return console.Wrong("%s -: standard input is for %s", flag, s.Stdin)
	}
	s.Stdin = flag
	return nil
}

// LabPrompt is the prompt the lab opens with: wide open, and well inside what
// the built-in model was trained on.
const LabPrompt = "Once upon a time there was a little fox who lived in the"
