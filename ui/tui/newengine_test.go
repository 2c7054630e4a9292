package tui

import (
	"slices"
	"strings"
	"testing"

	"logitscope/presets/exchange"
	"logitscope/sampling"
	"logitscope/sampling/param"
	"logitscope/sampling/row"
	"logitscope/ui/tui/kit"
	"logitscope/ui/tui/run"
)

// near is a sampler that no engine has: it keeps the logits within a distance
// of the best.
type near float32

func (n near) Apply(r *row.Row) {
	least := r.Max() - float32(n)
	r.Keep(func(i int) bool { return r.X[i] >= least })
}

// sixth is an engine that is declared here alone: temperature, and the new
// sampler with a parameter of its own.
var sixth = &sampling.Engine{
	Name: "sixth", Generator: "dice",
	Stages: []*sampling.Stage{
		sampling.StageNamed("temperature"),
		{Name: "near", Tiny: "nr", Keys: []string{"near"}, Movable: true, Warper: true, Cuts: true, Best: sampling.KeepsBest,
			Build: func(b *sampling.Builder) (sampling.Action, string) {
				if b.Float("near") == 0 {
					return nil, ""
				}
				return sampling.OnRow(near(b.Float32("near"))), b.Format("near")
			}},
	},
}

var nearParam = param.Param{
	Key: "near", Kind: param.Float, Max: 100, Hi: 10, Step: 0.1, Off: 0.0, Default: 0.0, Stage: "near",
	Help: "Keep logits within this distance of the best. 0 is off. Try 2.",
}

// TestSixthEngine: an engine and a stage that are declared in this file alone
// compile, run, show in O and V, have a knob, and are named as what does not
// translate elsewhere.
func TestSixthEngine(t *testing.T) {
	knobs := run.Knobs
	remove := sampling.Register(sixth, nearParam)
	defer func() { remove(); run.Knobs = knobs }()
	prm, ok := param.Lookup("near")
	if !ok {
		t.Fatal("no parameter near")
	}
	run.Knobs = append([]*param.Param{prm}, knobs...)

	c := sampling.Config{}.MustWith("order", "sixth", sampling.FromFlag).MustWith("near", 1.5, sampling.FromFlag)
	opt := testOptions(t)
	opt.Config = c
	b := newBench(t, opt, 160, 50)
	b.start("Once upon a time")
	b.has("near 1.5")
	b.keys("right")
	b.steps(1)
	step := b.m.Lane().View.Step(1)
	stages := step.Trace.Stages()
	if last := stages[len(stages)-1]; last.Name != "near" || last.Removed == 0 || last.Kept == 0 {
		t.Errorf("the last stage is %+v, want near, and tokens that it removed", last)
	}
	b.run(b.m.Open(kit.ViewEngines))
	b.has("▸ sixth")
	b.has("same settings, five engines")
	b.keys("esc")
	b.run(b.m.Open(kit.ViewValues))
	b.has("near")
	b.has("1.5")
	b.keys("esc")

	// Under another order it is what that engine does not have.
	other := c.MustWith("order", "vllm", sampling.FromFlag)
	p, err := sampling.Compile(other, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Inert("near", nil).String(); got != "no effect: vllm has no near" {
		t.Errorf("under vllm: %q", got)
	}
	if got, err := sampling.ParseOrder("llama.cpp:near,temperature"); err != nil || !got.Supports("near") {
		t.Errorf("a list of llama.cpp's with the new stage: %v, %v", got, err)
	}
	for _, to := range exchange.Targets() {
		out, err := exchange.Export(c, to)
		if err != nil {
			t.Fatal(err)
		}
		named := slices.ContainsFunc(out.Lost, func(l exchange.Loss) bool { return l.Key == "near" && l.Lossy() })
		if own := strings.Contains(to.Name, "logitscope"); named == own {
			t.Errorf("to %s: near named as lost %v; %v", to.Name, named, out.Lost)
		} else if own && !strings.Contains(out.Text, `"near"`) {
			t.Errorf("to %s: near is not written:\n%s", to.Name, out.Text)
		}
	}
}
