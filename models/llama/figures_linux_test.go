package llama

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"logitscope/models/gguf"
)

// figureRuns is how often each contender has its turn. A figure is the median
// of the ratios of neighbouring turns, of the processor time of each, so that
// what else the machine does hardly matters.
const figureRuns = 3

// BenchmarkFigures repeats the figures of docs/speed.md: on models of random
// weights, 1,024 and 3,072 wide, with one thread, how many times as fast the
// arithmetic of llama.cpp is as the exact one, and, where LLAMA_SERVER is the
// path of a llama-server, how many times as fast both are as that.
func BenchmarkFigures(b *testing.B) {
	shape := shapeOf{layers: 5, embed: 1024, ff: 3072, heads: 16, kvHeads: 4, headLen: 64, vocab: 512, context: 2304}
	works := []struct {
		name          string
		prompt, write int
	}{{"decode", 16, 64}, {"decode-1024", 1024, 64}, {"prefill", 512, 1}, {"prefill-2000", 2000, 1}}
	for _, typ := range []gguf.Type{gguf.Q4_K, gguf.Q8_0, gguf.Q5_K, gguf.Q6_K, gguf.F16} {
		path := writeModel(b, shape, typ)
		for _, w := range works {
			b.Run(fmt.Sprintf("%v/%s", typ, w.name), func(b *testing.B) {
				runs := []contender{oursAs(b, path, Exact, F32), oursAs(b, path, LlamaCPP, F16)}
				if server := os.Getenv("LLAMA_SERVER"); server != "" {
					runs = append(runs, startServer(b, server, path))
				}
				took := make([][]float64, len(runs))
				for b.Loop() {
					for range figureRuns {
						for i, r := range runs {
							took[i] = append(took[i], r(w.prompt, w.write))
						}
					}
				}
				b.ReportMetric(medianRatio(took[0], took[1]), "arith/exact")
				if len(runs) > 2 {
					b.ReportMetric(medianRatio(took[2], took[0]), "exact/server")
					b.ReportMetric(medianRatio(took[2], took[1]), "arith/server")
				}
			})
		}
	}
}

// medianRatio returns the median of a[i]/b[i].
func medianRatio(a, b []float64) float64 {
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = a[i] / b[i]
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/2]
}

// A contender reads a prompt of some tokens and writes some. It returns the
// processor time, in seconds, of reading if there is one token to write, else
// of writing.
type contender func(prompt, write int) float64

// oursAs runs a model here.
func oursAs(b *testing.B, path string, arith Arith, kv KVType) contender {
	m, err := Open(path, Options{Workers: 1, Arith: arith, KVType: kv})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { m.Close() })
	s := m.newSession()
	return func(prompt, write int) float64 {
		if write > 1 && s.Len() > prompt { // the prompt is there from the last turn
			s.Truncate(prompt)
		} else {
			s.Truncate(0)
		}
		start := ownTime()
		if s.Len() == 0 {
			forward(b, s, promptOf(prompt), 1)
		}
		if write == 1 {
			return ownTime() - start
		}
		start = ownTime()
		for range write {
			forward(b, s, []int32{300}, 1)
		}
		return ownTime() - start
	}
}

// promptOf returns n tokens.
func promptOf(n int) []int32 {
	tokens := make([]int32, n)
	for i := range tokens {
		tokens[i] = int32(i*7%200 + 3)
	}
	return tokens
}

// ownTime is the processor time of this process, in seconds.
func ownTime() float64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// startServer starts a llama-server with one thread, else as it is by itself.
func startServer(b *testing.B, server, path string) contender {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	addr := l.Addr().(*net.TCPAddr)
	l.Close()
	cmd := exec.Command(server, "-m", path, "-t", "1", "-tb", "1", "-c", "2304", "-np", "1", "--port", strconv.Itoa(addr.Port))
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	url := "http://" + addr.String()
	for tries := 0; ; tries++ {
		if resp, err := http.Get(url + "/health"); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				break
			}
		}
		if tries == 600 {
			b.Fatalf("%s did not answer", server)
		}
		time.Sleep(100 * time.Millisecond)
	}
	ask := func(prompt, write int, keep bool) float64 {
		body, err := json.Marshal(map[string]any{
			"prompt": promptOf(prompt), "n_predict": write, "cache_prompt": keep, "ignore_eos": true, "temperature": 0,
		})
		if err != nil {
			b.Fatal(err)
		}
		start := timeOf(b, cmd.Process.Pid)
		resp, err := http.Post(url+"/completion", "application/json", bytes.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		defer resp.Body.Close()
		if answer, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK {
			b.Fatalf("%v %s %s", err, resp.Status, answer)
		}
		return timeOf(b, cmd.Process.Pid) - start
	}
	return func(prompt, write int) float64 {
		if write == 1 {
			return ask(prompt, 1, false)
		}
		ask(prompt, 1, true)
		return ask(prompt, write, true) // which reads the last token of the prompt again
	}
}

// timeOf is the processor time of another process, in seconds.
func timeOf(b *testing.B, pid int) float64 {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(line), ") ")
	f := strings.Fields(rest)
	ticks := 0
	for _, s := range f[11:13] {
		n, err := strconv.Atoi(s)
		if err != nil {
			b.Fatal(err)
		}
		ticks += n
	}
	return float64(ticks) / 100
}
