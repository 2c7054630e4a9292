package llama

import "golang.org/x/sys/unix"

// physicalMemory returns the bytes of memory the machine has, 0 if unknown.
func physicalMemory() uint64 {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return n
}
