package remote

import (
	"net"
	"syscall"
)

// A promptConn acknowledges at once what it receives. Some servers, among them
// builds of llama-server without TCP_NODELAY, send an answer in two writes,
// and the second waits for the acknowledgement of the first, which is
// otherwise put off for 40 ms.
type promptConn struct {
	net.Conn
	raw syscall.RawConn
}

// tcpQuickAck is TCP_QUICKACK, which the kernel forgets after a while.
const tcpQuickAck = 12

func (c *promptConn) Read(p []byte) (int, error) {
	// A kernel that does not know the option only answers later.
	c.raw.Control(func(fd uintptr) { syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpQuickAck, 1) })
	return c.Conn.Read(p)
}

// acknowledging returns c, made to acknowledge at once if it can be.
func acknowledging(c net.Conn) net.Conn {
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return c
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return c
	}
	return &promptConn{c, raw}
}
