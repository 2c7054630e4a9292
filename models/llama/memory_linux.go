package llama

import "golang.org/x/sys/unix"

// physicalMemory returns the bytes of memory the machine has, 0 if unknown.
func physicalMemory() uint64 {
	var in unix.Sysinfo_t
	if err := unix.Sysinfo(&in); err != nil {
		return 0
	}
	return uint64(in.Totalram) * uint64(in.Unit)
}
