package class

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"logitscope/engine/quiz"
	"logitscope/ui/tui/predict"
)

// crowd is a class on loopback: half of it over SSH, half on the page.
type crowd struct {
	c    *Class
	wins []*window
	web  []*browser
}

// gather lets n come in over SSH and n by the page.
func gather(t testing.TB, n int) *crowd {
	t.Helper()
	cr := &crowd{c: opened(t, func(s *Setup) { s.Max = 2 * n })}
	showing(t, cr.c, "the lab")
	for range n {
		w := terminal(t, dialed(t, cr.c), 120, 41)
		w.until(t, "you look on")
		b := browse(t, cr.c)
		b.until(t, "event: you")
		cr.wins, cr.web = append(cr.wins, w), append(cr.web, b)
	}
	return cr
}

// until waits for s like shows, and forgets what came before it.
func (w *window) until(t testing.TB, s string) {
	t.Helper()
	w.shows(t, s)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out.Next(strings.Index(w.out.String(), s) + len(s))
}

// each does f for all at once.
func (cr *crowd) each(ssh func(i int, w *window), web func(i int, b *browser)) {
	var wg sync.WaitGroup
	for i := range cr.wins {
		wg.Go(func() { ssh(i, cr.wins[i]) })
		wg.Go(func() { web(i, cr.web[i]) })
	}
	wg.Wait()
}

// question asks, lets everybody vote, closes, and waits until everybody has
// the result. It returns the votes and how long the result took to reach all.
func (cr *crowd) question(t testing.TB, n int) (*quiz.Pool, time.Duration) {
	options := []string{"␣a", "␣b", "␣c", "␣d", "something else"}
	cr.c.Ask(predict.Asked{Context: "once", Options: options})
	cr.each(func(i int, w *window) {
		w.until(t, fmt.Sprintf("question %d", n))
		io.WriteString(w.in, strings.Repeat("j", i%len(options))+"\r")
		w.until(t, "Handed in")
	}, func(i int, b *browser) {
		b.until(t, fmt.Sprintf(`{"n":%d,`, n))
		chips := quiz.AllOn(len(options), (i+1)%len(options))
		if code, said := b.post("vote", fmt.Sprintf(`{"question":%d,"chips":%s}`, n, strings.ReplaceAll(fmt.Sprint(chips), " ", ",")), nil); code != 204 {
			t.Errorf("question %d: %d %s", n, code, said)
		}
	})
	start := time.Now()
	votes := cr.c.Reveal(quiz.NewQuestion([]float64{0.4, 0.3, 0.1, 0.1}, 1, 0.3), nil)
	cr.each(func(_ int, w *window) { w.until(t, "drawn ␣b") }, func(_ int, b *browser) { b.until(t, `"result":{"drawn":1`) })
	return votes.Pool, time.Since(start)
}

// A hundred terminals and a hundred browsers, ten questions: no vote is lost,
// and all see every result.
func TestClassOfTwoHundred(t *testing.T) {
	n, questions := 100, 10
	if testing.Short() {
		n, questions = 15, 3
	}
	cr := gather(t, n)
	if here := cr.c.Standing().Here; here != 2*n {
		t.Fatalf("%d here, want %d", here, 2*n)
	}
	for q := 1; q <= questions; q++ {
		pool, took := cr.question(t, q)
		if pool.Guesses() != 2*n {
			t.Errorf("question %d: %d votes, want %d", q, pool.Guesses(), 2*n)
		}
		for i := range 5 {
			if pool.Favourites(i) < 2*n/5-1 {
				t.Errorf("question %d: %d of %d on option %d", q, pool.Favourites(i), 2*n, i)
			}
		}
		t.Logf("question %d reached all after %v", q, took)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	t.Logf("%d goroutines, %d MiB in use by both sides", runtime.NumGoroutine(), (m.HeapInuse+m.StackInuse)>>20)
}

// A question to a hundred terminals and a hundred browsers: how long the
// result takes to reach all, and what a question costs, both sides together.
func BenchmarkQuestion(b *testing.B) {
	cr := gather(b, 100)
	var reach time.Duration
	n := 0
	for b.Loop() {
		n++
		_, took := cr.question(b, n)
		reach += took
	}
	b.ReportMetric(float64(reach.Milliseconds())/float64(n), "ms-to-all")
}
