package class

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"logitscope/engine/quiz"
	"logitscope/ui/tui"
)

// driver is a pupil at the page: it votes when asked, and reports what it
// sees at each stage to the test.
const driver = `
const report = (stage, more) => fetch(base + "/report", { method: "POST", body: JSON.stringify(Object.assign({ stage,
  title: at("title").textContent, status: at("status").textContent, you: at("you").textContent, text: at("text").textContent,
  buttons: [...document.querySelectorAll("#options button")].map(b => ({ name: b.getAttribute("aria-label") || b.textContent, high: b.getBoundingClientRect().height, wide: b.getBoundingClientRect().width })),
  rows: [...document.querySelectorAll("#numbers tbody tr")].filter(() => !at("numbers").hidden).map(r => [...r.cells].slice(0, 3).map(c => c.textContent)),
  bars: [...document.querySelectorAll("#numbers .bar i")].map(i => i.getBoundingClientRect().width),
  wide: document.documentElement.scrollWidth, view: innerWidth, markup: document.querySelectorAll("b,img,script[src]").length }, more)) });
let stage = 0;
setInterval(async () => {
  if (stage === 0 && !at("numbers").hidden) { stage = 1; await report("lab"); }
  if (stage === 1 && !at("question").hidden) {
    stage = 2; await report("asked");
    document.querySelectorAll("#options .all")[1].click();
  }
  if (stage === 2 && state.sent) {
    stage = 3; await report("voted");
    const li = document.querySelectorAll("#options li");
    for (let i = 0; i < 4; i++) li[1].querySelectorAll("button")[1].click();
    for (let i = 0; i < 4; i++) li[0].querySelectorAll("button")[2].click();
  }
  if (stage === 3 && state.sent && state.chips[0] === 4) { stage = 4; await report("changed", { chips: state.chips }); }
  if (stage === 4 && state.poll && state.poll.result) { stage = 5; await report("result"); }
  if (stage === 5 && !at("again").hidden) { stage = 6; }
}, 50);
</script>`

// A sight is what the driver saw.
type sight struct {
	Stage, Title, Status, You, Text string
	Buttons                         []struct {
		Name       string
		High, Wide float64
	}
	Rows       [][]string
	Bars       []float64
	Chips      []int
	Wide, View float64
	Markup     int
}

// The page in a real browser the size of a phone: it shows the lab, takes a
// vote and a changed one, shows the result, and asks for nothing but its own
// events, under its own policy.
func TestPageInABrowser(t *testing.T) {
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
		}
	}
	if browser == "" || testing.Short() {
		t.Skip("no chromium on this machine, or -short: the page is not opened in a browser")
	}
	whole := page
	page = bytes.Replace(page, []byte("</script>"), []byte(driver), 1)
	defer func() { page = whole }()

	h := newHub(Options{Max: 10})
	h.Show(tui.Scene{Text: "Once <b>upon</b>", Title: "step 1", Rows: []tui.SceneRow{{Token: "␣<b>a</b>", Raw: 0.5, Final: 0.625, Chosen: true}, {Token: "␣b", Raw: 0.25, Final: 0.375}, {Token: "␣c", Raw: 0.25, Cut: true}}})
	sights := make(chan sight, 10)
	var mu sync.Mutex
	var asked []string
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	s := newSite(ctx, h, newGate("4821"), l.Addr().String())
	srv := s.server()
	inner := srv.Handler
	srv.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.Method+" "+r.URL.Path)
		mu.Unlock()
		if !strings.HasSuffix(r.URL.Path, "/report") {
			inner.ServeHTTP(w, r)
			return
		}
		var x sight
		body, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(body, &x); err != nil {
			t.Errorf("%v: %s", err, body)
		}
		sights <- x
	})
	go srv.Serve(l)
	defer srv.Close()
	profile, err := os.MkdirTemp("", "browser")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(profile) // as far as that goes: a killed browser's children may still write
	cmd := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+profile, "--window-size=360,740",
		"--disable-background-networking", "--no-first-run", "--remote-debugging-port=0", "http://"+l.Addr().String()+"/4821")
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		t.Skipf("the browser does not start here: %v", err)
	}
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	next := func(stage string) sight {
		t.Helper()
		select {
		case x := <-sights:
			if x.Stage != stage {
				t.Fatalf("%+v, want %s", x, stage)
			}
			if x.Wide > x.View || x.Markup > 0 {
				t.Errorf("%s: %v wide in %v, %d elements of markup", stage, x.Wide, x.View, x.Markup)
			}
			return x
		case <-ctx.Done():
			t.Fatalf("%s never came", stage)
		}
		return sight{}
	}

	x := next("lab")
	if x.Text != "Once <b>upon</b>" || len(x.Rows) != 3 || !slices.Equal(x.Rows[0], []string{"␣<b>a</b>", "50.0%", "62.5%"}) || x.Rows[2][2] != "cut" || x.Bars[0] <= x.Bars[1] {
		t.Errorf("%+v", x)
	}
	q := three
	q.Options = []string{"␣<i>a</i>", "␣b", "something else"}
	h.Ask(q)
	x = next("asked")
	if len(x.Buttons) != 9 || !strings.HasPrefix(x.Title, "Question 1 · 0 of 1 voted") {
		t.Errorf("%+v", x)
	}
	for _, b := range x.Buttons {
		if b.Name == "" || b.High < 44 || b.Wide < 44 {
			t.Errorf("a button that no thumb hits, or no screen reader names: %+v", b)
		}
	}
	if x = next("voted"); !strings.HasPrefix(x.Status, "Handed in") {
		t.Errorf("%+v", x)
	}
	if x = next("changed"); !slices.Equal(x.Chips, []int{4, 6, 0}) {
		t.Errorf("%+v", x)
	}
	for i := range 2 { // others, so that the result may be shown
		o, err := h.join(Key(rune('a'+i)), nil)
		if err != nil {
			t.Fatal(err)
		}
		cast(t, o, 1, 10, 0, 0)
	}
	votes := h.Reveal(quiz.NewQuestion([]float64{0.5, 0.25}, 0, 0.5), nil)
	if votes.Pool.Guesses() != 3 || votes.Pool.Held(0) != 24.0/30 {
		t.Errorf("the page's vote is not in the pool: %+v", votes.Pool)
	}
	x = next("result")
	if !strings.Contains(x.Title, "drawn ␣<i>a</i>") || !strings.Contains(x.Status, "Drawn ␣<i>a</i>. You had 4 chips on it: 1.35 bits") || !slices.Equal(x.Rows[0], []string{"␣<i>a</i>", "80.0%", "50.0%"}) {
		t.Errorf("%+v", x)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, a := range asked {
		if !slices.Contains([]string{"GET /4821", "GET /4821/events", "POST /4821/vote", "POST /4821/report"}, a) {
			t.Errorf("the page asked for %s", a)
		}
	}
}
