#include "textflag.h"

// The assembler has no names for the vector products and sums that round
// each by itself. Operands are numbers of registers, the result last.
#define FMUL4(m, n, d) WORD $(0x6e20dc00 | (m)<<16 | (n)<<5 | (d))
#define FADD4(m, n, d) WORD $(0x4e20d400 | (m)<<16 | (n)<<5 | (d))

// FADDP4 sets d to the sums of neighbours, first those of n, then those of m.
#define FADDP4(m, n, d) WORD $(0x6e20d400 | (m)<<16 | (n)<<5 | (d))

// MULADD adds eight products of the row at ptr with the query in V16 and V17.
#define MULADD(ptr, a, b) \
	VLD1.P 32(ptr), [V18.S4, V19.S4] \
	FMUL4(16, 18, 18)                \
	FMUL4(17, 19, 19)                \
	FADD4(18, a, a)                  \
	FADD4(19, b, b)

// func dotRowsNEON(dst, q, rows *float32, n, count int)
TEXT ·dotRowsNEON(SB), NOSPLIT, $0-40
	MOVD dst+0(FP), R0
	MOVD q+8(FP), R1
	MOVD rows+16(FP), R2
	MOVD n+24(FP), R3
	MOVD count+32(FP), R4
	LSL  $2, R3, R5 // bytes of a row

four:
	CMP  $4, R4
	BLT  one
	ADD  R5, R2, R6
	ADD  R5, R6, R7
	ADD  R5, R7, R8
	ADD  R5, R8, R9  // the row after these
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16
	VEOR V4.B16, V4.B16, V4.B16
	VEOR V5.B16, V5.B16, V5.B16
	VEOR V6.B16, V6.B16, V6.B16
	VEOR V7.B16, V7.B16, V7.B16
	MOVD R1, R10
	MOVD R3, R11

fourLoop:
	VLD1.P 32(R10), [V16.S4, V17.S4]
	MULADD(R2, 0, 1)
	MULADD(R6, 2, 3)
	MULADD(R7, 4, 5)
	MULADD(R8, 6, 7)
	SUBS   $8, R11, R11
	BNE    fourLoop

	FADDP4(1, 0, 0)
	FADDP4(3, 2, 2)
	FADDP4(5, 4, 4)
	FADDP4(7, 6, 6)
	FADDP4(2, 0, 0)
	FADDP4(6, 4, 4)
	FADDP4(4, 0, 0)
	VST1.P [V0.S4], 16(R0)
	MOVD   R9, R2
	SUB    $4, R4, R4
	B      four

one:
	CBZ  R4, done
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	MOVD R1, R10
	MOVD R3, R11

oneLoop:
	VLD1.P 32(R10), [V16.S4, V17.S4]
	MULADD(R2, 0, 1)
	SUBS   $8, R11, R11
	BNE    oneLoop
	FADDP4(1, 0, 0)
	FADDP4(0, 0, 0)
	FADDP4(0, 0, 0)
	FMOVS  F0, (R0)
	ADD    $4, R0, R0
	SUB    $1, R4, R4
	B      one

done:
	RET

// func addScaledRowsNEON(dst, w, rows *float32, n, count int)
TEXT ·addScaledRowsNEON(SB), NOSPLIT, $0-40
	MOVD dst+0(FP), R0
	MOVD w+8(FP), R1
	MOVD rows+16(FP), R2
	MOVD n+24(FP), R3
	MOVD count+32(FP), R4
	LSL  $2, R3, R5 // bytes of a row

wide: // 32 columns
	CMP  $32, R3
	BLT  narrow
	MOVD R0, R6
	VLD1.P 64(R6), [V0.S4, V1.S4, V2.S4, V3.S4]
	VLD1   (R6), [V4.S4, V5.S4, V6.S4, V7.S4]
	MOVD R1, R7
	MOVD R2, R8
	MOVD R4, R9

wideLoop:
	VLD1R.P 4(R7), [V24.S4]
	ADD     $64, R8, R10
	VLD1    (R8), [V16.S4, V17.S4, V18.S4, V19.S4]
	VLD1    (R10), [V20.S4, V21.S4, V22.S4, V23.S4]
	FMUL4(24, 16, 16)
	FMUL4(24, 17, 17)
	FMUL4(24, 18, 18)
	FMUL4(24, 19, 19)
	FMUL4(24, 20, 20)
	FMUL4(24, 21, 21)
	FMUL4(24, 22, 22)
	FMUL4(24, 23, 23)
	FADD4(16, 0, 0)
	FADD4(17, 1, 1)
	FADD4(18, 2, 2)
	FADD4(19, 3, 3)
	FADD4(20, 4, 4)
	FADD4(21, 5, 5)
	FADD4(22, 6, 6)
	FADD4(23, 7, 7)
	ADD     R5, R8, R8
	SUBS    $1, R9, R9
	BNE     wideLoop
	VST1.P  [V0.S4, V1.S4, V2.S4, V3.S4], 64(R0)
	VST1.P  [V4.S4, V5.S4, V6.S4, V7.S4], 64(R0)
	ADD     $128, R2, R2
	SUB     $32, R3, R3
	B       wide

narrow: // 8 columns
	CBZ  R3, end
	VLD1 (R0), [V0.S4, V1.S4]
	MOVD R1, R7
	MOVD R2, R8
	MOVD R4, R9

narrowLoop:
	VLD1R.P 4(R7), [V24.S4]
	VLD1    (R8), [V16.S4, V17.S4]
	FMUL4(24, 16, 16)
	FMUL4(24, 17, 17)
	FADD4(16, 0, 0)
	FADD4(17, 1, 1)
	ADD     R5, R8, R8
	SUBS    $1, R9, R9
	BNE     narrowLoop
	VST1.P  [V0.S4, V1.S4], 32(R0)
	ADD     $32, R2, R2
	SUB     $8, R3, R3
	B       narrow

end:
	RET
