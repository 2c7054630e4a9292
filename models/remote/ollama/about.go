package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"logitscope/models"
	"logitscope/models/chat"
	"logitscope/models/remote"
)

// split separates NAME[@URL]; an address alone has no name.
func split(rest string) (address, model string) {
	if strings.HasPrefix(rest, "http://") || strings.HasPrefix(rest, "https://") {
		return rest, ""
	}
	return remote.SplitAt(rest)
}

// Params is the engine under whose names Ollama's models recommend settings.
const Params = "ollama"

// A tag is a model of the server.
type tag struct {
	Name   string `json:"name"`
	Digest string `json:"digest"`
}

func tags(ctx context.Context, c *remote.Client) ([]tag, error) {
	var list struct {
		Models []tag `json:"models"`
	}
	err := c.Get(ctx, "/api/tags", &list)
	return list.Models, err
}

// has lists the server's models, for an error.
func has(ctx context.Context, c *remote.Client) string {
	list, err := tags(ctx, c)
	if err != nil {
		return "what it has cannot be listed: " + remote.OneLine(err.Error(), 200)
	}
	if len(list) == 0 {
		return "it has no models"
	}
	var names []string
	for _, t := range list {
		names = append(names, strings.TrimSuffix(t.Name, ":latest"))
	}
	slices.Sort(names)
	const most = 20
	if n := len(names); n > most {
		names = append(names[:most], "and "+strconv.Itoa(n-most)+" more")
	}
	return "it has " + remote.OneLine(strings.Join(names, ", "), 300)
}

// digest returns the digest of a model, or "" where the server does not list
// it.
func digest(ctx context.Context, c *remote.Client, model string) (string, error) {
	list, err := tags(ctx, c)
	if err != nil && !remote.IsRefusal(err) {
		return "", err
	}
	for _, t := range list {
		if t.Name == model || t.Name == model+":latest" {
			return t.Digest, nil
		}
	}
	return "", nil
}

// notFound adds the models there are to an error that says that one is not.
func notFound(ctx context.Context, c *remote.Client, err error) error {
	var e *remote.Error
	if errors.As(err, &e) && e.Status == http.StatusNotFound {
		e.Msg += "; " + has(ctx, c)
	}
	return err
}

// parameters reads the settings that /api/show writes as text: a name and a
// value a line, texts quoted as in Go. A name that stands twice is a list.
func parameters(text string) map[string]any {
	var out map[string]any
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), " ")
		if value = strings.TrimSpace(value); !ok || value == "" {
			continue
		}
		if out == nil {
			out = map[string]any{}
		}
		var v any = value
		if s, err := strconv.Unquote(value); err == nil {
			v = s
		} else if f, err := strconv.ParseFloat(value, 64); err == nil {
			v = f
		} else if b, err := strconv.ParseBool(value); err == nil {
			v = b
		}
		switch old := out[name].(type) {
		case nil:
			out[name] = v
		case []any:
			out[name] = append(old, v)
		default:
			out[name] = []any{old, v}
		}
	}
	return out
}

// renderChat lets the server wrap a conversation, which knows models whose
// template is code; a server that cannot is stood in for here.
func (b *backend) renderChat(ctx context.Context, turns []models.Message) (string, error) {
	type turn struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	list := []turn{}
	for _, m := range turns {
		list = append(list, turn(m))
	}
	var answer struct {
		Debug *struct {
			Rendered string `json:"rendered_template"`
		} `json:"_debug_info"`
	}
	err := b.c.Retry(ctx, true, func(ctx context.Context) error {
		// A server that does not know the field makes one token.
		return b.c.Post(ctx, "/api/chat", map[string]any{
			"model": b.model, "messages": list, "stream": false, "truncate": false, "_debug_render_only": true, "options": map[string]any{"num_predict": 1},
		}, &answer)
	})
	switch {
	case err == nil && answer.Debug != nil:
		return answer.Debug.Rendered, nil
	case err != nil && !remote.IsRefusal(err):
		return "", err
	case b.template == "":
		return "", b.c.Errorf(remote.Unsuitable, "has no template for conversations with %s", remote.OneLine(b.model, 80))
	}
	return chat.RenderGo(b.template, b.system, b.first, turns, time.Now())
}

// stable is what /api/show says of a model, without what changes by itself.
func stable(body []byte) []byte {
	var page map[string]json.RawMessage
	if json.Unmarshal(body, &page) != nil {
		return body
	}
	delete(page, "modified_at")
	b, err := json.Marshal(page) // sorted by name
	if err != nil {
		return body
	}
	return b
}
