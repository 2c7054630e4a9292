package lesson

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"logitscope/engine/goal"
)

func parsed(t *testing.T, src string) *Lesson {
	t.Helper()
	l, faults := Parse([]byte(src), "x.md", names)
	if len(faults) > 0 {
		t.Fatalf("%+v", faults)
	}
	return l
}

const head = "# T\n\n```lesson\nid: t\n```\n```file a.json\n{\"type\":\"integer\"}\n```\n"

func TestTemplate(t *testing.T) {
	src, err := Template("my-own-1")
	if err != nil {
		t.Fatal(err)
	}
	if l := parsed(t, src); l.ID != "my-own-1" || len(l.Tasks) != 2 || len(l.Tasks[0].Notes) != 1 {
		t.Errorf("%+v", l)
	}
	for _, id := range []string{"", "My", "a b", "a\nb", strings.Repeat("a", 65), "ä"} {
		if _, err := Template(id); err == nil {
			t.Errorf("%q is taken as an id", id)
		}
	}
}

// A translation holds the same bones; whatever else is changed is told, with
// its line.
func TestTranslation(t *testing.T) {
	src, err := os.ReadFile("testdata/files/temperature.md")
	if err != nil {
		t.Fatal(err)
	}
	of := parsed(t, string(src))
	text, err := of.Translation("de")
	if err != nil {
		t.Fatal(err)
	}
	l := parsed(t, text)
	if l.Lang != "de" || len(l.Translates(of)) != 0 {
		t.Fatalf("lang %q, %+v", l.Lang, l.Translates(of))
	}
	again, err := l.Translation("pt-BR")
	if err != nil || parsed(t, again).Lang != "pt-BR" || strings.Count(again, "lang:") != 1 {
		t.Errorf("translated again: %v", err)
	}
	for _, lang := range []string{"", "d", "de\nid: x", "de_DE", "123"} {
		if _, err := of.Translation(lang); err == nil {
			t.Errorf("%q is taken as a language", lang)
		}
	}
	words := text
	for _, g := range of.Tasks[0].Goals {
		words = strings.ReplaceAll(words, g.Words, "anders")
	}
	words = strings.ReplaceAll(words, of.Title, "Temperatur")
	if bad := parsed(t, words).Translates(of); len(bad) > 0 {
		t.Errorf("other words: %+v", bad)
	}
	for _, change := range [][2]string{
		{"seed: 42", "seed: 43"}, {"preset: neutral", "preset: chat"}, {"temperature = 0.3", "temperature = 0.4"}, {"set temperature=0.3", "set temperature=0.4"},
	} {
		changed := strings.Replace(text, change[0], change[1], 1)
		if changed == text {
			t.Fatalf("nothing to change: %s", change[0])
		}
		bad := parsed(t, changed).Translates(of)
		if len(bad) == 0 || bad[0].Line < 1 || bad[0].Task < 1 {
			t.Errorf("%s became %s: %+v", change[0], change[1], bad)
		}
	}
}

func TestTranslationWithAnotherTask(t *testing.T) {
	src, err := os.ReadFile("testdata/files/temperature.md")
	if err != nil {
		t.Fatal(err)
	}
	of := parsed(t, string(src))
	if bad := parsed(t, string(src)+"\n## More\n").Translates(of); len(bad) != 1 {
		t.Errorf("%+v", bad)
	}
	if bad := parsed(t, string(src)+"\n{vocab}\n").Translates(of); len(bad) != 1 || bad[0].Task != len(of.Tasks) {
		t.Errorf("%+v", bad)
	}
}

// Faults of kinds that no file of the cases has.
func TestFaults(t *testing.T) {
	task := func(blocks string) string {
		return head + "\n## A\n\n```setup\nprompt: x\n```\n" + blocks
	}
	for src, want := range map[string]struct {
		task, line int
		why        string
	}{
		"":               {0, 1, "title"},
		"\n\n":           {0, 1, "title"},
		"# T\r## A\n":    {0, 1, "000D"},
		"# T\x7f\n":      {0, 1, "007F"},
		"# T\n\u0085":    {0, 2, "0085"},
		"# T\n\n\u2066x": {0, 3, "2066"},
		head:             {0, 1, "task"},
		head + "\n```lesson\nid: u\n```\n## A\n```setup\nprompt: x\n```\n":                       {0, 10, "twice"},
		task("```lesson\nid: u\n```\n"):                                                          {1, 15, "lesson"},
		task("```table x\n{}\n```\n"):                                                            {1, 15, "table"},
		task("```goal g\n1 = 1 : x\n```\n"):                                                      {1, 15, "g"},
		task("```solution\nsteps x\n```\n"):                                                      {1, 16, "steps"},
		task("```solution\nsteps -1\n```\n"):                                                     {1, 16, "steps"},
		task("```solution\nsteps 1000001\n```\n"):                                                {1, 16, "1000000"},
		task("```solution\nkeys\n```\n"):                                                         {1, 16, "keys"},
		task("```solution\ntype\n```\n"):                                                         {1, 16, "type"},
		task("```solution\ndone now\n```\n"):                                                     {1, 16, "now"},
		task("```solution\nset\n```\n"):                                                          {1, 16, "temperature"},
		task("```solution\nset top_k=1, temprature=2\n```\n"):                                    {1, 16, "temprature"},
		task("```solution\nset constraint=b.json\n```\n"):                                        {1, 16, "b.json"},
		task("```predict\nask: x\nkind: token\nanswer: \"a\"\nwithin: 1\n```\n"):                 {1, 19, "within"},
		task("```predict\nask: x\nkind: number\nanswer: 5%\n```\n"):                              {1, 18, "answer"},
		task("```predict\nask: x\nkind: number\nanswer: predicted\n```\n"):                       {1, 18, "predicted"},
		task("```predict\nask: x\nkind: bits\nanswer: 1\n```\n"):                                 {1, 15, "within"},
		task("```predict\nask: x\nkind: bits\nanswer: 1\nwithin: -1\n```\n"):                     {1, 19, "within"},
		task("```predict\nask: x\nkind: bits\nanswer: 1\nwithin: inf\n```\n"):                    {1, 19, "within"},
		task("```predict\nask: x\nkind: choice\n* a :: b\n```\n"):                                {1, 15, "two"},
		task("```predict\nask: x\nkind: choice\nanswer: 1\n* a :: b\n- c :: d\n```\n"):           {1, 18, "answer"},
		task("```predict\nask: x\nkind: percent\nanswer: 5%\nwithin: 5 points\n- c :: d\n```\n"): {1, 20, "choose"},
		task("```predict\nkind: token\nanswer: \"a\"\n```\n"):                                    {1, 15, "ask"},
		task("```predict\nask: x\nanswer: \"a\"\n```\n"):                                         {1, 15, "kind"},
		task("```predict\nask: {u\nkind: token\nanswer: \"a\"\n```\n"):                           {1, 16, "brace"},
		task("}\n"):                 {1, 15, "brace"},
		task("```hint\n{x}\n```\n"): {1, 16, "x"},
		head + "\n## A\n```setup\nprompt: x\nlanes: chat\n```\n":                          {1, 13, "lanes"},
		head + "\n## A\n```setup\nprompt: x\nlanes: chat | wild\n```\n":                   {1, 13, "wild"},
		head + "\n## A\n```setup\nprompt: x\nlanes: chat | chat, top_p=3\n```\n":          {1, 13, "top_p"},
		head + "\n## A\n```setup\nprompt: x\ndraft: yes\n```\n":                           {1, 13, "draft"},
		head + "\n## A\n```setup\nprompt: x\ndraft: on k=99\n```\n":                       {1, 13, "num_assistant_tokens"},
		head + "\n## A\n```setup\nprompt: x\npoint: warmth\n```\n":                        {1, 13, "warmth"},
		head + "\n## A\n```setup\nprompt: x\npin: a,,b\n```\n":                            {1, 13, "pin"},
		head + "\n## A\n```setup\nprompt: x\nsteps: 1.5\n```\n":                           {1, 13, "steps"},
		head + "\n## A\n```setup\nprompt: x\norder: wild\n```\n":                          {1, 13, "wild"},
		head + "\n## A\n```setup\nprompt: x\nseed: -1\n```\n":                             {1, 13, "seed"},
		head + "```file ../x\na\n```\n## A\n```setup\nprompt: x\n```\n":                   {0, 9, "../x"},
		head + "```file\na\n```\n## A\n```setup\nprompt: x\n```\n":                        {0, 9, "file"},
		head + "```file b.json\n{\n```\n## A\n```setup\nprompt: x\nschema: b.json\n```\n": {1, 15, "b.json"},
		head + "```file b\nx\n```\n## A\n```setup\nprompt: x\nschema: b\n```\n":           {1, 15, "b"},
	} {
		l, faults := Parse([]byte(src), "x.md", names)
		if len(faults) != 1 || l != nil {
			t.Errorf("%q: %d faults: %+v", src, len(faults), faults)
			continue
		}
		f := faults[0]
		if f.Task != want.task || f.Line != want.line || !strings.Contains(f.Why, want.why) {
			t.Errorf("%q:\n%+v, want task %d, line %d, %q", src, f, want.task, want.line, want.why)
		}
	}
}

func TestSetup(t *testing.T) {
	l := parsed(t, head+`
## A
`+"```setup"+`
prompt: a␣b\nc: d
preset: neutral
set: temperature=0.5, order=top_k,top_p, top_k=7
seed: 6
schema: a.json
draft: on k=5
lanes: greedy | chat,temperature=1.5 , top_k=3
pin: ␣a,b
view: values
steps: 0
point: top_k
`+"```"+`
## B
## C
`+"```setup\nset: top_p=0.5\n```\n## D\n```setup\npreset: chat\ndraft: off\n```\n")
	s := l.Tasks[0].Setup
	cfg, label := s.Apply(names0(t), "chat")
	if s.Prompt != "a b\nc: d" || label != "neutral" || cfg.Float("temperature") != 0.5 || cfg.Int("top_k") != 7 || cfg.Uint("seed") != 6 || cfg.Text("constraint") == "" ||
		cfg.Order().Name() != "llama.cpp:top_k,top_p" && len(cfg.Order().Custom()) != 2 || cfg.Int("num_assistant_tokens") != 5 || s.Draft != On || s.Steps != 0 || s.Point != "top_k" || s.View != "values" ||
		len(s.Pins) != 2 || s.Pins[0] != " a" {
		t.Errorf("%+v\n%v", s, cfg)
	}
	if len(s.Lanes) != 2 || s.Lanes[1].Preset != "chat" || len(s.Lanes[1].Set) != 2 {
		t.Errorf("lanes %+v", s.Lanes)
	}
	if l.Tasks[1].Setup != nil {
		t.Error("task B has a setup")
	}
	third := l.From(2)
	cfg, label = third.Apply(names0(t), "chat")
	if third.Prompt != s.Prompt || label != "neutral" || cfg.Float("top_p") != 0.5 || cfg.Float("temperature") != 0.5 || third.Draft != On || third.Steps != 1 || third.Lanes != nil {
		t.Errorf("from the beginning to C: %+v\n%v", third, cfg)
	}
	fourth := l.From(3)
	cfg, label = fourth.Apply(names0(t), "chat")
	if label != "chat" || cfg.Uint("seed") != 6 || len(cfg.Order().Custom()) != 2 || cfg.Float("temperature") == 0.5 || cfg.Text("constraint") != "" || fourth.Draft != Off {
		t.Errorf("from the beginning to D: %+v\n%v", fourth, cfg)
	}
}

func TestProse(t *testing.T) {
	l := parsed(t, head+"\nA *b* `{c}` {{d}} {1 + 1}\nmore ``a ` b``.\n\n- one\n- two\n  goes on\n\n### Small\n```python\nx = {1}\n```\n~~~\n   ```\nplain\n\n## A\n```setup\nprompt: x\n```\n")
	var got []string
	for _, b := range l.Intro {
		s := map[BlockKind]string{Paragraph: "P ", Item: "- ", Heading: "# ", Code: "C "}[b.Kind] + strings.Join(b.Lines, "/")
		for _, x := range b.Spans {
			switch {
			case x.Expr != nil:
				s += "<" + x.Expr.String() + ">"
			case x.Code:
				s += "[" + x.Text + "]"
			case x.Emph:
				s += "_" + x.Text + "_"
			default:
				s += x.Text
			}
		}
		got = append(got, s)
	}
	want := "P A _b_ [{c}] {d} <1 + 1> more [a ` b].|- one|- two goes on|# Small|C x = {1}|P ~~~ ``` plain"
	if s := strings.Join(got, "|"); s != want {
		t.Errorf("%s\nwant\n%s", s, want)
	}
}

func TestPredict(t *testing.T) {
	l := parsed(t, head+"\n## A\n```setup\nprompt: x\n```\n```predict\nask: q\nkind: percent\nanswer: 50%\nwithin: 5 points\n```\n## B\n```predict\nask: q\nkind: choice\n- a :: no\n* b `c` :: yes\n```\n## C\n```predict\nask: q\nkind: token\nanswer: \" a\"\n```\n## D\n```predict\nask: q\nkind: number\nanswer: 3\n```\n## E\n```predict\nask: q\nkind: bits\nanswer: 1\nwithin: 1\n```\n")
	sc := goal.NewScene(goal.State{Lanes: []goal.Lane{{}}})
	for _, c := range []struct {
		task           int
		typed          string
		right, refused bool
	}{
		{0, "50", true, false}, {0, "45%", true, false}, {0, "55 %", true, false}, {0, "44.9", false, false}, {0, "101", false, true}, {0, "-1", false, true}, {0, "x", false, true}, {0, "NaN", false, true}, {0, "", false, true},
		{0, "50 percent", true, false}, {0, "50percent", true, false}, {0, "50 bits", false, true}, {0, "4,5", false, true}, {0, "%", false, true}, {0, "50 %%", false, true},
		{1, "2", true, false}, {1, "1", false, false}, {1, "0", false, true}, {1, "3", false, true}, {1, "b", false, true},
		{2, "␣a", true, false}, {2, "a", false, false}, {2, "", false, true},
		{3, "3", true, false}, {3, "3.1", false, false}, {3, "3%", false, true}, {3, "1e999", false, true},
		{4, "2", true, false}, {4, "0", true, false}, {4, "2.1", false, false}, {4, "2 bits", true, false}, {4, "1 bit", true, false}, {4, "1%", false, true}, {3, "3 bits", false, true}, {3, "5,120", false, false}, {3, "5,12", false, true}, {3, "0,003", false, true}, {4, "1,000", false, true},
	} {
		p := l.Tasks[c.task].Predict
		v, err := p.Read(c.typed)
		if (err != nil) != c.refused {
			t.Errorf("task %d, %q: %v", c.task+1, c.typed, err)
			continue
		}
		if err != nil {
			continue
		}
		if ok, right := p.Right(v, sc); ok != c.right || !right.Defined {
			t.Errorf("task %d, %q: %v, right is %+v", c.task+1, c.typed, ok, right)
		}
	}
}

func TestReading(t *testing.T) {
	l := parsed(t, head+"\n## A\n```setup\nprompt: x\n```\n```goal\nonce questions = 1 : one\nquestions = 2 : two\n```\n```hint\na\n```\n## B\n")
	look := func(r Reading, n int) Reading {
		return r.Look(goal.NewScene(goal.State{Lanes: []goal.Lane{{}}, Facts: goal.Facts{Questions: n}}))
	}
	r := Read(l)
	if r = look(r, 2); r.Met[1] {
		t.Error("judged before the setup was done")
	}
	r = r.Stand(names0(t), "chat*")
	if r.Preset != "chat" {
		t.Errorf("preset %q", r.Preset)
	}
	two := look(r, 2)
	if two.Done || two.Met[0] || !two.Met[1] {
		t.Errorf("only the second holds: %+v", two.Met)
	}
	one := look(two, 1)
	if one.Done || !one.Met[0] || one.Met[1] {
		t.Errorf("only the first holds, the second must hold at the end: %+v", one.Met)
	}
	if two.Met[0] {
		t.Error("a reading that was kept has changed")
	}
	done := look(one, 2)
	if !done.Done || !look(done, 0).Done || !look(done, 0).Met[1] {
		t.Errorf("done: %+v", done)
	}
	if r.Skip().Done || !r.Skip().Skipped || done.Skip().Skipped {
		t.Error("skipping")
	}
	if r.Hint().Hint().Hints != 1 {
		t.Error("more hints than there are")
	}
	if r.Turn().Done || !r.Begin(1).Turn().Done {
		t.Error("a page is done when it is turned, a task is not")
	}
	if r.Begin(0).Tries != 2 || r.Begin(1).Tries != 1 {
		t.Error("tries")
	}
}

// Whatever a file holds, its faults have a line of it and fit one line of a
// terminal, and a file without faults stays what it is when it is translated.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/files/*.md")
	for _, name := range files {
		if b, err := os.ReadFile(name); err == nil && len(b) < 8192 {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		l, faults := Parse(src, "x.md", names)
		if (l == nil) == (len(faults) == 0) {
			t.Fatalf("lesson %v, %d faults", l != nil, len(faults))
		}
		lines := 1 + strings.Count(string(src), "\n")
		for _, x := range faults {
			if x.Line < 1 || x.Line > lines || x.Task < 0 || x.Task > MaxTasks+1 || x.Why == "" {
				t.Errorf("%+v of %d lines", x, lines)
			}
			if strings.ContainsFunc(x.Why+x.Lesson, func(r rune) bool { return acts(r) || r == '\n' || r == '\t' }) {
				t.Errorf("acts on a terminal: %q", x.Why)
			}
		}
		if l == nil {
			return
		}
		if len(l.Tasks) < 1 || len(l.Tasks) > MaxTasks {
			t.Errorf("%d tasks", len(l.Tasks))
		}
		text, err := l.Translation("de")
		if err != nil {
			t.Fatal(err)
		}
		tr, bad := Parse([]byte(text), "x.md", names)
		if len(text) <= MaxBytes && (len(bad) > 0 || len(tr.Translates(l)) > 0) {
			t.Errorf("its translation: %+v", bad)
		}
		l.From(len(l.Tasks)-1).Apply(names0(t), "chat")
	})
}

// A fault names its parameter once.
func TestFaultsNameAParameterOnce(t *testing.T) {
	for _, set := range []string{"top_p=3", "top_p=x", "top_k=1.5", "do_sample=maybe", "seed=-1", "bad_words=[1"} {
		_, faults := Parse([]byte("# T\n```lesson\nid: t\n```\n## A\n```setup\nprompt: x\nset: "+set+"\n```\n"), "t", Names{})
		key, _, _ := strings.Cut(set, "=")
		if len(faults) != 1 || strings.Count(faults[0].Error(), key) != 1 {
			t.Errorf("%s: %v", set, faults)
		}
	}
}
