package kit

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"logitscope/ui/tui/run"
)

// A Job is what a view computes in the background: the newest result, what it
// was computed for, and what is asked for now. Its zero value has no result.
//
// A view asks in Act, or with every view of a lane by [Job.Follow], and draws
// Result. Results of what is no longer asked for are dropped.
type Job[K comparable, R any] struct {
	Key    K     // what Result is asked of
	Result R     // the newest one, that of an earlier key until Ready
	Err    error // why there is no result
	Ready  bool  // Result, or Err, is of Key
	round  int
}

// A jobMsg brings the result of a job.
type jobMsg[K comparable, R any] struct {
	of     *Job[K, R]
	round  int
	result R
	err    error
}

// Want asks for the result of key unless it is asked for already. f computes
// it off the screen's goroutine: it must not touch the view.
func (j *Job[K, R]) Want(key K, f func() (R, error)) tea.Cmd {
	if j.round > 0 && key == j.Key {
		return nil
	}
	return j.Start(key, f)
}

// Start is Want, even if the result of key was asked for before.
func (j *Job[K, R]) Start(key K, f func() (R, error)) tea.Cmd {
	j.Key, j.Ready = key, false
	j.round++
	round := j.round
	return func() tea.Msg {
		r, err := safely(f)
		return jobMsg[K, R]{j, round, r, err}
	}
}

// Fail says that there is no result of key, and why.
func (j *Job[K, R]) Fail(key K, err error) {
	j.Key, j.Err, j.Ready = key, err, true
	j.round++
}

// Take takes the result that msg brings, if it is this job's, and reports
// whether it did.
func (j *Job[K, R]) Take(msg tea.Msg) bool {
	m, ok := msg.(jobMsg[K, R])
	if !ok || m.of != j || m.round != j.round {
		return false
	}
	j.Result, j.Err, j.Ready = m.result, m.err, true
	return true
}

// Follow takes the result that msg brings, and calls again when a lane has a
// new view while the one that keys act on stands still: what is shown may be
// another step then.
func (j *Job[K, R]) Follow(h Host, msg tea.Msg, again func() tea.Cmd) tea.Cmd {
	if j.Take(msg) {
		return nil
	}
	if _, ok := msg.(run.ViewMsg); ok && !h.Lane().Running() {
		return again()
	}
	return nil
}

// safely calls f and returns a panic in it as an error: the program goes on
// without that result.
func safely[R any](f func() (R, error)) (r R, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	return f()
}
