package class

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
)

// Where a class listens unless it is told otherwise.
const (
	SSHPort = 2222
	WebPort = 8089
)

// An Address is where one of the servers listens, and what to tell others.
type Address struct {
	Listen string // host:port
	Shown  string // the same as others reach it
	All    bool   // every interface of this machine listens
}

// ResolveAddress reads ADDR of a flag: empty for this machine's address in its
// network, a port of it, an address, or both. Only an address that says so
// itself (0.0.0.0, ::) means every interface.
func ResolveAddress(flag, addr string, port int) (Address, error) {
	want := func() (Address, error) {
		return Address{}, fmt.Errorf("--%s %s: want an address, a port, ADDRESS:PORT or off", flag, addr)
	}
	host := addr
	if h, p, err := net.SplitHostPort(addr); err == nil {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil {
			return want()
		}
		host, port = h, int(n)
	} else if n, err := strconv.ParseUint(addr, 10, 16); err == nil {
		host, port = "", int(n)
	}
	ip := ownAddress()
	if host != "" {
		var err error
		if host == localName {
			host = "127.0.0.1"
		}
		if ip, err = netip.ParseAddr(host); err != nil {
			return want()
		}
	}
	a := Address{Listen: netip.AddrPortFrom(ip, uint16(port)).String(), All: ip.IsUnspecified()}
	if a.All {
		ip = ownAddress()
	}
	a.Shown = netip.AddrPortFrom(ip, uint16(port)).String()
	return a, nil
}

// ownAddress is this machine's address in the network that it reaches others
// by; loopback where there is none.
func ownAddress() netip.Addr {
	// Nothing is sent: connecting a datagram socket asks for the route alone.
	// The address is one of those kept for documentation.
	if c, err := net.Dial("udp4", "192.0.2.1:9"); err == nil {
		defer c.Close()
		if ap, err := netip.ParseAddrPort(c.LocalAddr().String()); err == nil && !ap.Addr().IsLoopback() {
			return ap.Addr().Unmap()
		}
	}
	addrs, _ := net.InterfaceAddrs()
	for _, a := range addrs {
		if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().Is4() && p.Addr().IsPrivate() {
			return p.Addr()
		}
	}
	return netip.AddrFrom4([4]byte{127, 0, 0, 1})
}
