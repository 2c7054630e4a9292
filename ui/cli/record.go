package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"logitscope/engine/record"
)

// A recording is the file of --record.
type recording struct {
	path, rows string
	cmd        *cobra.Command
	file       *os.File
	start      time.Time
}

// rowPolicies are the values of --rows.
var rowPolicies = map[string]record.RowPolicy{"full": record.RowsFull, "256": record.RowsBest, "top": record.RowsTop}

// addRecord declares the flags of a recording on cmd.
func addRecord(cmd *cobra.Command) *recording {
	r := &recording{cmd: cmd}
	cmd.Flags().StringVar(&r.path, "record", "", "also write the run to this file, step by step, for logitscope replay")
	cmd.Flags().StringVar(&r.rows, "rows", "256", "logits that --record keeps of a step: full, 256 (the best, and the others in bins), top")
	return r
}

// check checks the flags.
func (r *recording) check() error {
	if _, ok := rowPolicies[r.rows]; !ok {
		return wrong("--rows %s: full, 256 or top", r.rows)
	}
	if r.cmd.Flags().Changed("rows") && r.path == "" {
		return wrong("--rows says what --record FILE keeps; there is no --record")
	}
	return nil
}

// on reports whether there is something to record.
func (r *recording) on() bool { return r != nil && r.path != "" }

// logits returns how many bytes of rows a lane must keep so that none is gone
// before it is written; otherwise is what it keeps without a recording.
func (r *recording) logits(otherwise int64) int64 {
	if r.on() && r.rows != "top" {
		return max(otherwise, 512<<20)
	}
	return otherwise
}

// open creates the file at the first use. An existing file is replaced only
// if it is empty or a recording.
func (r *recording) open() (io.Writer, error) {
	if r.file != nil {
		return r.file, nil
	}
	if s, err := os.Stat(r.path); err == nil && s.Mode().IsRegular() && s.Size() > 0 {
		if _, err := record.Open(r.path); err != nil {
			return nil, wrong("--record %s: the file exists and is not a recording; it stays as it is", r.path)
		}
	}
	f, err := os.Create(r.path)
	if err != nil {
		return nil, wrong("--record %w", fileError(r.path, err))
	}
	r.file, r.start = f, time.Now()
	return f, nil
}

// options are those of a lane's writer.
func (r *recording) options(lane *int) record.Options {
	return record.Options{
		Lane: lane, Top: 10, Rows: rowPolicies[r.rows], Now: time.Now, Rates: true, Sealed: true, Program: "logitscope " + version(),
	}
}

// beside returns k, and beside it the recording of j if there is one.
func (r *recording) beside(k sink, j *job, lane *int) (sink, error) {
	if !r.on() {
		return k, nil
	}
	w, err := r.open()
	if err != nil {
		return nil, err
	}
	return sinks{newJSONSink(w, j, r.options(lane)), k}, nil
}

func (r *recording) close() {
	if r.file != nil {
		r.file.Close()
	}
}

// closed closes the file and returns err, or what went wrong with that.
func (r *recording) closed(err error) error {
	if r == nil || r.file == nil {
		return err
	}
	cerr := r.file.Close()
	r.file = nil
	if err == nil && cerr != nil {
		return fmt.Errorf("--record %w", fileError(filepath.Clean(r.path), cerr))
	}
	return err
}
