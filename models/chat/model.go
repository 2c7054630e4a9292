package chat

import (
	"fmt"

	"logitscope/models"
)

// Of returns a model's chat template. The error says that it has none, or what
// is wrong with it.
func Of(m models.Model) (*Template, error) {
	info := m.Info()
	if info.ChatTemplate == "" {
		return nil, fmt.Errorf("%s has no chat template", info.Name)
	}
	bos, eos := "", ""
	return Parse(info.ChatTemplate, Tokens{&bos, &eos})
}
