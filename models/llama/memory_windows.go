package llama

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

var globalMemoryStatusEx = windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")

// memoryStatus is MEMORYSTATUSEX.
type memoryStatus struct {
	length, load                                                                uint32
	totalPhys, availPhys, totalPage, availPage, totalVirt, availVirt, availExtd uint64
}

// physicalMemory returns the bytes of memory the machine has, 0 if unknown.
func physicalMemory() uint64 {
	var s memoryStatus
	s.length = uint32(unsafe.Sizeof(s))
	if ok, _, _ := globalMemoryStatusEx.Call(uintptr(unsafe.Pointer(&s))); ok == 0 {
		return 0
	}
	return s.totalPhys
}
