package prompts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

var (
	variableName = regexp.MustCompile(`^[\pL_][\pL0-9_]*$`)
	variable     = regexp.MustCompile(`\\?\{\{[ \t]*([\pL_][\pL0-9_]*)[ \t]*\}\}`)
)

// fill puts the values of variables in the place of their names in braces.
// What a value holds is not filled again, and a backslash keeps the braces. The
// error names the field and the name that is not a variable.
func fill(field, text string, vars []Var) (string, error) {
	if !strings.Contains(text, "{{") {
		return text, nil
	}
	var unknown string
	text = variable.ReplaceAllStringFunc(text, func(m string) string {
		if m[0] == '\\' {
			return m[1:]
		}
		name := strings.Trim(m, "{} \t")
		for _, v := range vars {
			if v.Name == name {
				return v.Value
			}
		}
		if unknown == "" {
			unknown = name
		}
		return m
	})
	if unknown == "" {
		return text, nil
	}
	if field != "" {
		field += ": "
	}
	return "", fmt.Errorf("%s{{%s}}: there is no variable %s", field, unknown, unknown)
}

// fillJSON fills the texts of a JSON value; names of members stay.
func fillJSON(field string, value json.RawMessage, vars []Var) (json.RawMessage, error) {
	if !bytes.Contains(value, []byte("{{")) {
		return value, nil
	}
	var out bytes.Buffer
	for i := 0; i < len(value); {
		if value[i] != '"' {
			out.WriteByte(value[i])
			i++
			continue
		}
		end := i + 1
		for value[end] != '"' {
			if value[end] == '\\' {
				end++
			}
			end++
		}
		end++
		literal := value[i:end]
		i = end
		if rest := bytes.TrimLeft(value[end:], " \t\r\n"); len(rest) > 0 && rest[0] == ':' {
			out.Write(literal)
			continue
		}
		var text string
		if err := json.Unmarshal(literal, &text); err != nil {
			return nil, err
		}
		filled, err := fill(field, text, vars)
		if err != nil {
			return nil, err
		}
		b, err := json.Marshal(filled)
		if err != nil {
			return nil, err
		}
		out.Write(b)
	}
	return out.Bytes(), nil
}
