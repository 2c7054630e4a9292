package tui

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// endSignals ask a program to end: an interrupt, a termination, and the
// terminal that goes away.
var endSignals = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}

// readableDump gives the terminal back, by restore, before a SIGQUIT prints
// where all goroutines are: on a raw terminal, whose other screen is gone
// afterwards, nobody could read it. Its end undoes that.
func readableDump(restore func() error) (end func()) {
	if signal.Ignored(syscall.SIGQUIT) {
		return func() {}
	}
	c, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(c, syscall.SIGQUIT)
	go func() {
		select {
		case <-c:
			signal.Reset(syscall.SIGQUIT) // a second one prints at once
			_ = restore()
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				_ = self.Signal(syscall.SIGQUIT)
			}
		case <-done:
			signal.Stop(c)
		}
	}()
	return func() { close(done) }
}

// Signalled returns a context that ends with the first signal that asks the
// program to end. The second one ends the program at once, whatever it is
// waiting for. A signal that the program was started to ignore, as nohup does
// with SIGHUP, stays ignored. stop gives the signals their own meaning back.
func Signalled(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(parent)
	c := make(chan os.Signal, 1)
	// Notify of no signals would mean all of them.
	if heard := slices.DeleteFunc(slices.Clone(endSignals), signal.Ignored); len(heard) > 0 {
		signal.Notify(c, heard...)
	}
	go func() {
		select {
		case <-c:
		case <-ctx.Done():
		}
		signal.Stop(c) // before anybody hears of the first
		cancel()
	}()
	return ctx, cancel
}
