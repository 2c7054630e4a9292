package setup

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"logitscope/engine/record"
	"logitscope/ui/cli/console"
)

// A Recording is the file of --record.
type Recording struct {
	path, rows string
	cmd        *cobra.Command
	file       *os.File
	start      time.Time
}

// rowPolicies are the values of --rows.
var rowPolicies = map[string]record.RowPolicy{"full": record.RowsFull, "256": record.RowsBest, "top": record.RowsTop}

// AddRecord declares the flags of a recording on cmd.
func AddRecord(cmd *cobra.Command) *Recording {
	r := &Recording{cmd: cmd}
	cmd.Flags().StringVar(&r.path, "record", "", "also write the run to this file, step by step, for logitscope replay")
	cmd.Flags().StringVar(&r.rows, "rows", "256", "logits that --record keeps of each step: full, 256 (the best, and the others in bins), top")
	console.Writes(cmd.Flags(), "record")
	return r
}

// Check checks the flags.
func (r *Recording) Check() error {
	if _, ok := rowPolicies[r.rows]; !ok {
		return console.Wrong("--rows %s: full, 256 or top", r.rows)
	}
	if r.cmd.Flags().Changed("rows") && r.path == "" {
		return console.Wrong("--rows says what --record FILE keeps; there is no --record")
	}
	return nil
}

// On reports whether there is something to record.
func (r *Recording) On() bool { return r != nil && r.path != "" }

// Logits returns how many bytes of rows a lane must keep so that none is gone
// before it is written; otherwise is what it keeps without a recording.
func (r *Recording) Logits(otherwise int64) int64 {
	if r.On() && r.rows != "top" {
		return max(otherwise, 512<<20)
	}
	return otherwise
}

// Rows returns how many tokens the rows of a lane should name at least, for
// what is kept of them.
func (r *Recording) Rows() int {
	switch {
	case !r.On():
		return 0
	case r.rows == "full":
		return math.MaxInt
	}
	return record.BestRows
}

// Open creates the file at the first use. An existing file is replaced only
// if it is empty or a recording.
func (r *Recording) Open() (io.Writer, error) {
	if r.file != nil {
		return r.file, nil
	}
	if s, err := os.Stat(r.path); err == nil && s.Mode().IsRegular() && s.Size() > 0 {
		if _, err := record.Open(r.path); err != nil {
			return nil, console.Wrong("--record %s: the file exists and is not a recording; it stays as it is", r.path)
		}
	}
	f, err := os.Create(r.path)
	if err != nil {
		return nil, console.Wrong("--record %w", console.FileError(r.path, err))
	}
	r.file, r.start = f, time.Now()
	return f, nil
}

// Options are those of a lane's writer.
func (r *Recording) Options(lane *int) record.Options {
	return record.Options{
		Lane: lane, Top: 10, Rows: rowPolicies[r.rows], Now: time.Now, Rates: true, Sealed: true, Sum: true, Program: "logitscope " + console.Version(),
	}
}

// Beside returns k, and beside it the recording of j if there is one.
func (r *Recording) Beside(k Sink, j *Job, lane *int) (Sink, error) {
	if !r.On() {
		return k, nil
	}
	w, err := r.Open()
	if err != nil {
		return nil, err
	}
	return sinks{NewJSONSink(w, j, r.Options(lane)), k}, nil
}

// Close closes the file, whatever became of it.
func (r *Recording) Close() {
	if r.file != nil {
		r.file.Close()
	}
}

// Closed closes the file and returns err, or what went wrong with that.
func (r *Recording) Closed(err error) error {
	if r == nil || r.file == nil {
		return err
	}
	cerr := r.file.Close()
	r.file = nil
	if err == nil && cerr != nil {
		return fmt.Errorf("--record %w", console.FileError(filepath.Clean(r.path), cerr))
	}
	return err
}
