package logprobs

import "strings"

// responsesEvents are how the events of its streams are called.
const responsesEvents = "response."

// readResponses reads a response of the Responses API.
func readResponses(g *gatherer, p place, _ bool) error {
	r, err := responsesPart(p)
	if err != nil {
		return err
	}
	g.add(g.group("", false), r)
	return nil
}

func responsesPart(p place) (part, error) {
	r := part{over: true}
	r.Format = Responses
	var err error
	if r.Model, err = p.at("model").text(); err != nil {
		return r, err
	}
	output, err := p.at("output").all()
	if err != nil {
		return r, err
	}
	for _, m := range output {
		content, err := m.at("content").all()
		if err != nil {
			return r, err
		}
		for _, c := range content {
			text := c.at("text")
			if text.kind == null {
				text = c.at("refusal")
			}
			s, err := text.text()
			if err != nil {
				return r, err
			}
			if text.kind != null && m.at("type").str != "reasoning" {
				r.Text, r.said = r.Text+s, true
			}
			tokens := c.at("logprobs")
			if tokens.kind == list && len(tokens.items) > 0 {
				r.has = true
				if err := r.readTokens(tokens); err != nil {
					return r, err
				}
			}
		}
	}
	return r, nil
}

func isResponsesEvent(v *value) bool { return strings.HasPrefix(v.get("type").str, responsesEvents) }

// readResponsesEvent reads an event of a stream: the deltas, until the whole
// response comes and stands for them.
func readResponsesEvent(g *gatherer, p place, _ bool) error {
	whole := p.at("response")
	switch p.at("type").str {
	case "response.created":
		r := part{chunk: true}
		r.Format = Responses
		var err error
		if r.Model, err = whole.at("model").text(); err != nil {
			return err
		}
		g.add(g.group(streamed, len(g.open(streamed)) > 0), r)
	case "response.output_text.delta", "response.refusal.delta":
		r := part{chunk: true}
		r.Format, r.said = Responses, true
		var err error
		if r.Text, err = p.at("delta").text(); err != nil {
			return err
		}
		if tokens := p.at("logprobs"); tokens.kind == list && len(tokens.items) > 0 {
			r.has = true
			if err := r.readTokens(tokens); err != nil {
				return err
			}
		}
		g.add(g.group(streamed, true), r)
	case "response.completed", "response.incomplete":
		r, err := responsesPart(whole)
		if err != nil {
			return err
		}
		for i, x := range g.groups {
			if x.key == streamed && len(x.open) > 0 {
				g.groups = append(g.groups[:i], g.groups[i+1:]...)
				break
			}
		}
		g.add(g.group("", false), r)
	}
	return nil
}
