package value

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Show returns a parameter's value as text: a number with at least as many
// decimals as step, lists by commas, what else there is as JSON.
func Show(v any, step float64) string {
	switch v := v.(type) {
	case nil:
		return "–"
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case uint64:
		return strconv.FormatUint(v, 10)
	case float64:
		return Decimals(v, step)
	case string:
		return v
	case []string:
		quoted := make([]string, len(v))
		for i, s := range v {
			quoted[i] = strconv.Quote(s)
		}
		return strings.Join(quoted, ", ")
	case []TokenBias:
		parts := make([]string, len(v))
		for i, b := range v {
			parts[i] = b.String()
		}
		return strings.Join(parts, ", ")
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}
