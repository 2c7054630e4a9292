package openai

import (
	"fmt"
	"testing"

	"logitscope/models"
)

func TestGrowing(t *testing.T) {
	v := newGrowing()
	ids := v.Encode("aéa", models.EncodeOptions{})
	if fmt.Sprint(ids) != "[0 1 0]" || v.Piece(1) != "é" || v.Attr(1) != models.Normal || v.Attr(2) != models.Unused {
		t.Errorf("%v %q", ids, v.Piece(1))
	}
	if id, ok := v.id([]byte("aé")); !ok || id != 2 {
		t.Error(id, ok)
	}
	if ids := v.Encode("aéa", models.EncodeOptions{}); fmt.Sprint(ids) != "[2 0]" {
		t.Error(ids)
	}
	for i := range growingSize + 10 {
		_, ok := v.id(fmt.Appendf(nil, "t%d", i))
		if ok != (i < growingSize-3) {
			t.Fatalf("text %d: %v", i, ok)
		}
	}
}
