#include "textflag.h"

// Constants, eight times each.

DATA log2e<>+0(SB)/8, $0x3fb8aa3b3fb8aa3b
DATA log2e<>+8(SB)/8, $0x3fb8aa3b3fb8aa3b
DATA log2e<>+16(SB)/8, $0x3fb8aa3b3fb8aa3b
DATA log2e<>+24(SB)/8, $0x3fb8aa3b3fb8aa3b
GLOBL log2e<>(SB), RODATA|NOPTR, $32
DATA magic<>+0(SB)/8, $0x4b4000004b400000
DATA magic<>+8(SB)/8, $0x4b4000004b400000
DATA magic<>+16(SB)/8, $0x4b4000004b400000
DATA magic<>+24(SB)/8, $0x4b4000004b400000
GLOBL magic<>(SB), RODATA|NOPTR, $32
DATA ln2hi<>+0(SB)/8, $0x3f3180003f318000
DATA ln2hi<>+8(SB)/8, $0x3f3180003f318000
DATA ln2hi<>+16(SB)/8, $0x3f3180003f318000
DATA ln2hi<>+24(SB)/8, $0x3f3180003f318000
GLOBL ln2hi<>(SB), RODATA|NOPTR, $32
DATA ln2lo<>+0(SB)/8, $0xb95e8083b95e8083
DATA ln2lo<>+8(SB)/8, $0xb95e8083b95e8083
DATA ln2lo<>+16(SB)/8, $0xb95e8083b95e8083
DATA ln2lo<>+24(SB)/8, $0xb95e8083b95e8083
GLOBL ln2lo<>(SB), RODATA|NOPTR, $32
DATA p0<>+0(SB)/8, $0x3950696739506967
DATA p0<>+8(SB)/8, $0x3950696739506967
DATA p0<>+16(SB)/8, $0x3950696739506967
DATA p0<>+24(SB)/8, $0x3950696739506967
GLOBL p0<>(SB), RODATA|NOPTR, $32
DATA p1<>+0(SB)/8, $0x3ab743ce3ab743ce
DATA p1<>+8(SB)/8, $0x3ab743ce3ab743ce
DATA p1<>+16(SB)/8, $0x3ab743ce3ab743ce
DATA p1<>+24(SB)/8, $0x3ab743ce3ab743ce
GLOBL p1<>(SB), RODATA|NOPTR, $32
DATA p2<>+0(SB)/8, $0x3c0889083c088908
DATA p2<>+8(SB)/8, $0x3c0889083c088908
DATA p2<>+16(SB)/8, $0x3c0889083c088908
DATA p2<>+24(SB)/8, $0x3c0889083c088908
GLOBL p2<>(SB), RODATA|NOPTR, $32
DATA p3<>+0(SB)/8, $0x3d2aa9c13d2aa9c1
DATA p3<>+8(SB)/8, $0x3d2aa9c13d2aa9c1
DATA p3<>+16(SB)/8, $0x3d2aa9c13d2aa9c1
DATA p3<>+24(SB)/8, $0x3d2aa9c13d2aa9c1
GLOBL p3<>(SB), RODATA|NOPTR, $32
DATA p4<>+0(SB)/8, $0x3e2aaaaa3e2aaaaa
DATA p4<>+8(SB)/8, $0x3e2aaaaa3e2aaaaa
DATA p4<>+16(SB)/8, $0x3e2aaaaa3e2aaaaa
DATA p4<>+24(SB)/8, $0x3e2aaaaa3e2aaaaa
GLOBL p4<>(SB), RODATA|NOPTR, $32
DATA p5<>+0(SB)/8, $0x3f0000003f000000
DATA p5<>+8(SB)/8, $0x3f0000003f000000
DATA p5<>+16(SB)/8, $0x3f0000003f000000
DATA p5<>+24(SB)/8, $0x3f0000003f000000
GLOBL p5<>(SB), RODATA|NOPTR, $32
DATA one<>+0(SB)/8, $0x3f8000003f800000
DATA one<>+8(SB)/8, $0x3f8000003f800000
DATA one<>+16(SB)/8, $0x3f8000003f800000
DATA one<>+24(SB)/8, $0x3f8000003f800000
GLOBL one<>(SB), RODATA|NOPTR, $32
DATA low<>+0(SB)/8, $0xc2ae0000c2ae0000
DATA low<>+8(SB)/8, $0xc2ae0000c2ae0000
DATA low<>+16(SB)/8, $0xc2ae0000c2ae0000
DATA low<>+24(SB)/8, $0xc2ae0000c2ae0000
GLOBL low<>(SB), RODATA|NOPTR, $32
DATA high<>+0(SB)/8, $0x42b0000042b00000
DATA high<>+8(SB)/8, $0x42b0000042b00000
DATA high<>+16(SB)/8, $0x42b0000042b00000
DATA high<>+24(SB)/8, $0x42b0000042b00000
GLOBL high<>(SB), RODATA|NOPTR, $32
DATA inf<>+0(SB)/8, $0x7f8000007f800000
DATA inf<>+8(SB)/8, $0x7f8000007f800000
DATA inf<>+16(SB)/8, $0x7f8000007f800000
DATA inf<>+24(SB)/8, $0x7f8000007f800000
GLOBL inf<>(SB), RODATA|NOPTR, $32
DATA bias<>+0(SB)/8, $0x3f8000003f800000
DATA bias<>+8(SB)/8, $0x3f8000003f800000
DATA bias<>+16(SB)/8, $0x3f8000003f800000
DATA bias<>+24(SB)/8, $0x3f8000003f800000
GLOBL bias<>(SB), RODATA|NOPTR, $32
DATA sign<>+0(SB)/8, $0x8000000080000000
DATA sign<>+8(SB)/8, $0x8000000080000000
DATA sign<>+16(SB)/8, $0x8000000080000000
DATA sign<>+24(SB)/8, $0x8000000080000000
GLOBL sign<>(SB), RODATA|NOPTR, $32
DATA ninf<>+0(SB)/8, $0xff800000ff800000
DATA ninf<>+8(SB)/8, $0xff800000ff800000
DATA ninf<>+16(SB)/8, $0xff800000ff800000
DATA ninf<>+24(SB)/8, $0xff800000ff800000
GLOBL ninf<>(SB), RODATA|NOPTR, $32

// EXP replaces x by its exponential, as Exp has it. It uses Y1 to Y6.
#define EXP(x) \
	VMULPS    log2e<>(SB), x, Y1  \
	VADDPS    magic<>(SB), Y1, Y1 \
	VSUBPS    magic<>(SB), Y1, Y2 \
	VMULPS    ln2hi<>(SB), Y2, Y3 \
	VSUBPS    Y3, x, Y5           \
	VMULPS    ln2lo<>(SB), Y2, Y3 \
	VSUBPS    Y3, Y5, Y5          \
	VMULPS    p0<>(SB), Y5, Y3    \
	VADDPS    p1<>(SB), Y3, Y3    \
	VMULPS    Y5, Y3, Y3          \
	VADDPS    p2<>(SB), Y3, Y3    \
	VMULPS    Y5, Y3, Y3          \
	VADDPS    p3<>(SB), Y3, Y3    \
	VMULPS    Y5, Y3, Y3          \
	VADDPS    p4<>(SB), Y3, Y3    \
	VMULPS    Y5, Y3, Y3          \
	VADDPS    p5<>(SB), Y3, Y3    \
	VMULPS    Y5, Y5, Y4          \
	VMULPS    Y4, Y3, Y3          \
	VADDPS    Y5, Y3, Y3          \
	VADDPS    one<>(SB), Y3, Y3   \
	VPSLLD    $23, Y1, Y1         \
	VPADDD    bias<>(SB), Y1, Y1  \
	VMULPS    Y1, Y3, Y3          \
	VCMPPS    $0x01, low<>(SB), x, Y6  \
	VANDNPS   Y3, Y6, Y3          \
	VCMPPS    $0x0e, high<>(SB), x, Y6 \
	VBLENDVPS Y6, inf<>(SB), Y3, Y3 \
	VCMPPS    $0x03, x, x, Y6     \
	VBLENDVPS Y6, x, Y3, x

// MULADD adds the product of row r at element CX with the query in Y8.
#define MULADD(ptr, acc, t) \
	VMULPS (ptr)(CX*4), Y8, t \
	VADDPS t, acc, acc

// func dotRowsAVX2(dst, q, rows *float32, n, count int)
TEXT ·dotRowsAVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ q+8(FP), SI
	MOVQ rows+16(FP), BX
	MOVQ n+24(FP), DX
	MOVQ count+32(FP), AX
	LEAQ (DX*4), R8 // bytes of a row

eight:
	CMPQ AX, $8
	JLT  one
	LEAQ (BX)(R8*1), R9
	LEAQ (BX)(R8*2), R10
	LEAQ (R9)(R8*2), R11
	LEAQ (BX)(R8*4), R12
	LEAQ (R9)(R8*4), R13
	LEAQ (R10)(R8*4), R15
	LEAQ (R11)(R8*4), R14
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	XORQ   CX, CX

eightLoop:
	VMOVUPS (SI)(CX*4), Y8
	MULADD(BX, Y0, Y9)
	MULADD(R9, Y1, Y10)
	MULADD(R10, Y2, Y11)
	MULADD(R11, Y3, Y12)
	MULADD(R12, Y4, Y13)
	MULADD(R13, Y5, Y14)
	MULADD(R15, Y6, Y15)
	MULADD(R14, Y7, Y9)
	ADDQ   $8, CX
	CMPQ   CX, DX
	JLT    eightLoop

	VHADDPS Y1, Y0, Y0
	VHADDPS Y3, Y2, Y2
	VHADDPS Y2, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPS  X1, X0, X0
	VMOVUPS X0, (DI)
	VHADDPS Y5, Y4, Y4
	VHADDPS Y7, Y6, Y6
	VHADDPS Y6, Y4, Y4
	VEXTRACTF128 $1, Y4, X5
	VADDPS  X5, X4, X4
	VMOVUPS X4, 16(DI)
	ADDQ    $32, DI
	LEAQ    (BX)(R8*8), BX
	SUBQ    $8, AX
	JMP     eight

one:
	TESTQ  AX, AX
	JZ     done
	VXORPS Y0, Y0, Y0
	XORQ   CX, CX

oneLoop:
	VMOVUPS (SI)(CX*4), Y8
	MULADD(BX, Y0, Y9)
	ADDQ    $8, CX
	CMPQ    CX, DX
	JLT     oneLoop
	VHADDPS Y0, Y0, Y0
	VHADDPS Y0, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDSS  X1, X0, X0
	VMOVSS  X0, (DI)
	ADDQ    $4, DI
	ADDQ    R8, BX
	DECQ    AX
	JMP     one

done:
	VZEROUPPER
	RET

// SCALED adds Y8 times eight elements at an offset of a row.
#define SCALED(off, acc, t) \
	VMULPS off(R9), Y8, t \
	VADDPS t, acc, acc

// func addScaledRowsAVX2(dst, w, rows *float32, n, count int)
TEXT ·addScaledRowsAVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ w+8(FP), SI
	MOVQ rows+16(FP), BX
	MOVQ n+24(FP), DX
	MOVQ count+32(FP), AX
	LEAQ (DX*4), R8 // bytes of a row

wide: // 64 columns
	CMPQ DX, $64
	JLT  middle
	VMOVUPS (DI), Y0
	VMOVUPS 32(DI), Y1
	VMOVUPS 64(DI), Y2
	VMOVUPS 96(DI), Y3
	VMOVUPS 128(DI), Y4
	VMOVUPS 160(DI), Y5
	VMOVUPS 192(DI), Y6
	VMOVUPS 224(DI), Y7
	MOVQ    BX, R9
	XORQ    CX, CX

wideLoop:
	VBROADCASTSS (SI)(CX*4), Y8
	SCALED(0, Y0, Y9)
	SCALED(32, Y1, Y10)
	SCALED(64, Y2, Y11)
	SCALED(96, Y3, Y12)
	SCALED(128, Y4, Y13)
	SCALED(160, Y5, Y14)
	SCALED(192, Y6, Y15)
	SCALED(224, Y7, Y9)
	ADDQ R8, R9
	INCQ CX
	CMPQ CX, AX
	JLT  wideLoop
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, 64(DI)
	VMOVUPS Y3, 96(DI)
	VMOVUPS Y4, 128(DI)
	VMOVUPS Y5, 160(DI)
	VMOVUPS Y6, 192(DI)
	VMOVUPS Y7, 224(DI)
	ADDQ    $256, DI
	ADDQ    $256, BX
	SUBQ    $64, DX
	JMP     wide

middle: // 32 columns
	CMPQ DX, $32
	JLT  narrow
	VMOVUPS (DI), Y0
	VMOVUPS 32(DI), Y1
	VMOVUPS 64(DI), Y2
	VMOVUPS 96(DI), Y3
	MOVQ    BX, R9
	XORQ    CX, CX

middleLoop:
	VBROADCASTSS (SI)(CX*4), Y8
	SCALED(0, Y0, Y9)
	SCALED(32, Y1, Y10)
	SCALED(64, Y2, Y11)
	SCALED(96, Y3, Y12)
	ADDQ R8, R9
	INCQ CX
	CMPQ CX, AX
	JLT  middleLoop
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, 64(DI)
	VMOVUPS Y3, 96(DI)
	ADDQ    $128, DI
	ADDQ    $128, BX
	SUBQ    $32, DX

narrow: // 8 columns
	TESTQ DX, DX
	JZ    end
	VMOVUPS (DI), Y0
	MOVQ    BX, R9
	XORQ    CX, CX

narrowLoop:
	VBROADCASTSS (SI)(CX*4), Y8
	SCALED(0, Y0, Y9)
	ADDQ R8, R9
	INCQ CX
	CMPQ CX, AX
	JLT  narrowLoop
	VMOVUPS Y0, (DI)
	ADDQ    $32, DI
	ADDQ    $32, BX
	SUBQ    $8, DX
	JMP     narrow

end:
	VZEROUPPER
	RET

// func expSubAVX2(a *float32, n int, top float32, sums *[8]float32)
TEXT ·expSubAVX2(SB), NOSPLIT, $0-32
	MOVQ a+0(FP), DI
	MOVQ n+8(FP), AX
	VBROADCASTSS top+16(FP), Y8
	MOVQ sums+24(FP), SI
	VXORPS Y7, Y7, Y7

expLoop:
	VMOVUPS (DI), Y0
	VSUBPS  Y8, Y0, Y0
	EXP(Y0)
	VADDPS  Y0, Y7, Y7
	VMOVUPS Y0, (DI)
	ADDQ    $32, DI
	SUBQ    $8, AX
	JNZ     expLoop
	VMOVUPS Y7, (SI)
	VZEROUPPER
	RET

// func siluMulAVX2(gate, a *float32, n int)
TEXT ·siluMulAVX2(SB), NOSPLIT, $0-24
	MOVQ gate+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ n+16(FP), AX

siluLoop:
	VMOVUPS (DI), Y8
	VXORPS  sign<>(SB), Y8, Y0
	EXP(Y0)
	VADDPS  one<>(SB), Y0, Y0
	VDIVPS  Y0, Y8, Y0
	VMULPS  (SI), Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ    $32, DI
	ADDQ    $32, SI
	SUBQ    $8, AX
	JNZ     siluLoop
	VZEROUPPER
	RET

// func maxAVX2(a *float32, n int, tops *[8]float32)
TEXT ·maxAVX2(SB), NOSPLIT, $0-24
	MOVQ a+0(FP), DI
	MOVQ n+8(FP), AX
	MOVQ tops+16(FP), SI
	VMOVUPS ninf<>(SB), Y0

maxLoop:
	VMOVUPS (DI), Y1
	VMAXPS  Y0, Y1, Y0 // Y0 where Y1 is NaN
	ADDQ    $32, DI
	SUBQ    $8, AX
	JNZ     maxLoop
	VMOVUPS Y0, (SI)
	VZEROUPPER
	RET

// func fromHalfF16C(dst *float32, h *uint16, n int)
TEXT ·fromHalfF16C(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ h+8(FP), SI
	MOVQ n+16(FP), AX

halfLoop:
	VCVTPH2PS (SI), Y0
	VMOVUPS   Y0, (DI)
	ADDQ      $16, SI
	ADDQ      $32, DI
	SUBQ      $8, AX
	JNZ       halfLoop
	VZEROUPPER
	RET

// func prefetch(at unsafe.Pointer, lines int)
TEXT ·prefetch(SB), NOSPLIT, $0-16
	MOVQ at+0(FP), SI
	MOVQ lines+8(FP), CX
line:
	PREFETCHT0 (SI)
	ADDQ $64, SI
	DECQ CX
	JNZ  line
	RET
