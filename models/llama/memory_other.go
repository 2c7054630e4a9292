//go:build !linux && !darwin && !windows

package llama

// physicalMemory returns 0: the size of memory is not known here.
func physicalMemory() uint64 { return 0 }
