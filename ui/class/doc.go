// Package class answers: how does a class see one lab, and vote on it? It shows
// one lab to a class, and lets the class vote on what comes next.
//
// A [Hub] is the class: who is here, what is shown, what is asked. The lab
// hands it scenes and questions; it hands everybody the newest [View], which
// is overwritten and never queued, so that a slow reader skips frames and
// holds nobody. [Open] puts an SSH server and a web page in front of a hub:
// the only two things in the program that listen. They take votes and nothing
// else: there is no shell, no command, no file and no forwarding behind them.
package class
