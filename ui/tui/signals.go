package tui

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Signalled returns a context that ends with the first signal that asks the
// program to end: an interrupt, a termination, or the terminal that goes away.
// The second one ends the program at once, whatever it is waiting for. stop
// gives the signals their own meaning back.
func Signalled(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(parent)
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
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
