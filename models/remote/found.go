package remote

import (
	"fmt"
	"strconv"
	"strings"

	"logitscope/models"
)

// ProbeText is split by the server to tell vocabularies apart.
const ProbeText = "The quick brown fox, 1234567890; naïve café — Ελλάδα Москва 東京 🙂\n\tif (x != 0) { return x[i]; }"

// CheckSize refuses what a server claims about itself if it cannot be true.
func CheckSize(c *Client, vocab, context int) error {
	switch {
	case vocab < 2 || vocab > MaxVocab:
		return c.Errorf(Malformed, "says that its vocabulary has %d tokens; 2 to %d can be", vocab, MaxVocab)
	case context < 2 || context > 1<<28:
		return c.Errorf(Malformed, "says that its context has %d tokens; 2 to %d can be", context, 1<<28)
	}
	return nil
}

// MaxVocab is the largest vocabulary accepted from a server.
const MaxVocab = 1 << 21

// TopWords says how much of a vocabulary a row has.
func TopWords(top, size int, what string) string {
	if top >= size {
		return fmt.Sprintf("%s of all %d tokens", what, size)
	}
	return fmt.Sprintf("%s of the top %d of %d tokens", what, top, size)
}

// KeyFacts say how the key was found, and where it goes in the clear.
func (c *Client) KeyFacts() []models.Fact {
	switch {
	case !c.hasKey:
		return nil
	case strings.HasPrefix(c.base, "http://") && !strings.Contains(c.Name, " 127.0.0.1") && !strings.Contains(c.Name, " localhost") && !strings.Contains(c.Name, " [::1]"):
		return []models.Fact{{Name: "key", Value: "from " + c.keyVar + ", sent without encryption (http)"}}
	}
	return []models.Fact{{Name: "key", Value: "from " + c.keyVar}}
}

// LossyFacts say that n pieces are not known byte by byte.
func LossyFacts(n int) []models.Fact {
	if n == 0 {
		return nil
	}
	return []models.Fact{{Name: "pieces", Value: Plural(n, "token") + " known only as U+FFFD: parts of characters the server does not spell out"}}
}

// SizeUnknown is the size given to a vocabulary whose server tells it to
// nobody; rows are partial then, so it only bounds ids.
const SizeUnknown = 1 << 18

// WholeLimit bounds the answer to the first request for a whole vocabulary,
// whose size is not known yet.
const WholeLimit = 256 * MiB

// PieceChunk is how many tokens are asked for their text at a time.
const PieceChunk = 1 << 14

// MaxSingles bounds how many names are asked for one request at a time.
const MaxSingles = 512

// AppendIDs appends token ids to the JSON of a request.
func AppendIDs(dst []byte, ids []int32) []byte {
	for i, id := range ids {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(dst, int64(id), 10)
	}
	return dst
}

// BodyLimit bounds an answer with top entries in all: what an entry takes at
// the most, apart from giant pieces, and room for the settings.
func BodyLimit(top int) int { return MiB + 512*top }

// ClampID keeps ids that do not fit an int32 out of the vocabulary.
func ClampID(id int) int32 {
	if id < 0 || id > MaxVocab {
		return models.NoToken
	}
	return int32(id)
}

// ModelList is the part of GET /v1/models that vLLM and SGLang fill in.
type ModelList struct {
	Data []struct {
		ID          string `json:"id"`
		Owner       string `json:"owned_by"`
		Root        string `json:"root"`
		MaxModelLen int    `json:"max_model_len"`
	} `json:"data"`
}
