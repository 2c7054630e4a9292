#include "textflag.h"

// Vector instructions that the assembler has no names for. Operands are
// numbers of registers, the result last. Products and sums are rounded one by
// one.
#define FMUL4(m, n, d) WORD $(0x6e20dc00 | (m)<<16 | (n)<<5 | (d))
#define FADD4(m, n, d) WORD $(0x4e20d400 | (m)<<16 | (n)<<5 | (d))
#define FSUB4(m, n, d) WORD $(0x4ea0d400 | (m)<<16 | (n)<<5 | (d))
#define FADDP4(m, n, d) WORD $(0x6e20d400 | (m)<<16 | (n)<<5 | (d))

// Signed bytes to 16 bits, 16 bits to 32, and those to float32; LO takes the
// lower half of n, HI the upper.
#define SXTL8LO(n, d) WORD $(0x0f08a400 | (n)<<5 | (d))
#define SXTL8HI(n, d) WORD $(0x4f08a400 | (n)<<5 | (d))
#define SXTL16LO(n, d) WORD $(0x0f10a400 | (n)<<5 | (d))
#define SXTL16HI(n, d) WORD $(0x4f10a400 | (n)<<5 | (d))
#define SCVTF4(n, d) WORD $(0x4e21d800 | (n)<<5 | (d))

// Halves to float32.
#define FCVTLLO(n, d) WORD $(0x0e217800 | (n)<<5 | (d))
#define FCVTLHI(n, d) WORD $(0x4e217800 | (n)<<5 | (d))

// ZERO clears the 32 lanes of a row, which are V0 to V7 in order.
#define ZERO \
	VEOR V0.B16, V0.B16, V0.B16 \
	VEOR V1.B16, V1.B16, V1.B16 \
	VEOR V2.B16, V2.B16, V2.B16 \
	VEOR V3.B16, V3.B16, V3.B16 \
	VEOR V4.B16, V4.B16, V4.B16 \
	VEOR V5.B16, V5.B16, V5.B16 \
	VEOR V6.B16, V6.B16, V6.B16 \
	VEOR V7.B16, V7.B16, V7.B16

// TOTAL adds the lanes up as sums.total does, and stores the result.
#define TOTAL \
	FADD4(2, 0, 0)                  \
	FADD4(6, 4, 4)                  \
	FADD4(4, 0, 0)                  \
	FADD4(3, 1, 1)                  \
	FADD4(7, 5, 5)                  \
	FADD4(5, 1, 1)                  \
	FADD4(1, 0, 0)                  \
	VEXT   $8, V0.B16, V0.B16, V1.B16 \
	FADD4(1, 0, 0)                  \
	FADDP4(0, 0, 0)                 \
	FMOVS  F0, (R0)                 \
	ADD    $4, R0, R0

// EIGHT multiplies eight integers of 16 bits by the scale in V24 and by the
// values in xa and xb, and adds them to the lanes in a and b.
#define EIGHT(h, xa, xb, a, b) \
	SXTL16LO(h, 22)   \
	SXTL16HI(h, 23)   \
	SCVTF4(22, 22)    \
	SCVTF4(23, 23)    \
	FMUL4(24, 22, 22) \
	FMUL4(24, 23, 23) \
	FMUL4(xa, 22, 22) \
	FMUL4(xb, 23, 23) \
	FADD4(22, a, a)   \
	FADD4(23, b, b)

// BLOCK does that with the 32 bytes in V16 and V17.
#define BLOCK \
	SXTL8LO(16, 18)                                    \
	SXTL8HI(16, 19)                                    \
	SXTL8LO(17, 20)                                    \
	SXTL8HI(17, 21)                                    \
	VLD1.P 64(R6), [V28.S4, V29.S4, V30.S4, V31.S4]    \
	EIGHT(18, 28, 29, 0, 1)                            \
	EIGHT(19, 30, 31, 2, 3)                            \
	VLD1.P 64(R6), [V28.S4, V29.S4, V30.S4, V31.S4]    \
	EIGHT(20, 28, 29, 4, 5)                            \
	EIGHT(21, 30, 31, 6, 7)

// SCALE loads a half from R1 as the scale of a block.
#define SCALE \
	VLD1   (R1), V24.H[0]    \
	FCVTHS F24, F24          \
	VDUP   V24.S[0], V24.S4  \
	ADD    $2, R1, R1

// func mulQ8_0NEON(dst *float32, w *byte, rows int, x *float32, cols int)
TEXT ·mulQ8_0NEON(SB), NOSPLIT, $0-40
	MOVD dst+0(FP), R0
	MOVD w+8(FP), R1
	MOVD rows+16(FP), R2
	MOVD x+24(FP), R3
	MOVD cols+32(FP), R4

row:
	ZERO
	MOVD R3, R6
	MOVD R4, R7

block:
	SCALE
	VLD1.P 32(R1), [V16.B16, V17.B16]
	BLOCK
	SUBS   $32, R7, R7
	BNE    block
	TOTAL
	SUBS   $1, R2, R2
	BNE    row
	RET

// func mulQ4_0NEON(dst *float32, w *byte, rows int, x *float32, cols int)
TEXT ·mulQ4_0NEON(SB), NOSPLIT, $0-40
	MOVD dst+0(FP), R0
	MOVD w+8(FP), R1
	MOVD rows+16(FP), R2
	MOVD x+24(FP), R3
	MOVD cols+32(FP), R4
	VMOVI $15, V25.B16
	VMOVI $8, V26.B16

row:
	ZERO
	MOVD R3, R6
	MOVD R4, R7

block:
	SCALE
	VLD1.P 16(R1), [V17.B16]
	VAND   V25.B16, V17.B16, V16.B16
	VUSHR  $4, V17.B16, V17.B16
	VSUB   V26.B16, V16.B16, V16.B16
	VSUB   V26.B16, V17.B16, V17.B16
	BLOCK
	SUBS   $32, R7, R7
	BNE    block
	TOTAL
	SUBS   $1, R2, R2
	BNE    row
	RET

// FOURS multiplies sixteen weights in V16 to V19 by values, and adds them to
// the lanes in a to d.
#define FOURS(a, b, c, d) \
	VLD1.P 64(R6), [V28.S4, V29.S4, V30.S4, V31.S4] \
	FMUL4(28, 16, 16) \
	FMUL4(29, 17, 17) \
	FMUL4(30, 18, 18) \
	FMUL4(31, 19, 19) \
	FADD4(16, a, a)   \
	FADD4(17, b, b)   \
	FADD4(18, c, c)   \
	FADD4(19, d, d)

// func mulF32NEON(dst *float32, w *byte, rows int, x *float32, cols int)
TEXT ·mulF32NEON(SB), NOSPLIT, $0-40
	MOVD dst+0(FP), R0
	MOVD w+8(FP), R1
	MOVD rows+16(FP), R2
	MOVD x+24(FP), R3
	MOVD cols+32(FP), R4

row:
	ZERO
	MOVD R3, R6
	MOVD R4, R7

block:
	VLD1.P 64(R1), [V16.S4, V17.S4, V18.S4, V19.S4]
	FOURS(0, 1, 2, 3)
	VLD1.P 64(R1), [V16.S4, V17.S4, V18.S4, V19.S4]
	FOURS(4, 5, 6, 7)
	SUBS   $32, R7, R7
	BNE    block
	TOTAL
	SUBS   $1, R2, R2
	BNE    row
	RET

// func mulF16NEON(dst *float32, w *byte, rows int, x *float32, cols int)
TEXT ·mulF16NEON(SB), NOSPLIT, $0-40
	MOVD dst+0(FP), R0
	MOVD w+8(FP), R1
	MOVD rows+16(FP), R2
	MOVD x+24(FP), R3
	MOVD cols+32(FP), R4

row:
	ZERO
	MOVD R3, R6
	MOVD R4, R7

block:
	VLD1.P 64(R1), [V20.H8, V21.H8, V22.H8, V23.H8]
	FCVTLLO(20, 16)
	FCVTLHI(20, 17)
	FCVTLLO(21, 18)
	FCVTLHI(21, 19)
	FOURS(0, 1, 2, 3)
	FCVTLLO(22, 16)
	FCVTLHI(22, 17)
	FCVTLLO(23, 18)
	FCVTLHI(23, 19)
	FOURS(4, 5, 6, 7)
	SUBS   $32, R7, R7
	BNE    block
	TOTAL
	SUBS   $1, R2, R2
	BNE    row
	RET

// func mulBF16NEON(dst *float32, w *byte, rows int, x *float32, cols int)
TEXT ·mulBF16NEON(SB), NOSPLIT, $0-40
	MOVD dst+0(FP), R0
	MOVD w+8(FP), R1
	MOVD rows+16(FP), R2
	MOVD x+24(FP), R3
	MOVD cols+32(FP), R4
	VEOR V27.B16, V27.B16, V27.B16

row:
	ZERO
	MOVD R3, R6
	MOVD R4, R7

block: // zeros below the 16 bits make a float32
	VLD1.P 64(R1), [V20.H8, V21.H8, V22.H8, V23.H8]
	VZIP1  V20.H8, V27.H8, V16.H8
	VZIP2  V20.H8, V27.H8, V17.H8
	VZIP1  V21.H8, V27.H8, V18.H8
	VZIP2  V21.H8, V27.H8, V19.H8
	FOURS(0, 1, 2, 3)
	VZIP1  V22.H8, V27.H8, V16.H8
	VZIP2  V22.H8, V27.H8, V17.H8
	VZIP1  V23.H8, V27.H8, V18.H8
	VZIP2  V23.H8, V27.H8, V19.H8
	FOURS(4, 5, 6, 7)
	SUBS   $32, R7, R7
	BNE    block
	TOTAL
	SUBS   $1, R2, R2
	BNE    row
	RET

// WIDEN turns 16 bytes in V16 into float32 in V18 to V21.
#define WIDEN \
	SXTL8LO(16, 22)  \
	SXTL8HI(16, 23)  \
	SXTL16LO(22, 18) \
	SXTL16HI(22, 19) \
	SXTL16LO(23, 20) \
	SXTL16HI(23, 21) \
	SCVTF4(18, 18)   \
	SCVTF4(19, 19)   \
	SCVTF4(20, 20)   \
	SCVTF4(21, 21)   \
	FMUL4(24, 18, 18) \
	FMUL4(24, 19, 19) \
	FMUL4(24, 20, 20) \
	FMUL4(24, 21, 21)

// func evaluateNEON(dst *float32, q *int8, scale, off *float32, n int)
TEXT ·evaluateNEON(SB), NOSPLIT, $0-40
	MOVD dst+0(FP), R0
	MOVD q+8(FP), R1
	MOVD scale+16(FP), R2
	MOVD off+24(FP), R4
	MOVD n+32(FP), R3

group:
	VLD1R.P 4(R2), [V24.S4]
	VLD1R.P 4(R4), [V25.S4]
	VLD1.P  16(R1), [V16.B16]
	WIDEN
	FSUB4(25, 18, 18)
	FSUB4(25, 19, 19)
	FSUB4(25, 20, 20)
	FSUB4(25, 21, 21)
	VST1.P  [V18.S4, V19.S4, V20.S4, V21.S4], 64(R0)
	SUBS    $16, R3, R3
	BNE     group
	RET

// func decodeQ8_0NEON(dst *float32, src *byte, n int)
TEXT ·decodeQ8_0NEON(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2

block:
	SCALE
	VLD1.P 32(R1), [V16.B16, V17.B16]
	WIDEN
	VST1.P [V18.S4, V19.S4, V20.S4, V21.S4], 64(R0)
	VMOV   V17.B16, V16.B16
	WIDEN
	VST1.P [V18.S4, V19.S4, V20.S4, V21.S4], 64(R0)
	SUBS   $32, R2, R2
	BNE    block
	RET

// func decodeQ4_0NEON(dst *float32, src *byte, n int)
TEXT ·decodeQ4_0NEON(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	VMOVI $15, V25.B16
	VMOVI $8, V26.B16

block:
	SCALE
	VLD1.P 16(R1), [V17.B16]
	VAND   V25.B16, V17.B16, V16.B16
	VSUB   V26.B16, V16.B16, V16.B16
	WIDEN
	VST1.P [V18.S4, V19.S4, V20.S4, V21.S4], 64(R0)
	VUSHR  $4, V17.B16, V16.B16
	VSUB   V26.B16, V16.B16, V16.B16
	WIDEN
	VST1.P [V18.S4, V19.S4, V20.S4, V21.S4], 64(R0)
	SUBS   $32, R2, R2
	BNE    block
	RET

// PAIR multiplies sixteen weights in V16 to V19 by values of two vectors, and
// adds them to four of the eight registers of lanes of each.
#define PAIR(a, b, c, d, e, f, g, h) \
	VLD1.P 64(R6), [V20.S4, V21.S4, V22.S4, V23.S4] \
	VLD1.P 64(R8), [V24.S4, V25.S4, V26.S4, V27.S4] \
	FMUL4(16, 20, 20) \
	FMUL4(17, 21, 21) \
	FMUL4(18, 22, 22) \
	FMUL4(19, 23, 23) \
	FMUL4(16, 24, 24) \
	FMUL4(17, 25, 25) \
	FMUL4(18, 26, 26) \
	FMUL4(19, 27, 27) \
	FADD4(20, a, a)   \
	FADD4(21, b, b)   \
	FADD4(22, c, c)   \
	FADD4(23, d, d)   \
	FADD4(24, e, e)   \
	FADD4(25, f, f)   \
	FADD4(26, g, g)   \
	FADD4(27, h, h)

// func mul2F32NEON(dst *float32, w *byte, rows int, x *float32, stride, cols, dstRow, dstVec int)
TEXT ·mul2F32NEON(SB), NOSPLIT, $0-64
	MOVD dst+0(FP), R10
	MOVD w+8(FP), R1
	MOVD rows+16(FP), R2
	MOVD x+24(FP), R3
	MOVD stride+32(FP), R9
	MOVD cols+40(FP), R4
	MOVD dstRow+48(FP), R11
	MOVD dstVec+56(FP), R12
	ADD  R3, R9, R9 // the second vector

row:
	ZERO
	VEOR V8.B16, V8.B16, V8.B16
	VEOR V9.B16, V9.B16, V9.B16
	VEOR V10.B16, V10.B16, V10.B16
	VEOR V11.B16, V11.B16, V11.B16
	VEOR V12.B16, V12.B16, V12.B16
	VEOR V13.B16, V13.B16, V13.B16
	VEOR V14.B16, V14.B16, V14.B16
	VEOR V15.B16, V15.B16, V15.B16
	MOVD R3, R6
	MOVD R9, R8
	MOVD R4, R7

block:
	VLD1.P 64(R1), [V16.S4, V17.S4, V18.S4, V19.S4]
	PAIR(0, 1, 2, 3, 8, 9, 10, 11)
	VLD1.P 64(R1), [V16.S4, V17.S4, V18.S4, V19.S4]
	PAIR(4, 5, 6, 7, 12, 13, 14, 15)
	SUBS   $32, R7, R7
	BNE    block

	MOVD R10, R0
	TOTAL
	VMOV V8.B16, V0.B16
	VMOV V9.B16, V1.B16
	VMOV V10.B16, V2.B16
	VMOV V11.B16, V3.B16
	VMOV V12.B16, V4.B16
	VMOV V13.B16, V5.B16
	VMOV V14.B16, V6.B16
	VMOV V15.B16, V7.B16
	ADD  R12, R10, R0
	TOTAL
	ADD  R11, R10, R10
	SUBS $1, R2, R2
	BNE  row
	RET

// func decodeF16NEON(dst *float32, src *byte, n int)
TEXT ·decodeF16NEON(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2

block:
	VLD1.P 32(R1), [V20.H8, V21.H8]
	FCVTLLO(20, 16)
	FCVTLHI(20, 17)
	FCVTLLO(21, 18)
	FCVTLHI(21, 19)
	VST1.P [V16.S4, V17.S4, V18.S4, V19.S4], 64(R0)
	SUBS   $16, R2, R2
	BNE    block
	RET
