package tui

import (
	"testing"

	"logitscope/engine"
	"logitscope/models"
	"logitscope/models/fable"
	"logitscope/models/llama"
	"logitscope/models/remote/remotetest"
)

// Where a server reads the text as other tokens than were chosen, the lab says
// so, and a command goes on from the server's own split.
func TestResplit(t *testing.T) {
	t.Parallel()
	local, err := fable.Open(llama.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { local.Close() })
	b, _ := onServer(t, "ollama-api:fable@URL", remotetest.Ollama(local, remotetest.Metadata(t, local), remotetest.Options{Name: "fable"}), 120, 40)
	b.start("Every one")
	l := b.m.Lane()
	b.m.Resplit()
	b.has("there is no other split")
	chosen := []int32{0, 1161, 458} // the server reads the last two as one
	text := local.Vocab().Piece(1161) + local.Vocab().Piece(458)
	l.Eng.Post(engine.Start{Text: text, Prompt: chosen, Settings: l.Settings})
	b.wait(func(v engine.View) bool { return len(v.Prompt) == 3 && v.PromptText == text && v.Next != nil })
	if !l.Strayed() {
		t.Fatal("the tokens were read as they were chosen")
	}
	b.keys("n")
	b.steps(1)
	text += l.View.Text()
	b.run(b.m.Resplit())
	want := local.Vocab().Encode(text, models.EncodeOptions{AddSpecial: true})
	b.wait(func(v engine.View) bool { return v.PromptText == text && v.Next != nil })
	if got := l.View.Prompt; len(got) != len(want) || l.Strayed() {
		t.Errorf("%v, want %v; strayed %v", got, want, l.Strayed())
	}
}
