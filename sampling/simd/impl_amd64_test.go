package simd

import "golang.org/x/sys/cpu"

func available() []string {
	names := []string{"portable"}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		names = append(names, "avx2")
	}
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL {
		names = append(names, "avx512")
	}
	return names
}

func restore(name string) {
	usePortable()
	switch name {
	case "avx512":
		use512()
	case "avx2":
		use2()
	}
}
