package handout

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"logitscope/engine"
	"logitscope/engine/record"
	"logitscope/models"
	"logitscope/models/chat"
	"logitscope/models/fable"
	"logitscope/models/llama"
	"logitscope/sampling"
	"logitscope/viz"
)

var openFable = sync.OnceValues(func() (models.Model, error) { return fable.Open(llama.Options{Workers: 1}) })

// recording decodes a few tokens of the built-in model and returns them as a
// file has them, and the views of the run.
func recording(t testing.TB, rows record.RowPolicy, steps int, pairs ...any) (*record.Take, engine.View) {
	t.Helper()
	m, err := openFable()
	if err != nil {
		t.Fatal(err)
	}
	cfg := sampling.Config{}
	for i := 0; i < len(pairs); i += 2 {
		cfg = cfg.MustWith(pairs[i].(string), pairs[i+1], sampling.FromFlag)
	}
	set, err := engine.NewCompiler(m).Settings(cfg, "chat")
	if err != nil {
		t.Fatal(err)
	}
	const text = "The language of"
	prompt, err := engine.Prompt(context.Background(), m, text)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	w := record.NewWriter(&file, m, record.Options{Top: 10, Rows: rows, Sealed: true, Program: "test"})
	lane := engine.NewLane(0, m, engine.Options{})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	done := make(chan struct{})
	go func() { defer close(done); lane.Run(ctx) }()
	defer func() { cancel(); <-done }()
	lane.Post(engine.Start{Text: text, Prompt: prompt, Settings: set})
	lane.Post(engine.Advance{N: steps})
	var v engine.View
	for v = range lane.Views() {
		if len(v.Steps) == steps || v.Phase == engine.Done || v.Phase == engine.Failed {
			break
		}
	}
	if err := w.View(v); err != nil || v.Err != nil {
		t.Fatal(err, v.Err)
	}
	if err := w.Marks(map[int]string{v.Steps[1].Pos: "look at <b>u</b>"}); err != nil {
		t.Fatal(err)
	}
	if err := w.End(v); err != nil {
		t.Fatal(err)
	}
	r, err := record.Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	return r.Takes[0], v
}

// somewhere returns a random place of the page's controls.
func somewhere(r *rand.Rand) Values {
	v := Values{Temperature: math.Round(20*(0.1+1.9*r.Float64())) / 20, TopP: 1, Repetition: 1}
	if r.IntN(8) == 0 {
		v.Temperature = 0
	}
	if r.IntN(2) == 0 {
		v.TopK = 1 + r.IntN(80)
	}
	if r.IntN(2) == 0 {
		v.TopP = math.Round(100*(0.3+0.69*r.Float64())) / 100
	}
	if r.IntN(3) == 0 {
		v.MinP = math.Round(100*0.3*r.Float64()) / 100
	}
	if r.IntN(3) == 0 {
		v.Repetition = math.Round(20*(1+r.Float64())) / 20
	}
	return v
}

func (v Values) config(base sampling.Config) sampling.Config {
	c := base.MustWith("top_k", v.TopK, sampling.FromFlag).MustWith("top_p", v.TopP, sampling.FromFlag).
		MustWith("min_p", v.MinP, sampling.FromFlag).MustWith("repetition_penalty", v.Repetition, sampling.FromFlag)
	if v.Temperature == 0 {
		return c.MustWith("do_sample", false, sampling.FromFlag)
	}
	return c.MustWith("do_sample", true, sampling.FromFlag).MustWith("temperature", v.Temperature, sampling.FromFlag)
}

// The arithmetic of the page against the program's own engine.
func TestSharesAgainstThePipeline(t *testing.T) {
	take, v := recording(t, record.RowsFull, 5, "temperature", 0.8, "top_p", 0.9, "seed", 3)
	m, _ := openFable()
	comp := engine.NewCompiler(m)
	r := rand.New(rand.NewPCG(1, 1))
	undecided := 0
	for n := range 40 {
		x := somewhere(r)
		set, err := comp.Settings(x.config(take.Run.Config), "")
		if err != nil {
			t.Fatal(err)
		}
		for k, e := range take.Path(1) {
			s, err := v.Retrace(k, set)
			if err != nil {
				t.Fatal(err)
			}
			seen := map[int32]bool{}
			for _, id := range v.Prompt {
				seen[id] = true
			}
			for _, b := range v.Steps[:k] {
				seen[b.Token] = true
			}
			for _, full := range []bool{true, false} {
				slack := 3e-6
				if !full {
					slack = 4e-4
				}
				list, enough := shares(pageRow(e.Step.Kept, full), seen, x)
				if !enough {
					undecided++
					continue
				}
				got := map[int32]share{}
				for _, sh := range list {
					got[sh.id] = sh
				}
				for _, row := range s.Trace.Rows() {
					sh, ok := got[row.ID]
					if ok && (math.Abs(sh.p-float64(row.Prob)) > slack || math.Abs(sh.raw-float64(row.RawProb)) > slack) {
						t.Errorf("setting %d %+v, step %d, token %d, full %v: %v raw %v, want %v raw %v", n, x, k+1, row.ID, full, sh.p, sh.raw, row.Prob, row.RawProb)
					}
				}
			}
		}
	}
	if undecided > 40 {
		t.Errorf("%d of 400 are not decided", undecided)
	}
}

// A page that would show other numbers than the run is not written.
func TestAWrongPageIsNotWritten(t *testing.T) {
	take, _ := recording(t, record.RowsFull, 3, "temperature", 0.8, "seed", 3)
	take.Path(1)[1].Step.Top[0].Prob += 0.01
	var b bytes.Buffer
	if err := HTML(&b, take, Page{}); err == nil || !strings.HasPrefix(err.Error(), "step 2: ") || b.Len() > 0 {
		t.Errorf("%v, %d bytes", err, b.Len())
	}
}

// Nothing of a run can act in the page.
func TestHostileTextsAreText(t *testing.T) {
	take, _ := recording(t, record.RowsBest, 3, "seed", 3)
	take.Run.Prompt = "</script><script>alert(1)</script>\u202e\x1b[31m"
	take.Run.Model.Name = "<img src=x onerror=alert(2)>"
	var b bytes.Buffer
	if err := HTML(&b, take, Page{}); err != nil {
		t.Fatal(err)
	}
	s := b.String()
	if n := strings.Count(s, "<script"); n != 2 || strings.Contains(s, "<img") || strings.ContainsAny(s, "\u202e\x1b") || strings.Contains(s, "<b>u") {
		t.Errorf("%d scripts: %.2000s", n, s)
	}
	if len(pageJS) > 20<<10 {
		t.Errorf("the script has %d bytes", len(pageJS))
	}
}

// driver is appended to a page: it moves the sliders and writes down what is
// shown.
const driver = `<pre id="out"></pre><script>
var out = [], ask = %s;
H.steps.forEach(function (s, i) {
  go(i);
  ask.forEach(function (a) {
    keys.forEach(function (k) { $(k).value = a[k]; $(k).dispatchEvent(new Event("input")); });
    var rows = [];
    document.querySelectorAll("#bars li").forEach(function (li) {
      if (!li.querySelector(".token")) return;
      rows.push([li.querySelector(".token").textContent, li.querySelector(".raw").textContent, li.querySelector(".p").textContent]);
    });
    out.push({ step: i, off: $("temperature").disabled, badge: $("badge").textContent, rows: rows, strip: $("strip").textContent });
  });
});
document.getElementById("out").textContent = JSON.stringify({ shown: out, requests: performance.getEntriesByType("resource").length });
</script></body>`

type seen struct {
	Shown []struct {
		Step  int
		Off   bool
		Badge string
		Rows  [][3]string
		Strip string
	}
	Requests int
}

// drive opens a page in a real browser without a network.
func drive(t *testing.T, page []byte, ask []Values) seen {
	t.Helper()
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
		}
	}
	if browser == "" || testing.Short() {
		t.Skip("no chromium on this machine, or -short: the page is not opened in a browser")
	}
	b, err := json.Marshal(ask)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "page.html")
	page = bytes.Replace(page, []byte("</body>"), fmt.Appendf(nil, driver, b), 1)
	if err := os.WriteFile(name, page, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(),
		"--host-resolver-rules=MAP * ~NOTFOUND", "--dump-dom", "file://"+name)
	cmd.WaitDelay = time.Second
	dom, err := cmd.Output()
	if err != nil {
		t.Skipf("the browser does not start here: %v", err)
	}
	found := regexp.MustCompile(`(?s)<pre id="out">(.*?)</pre>`).FindSubmatch(dom)
	var out seen
	if found == nil || json.Unmarshal([]byte(html.UnescapeString(string(found[1]))), &out) != nil {
		t.Fatalf("the page did not run: %.500s", dom)
	}
	return out
}

// Every number that the page prints in a browser is the engine's to its
// digits, 5 steps by 40 settings, or the page says that it cannot tell.
func TestThePageInABrowser(t *testing.T) {
	m, err := openFable()
	if err != nil {
		t.Fatal(err)
	}
	comp := engine.NewCompiler(m)
	for _, full := range []bool{true, false} {
		take, v := recording(t, record.RowsFull, 5, "temperature", 0.8, "top_p", 0.9, "seed", 3)
		var page bytes.Buffer
		if err := HTML(&page, take, Page{Full: full}); err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(7, 7))
		ask := make([]Values, 40)
		for i := range ask {
			ask[i] = somewhere(r)
		}
		got := drive(t, page.Bytes(), ask)
		if got.Requests != 0 || len(got.Shown) != 200 {
			t.Fatalf("%d requests, %d answers", got.Requests, len(got.Shown))
		}
		numbers, refused := 0, 0
		for i, s := range got.Shown {
			if s.Off {
				t.Fatalf("the controls are off: %+v", s)
			}
			x := ask[i%40]
			set, err := comp.Settings(x.config(take.Run.Config), "")
			if err != nil {
				t.Fatal(err)
			}
			want, err := v.Retrace(s.Step, set)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(s.Badge, "Not in this file") {
				refused++
				continue
			}
			for _, row := range want.Trace.Rows() {
				for _, shown := range s.Rows {
					if shown[0] != viz.Label(m.Vocab().Piece(row.ID), false) {
						continue
					}
					numbers += 2
					if !says(shown[1], float64(row.RawProb)) {
						t.Errorf("full %v, step %d, %+v, %s: raw %s, want %s", full, s.Step+1, x, shown[0], shown[1], viz.Percent(float64(row.RawProb)))
					}
					final := float64(row.Prob)
					if cut := strings.HasPrefix(shown[2], "cut by"); cut != (row.Cut != sampling.NoStage) || !cut && !says(shown[2], final) {
						t.Errorf("full %v, step %d, %+v, %s: %s, want %s", full, s.Step+1, x, shown[0], shown[2], viz.Percent(final))
					}
				}
			}
			if strings.Contains(s.Strip, "it takes") && !strings.HasSuffix(s.Strip, "it takes "+viz.Label(m.Vocab().Piece(want.Token), false)+".") {
				t.Errorf("full %v, step %d, %+v: %s, want %s", full, s.Step+1, x, s.Strip, m.Vocab().Piece(want.Token))
			}
		}
		t.Logf("full %v: %d numbers, %d of 200 said not to be in the file", full, numbers, refused)
		if numbers < 3000 || refused > 30 || full && refused > 0 {
			t.Errorf("full %v: %d numbers, %d refused", full, numbers, refused)
		}
	}
}

// says reports whether shown is p to its digits.
func says(shown string, p float64) bool {
	if digits, ok := strings.CutPrefix(shown, "≈"); ok {
		digits = strings.TrimSuffix(digits, "%")
		_, after, _ := strings.Cut(digits, ".")
		x, err := strconv.ParseFloat(digits, 64)
		return err == nil && math.Abs(x-100*p) <= 0.5000001*math.Pow10(-len(after))
	}
	if shown == viz.Percent(p) {
		return true
	}
	// The engine's probability is a float32: it may round to the other side.
	const float = 3e-7
	return shown == viz.Percent(p*(1+float)) || shown == viz.Percent(p*(1-float))
}

// A conversation is shown as the turns it had, and what they say cannot act.
func TestPageTurns(t *testing.T) {
	take, _ := recording(t, record.RowsBest, 2)
	take.Run.Messages = []chat.Message{chat.Text("system", "Be <b>kind</b>."), chat.Text("user", "Hi\nyou\x1b[2J")}
	var b strings.Builder
	if err := HTML(&b, take, Page{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<dt>system</dt><dd class="prompt">Be &lt;b&gt;kind&lt;/b&gt;.</dd>`, "<dt>user</dt><dd class=\"prompt\">Hi\nyou␛[2J</dd>"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}
