package class

import (
	gossh "golang.org/x/crypto/ssh"
)

// A narrow channel passes on the requests that a terminal needs, and refuses
// all others: agents, subsystems, X11, signals. The caller keeps the channel:
// frames are sent as they are, without the library's look for newlines.
type narrow struct {
	gossh.NewChannel
	of *caller
}

func (n narrow) Accept() (gossh.Channel, <-chan *gossh.Request, error) {
	ch, in, err := n.NewChannel.Accept()
	if err != nil {
		return nil, nil, err
	}
	n.of.out = ch
	out := make(chan *gossh.Request)
	go func() {
		defer recovered()
		defer close(out)
		env := 0
		for r := range in {
			if r.Type == requestEnv {
				env++
			}
			if ok := allowed(r) && env <= maxEnv; !ok {
				if r.WantReply {
					r.Reply(false, nil)
				}
				continue
			}
			out <- r
		}
	}()
	return ch, out, nil
}

const (
	requestEnv     = "env"
	maxEnv         = 8
	longestRequest = 1 << 10
)

// needed are the requests of a terminal. A command is passed on to be told
// that there is none here.
var needed = map[string]bool{"pty-req": true, "shell": true, "exec": true, "window-change": true, requestEnv: true}

// environment are the variables that say what a terminal can show.
var environment = map[string]bool{"COLORTERM": true, "NO_COLOR": true, "LANG": true, "LC_ALL": true, "LC_CTYPE": true}

func allowed(r *gossh.Request) bool {
	if !needed[r.Type] || len(r.Payload) > longestRequest {
		return false
	}
	if r.Type != requestEnv {
		return true
	}
	var kv struct{ Key, Value string }
	return gossh.Unmarshal(r.Payload, &kv) == nil && environment[kv.Key]
}
