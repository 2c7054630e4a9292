//go:build amd64

#include "textflag.h"
#include "kernels_amd64.h"
#include "avx2_amd64.h"

// AVX2 kernels of floats and of the formats with blocks of 32.

DATA low4d<>+0(SB)/4, $0x0000000f
GLOBL low4d<>(SB), RODATA|NOPTR, $4
DATA bias8d<>+0(SB)/4, $0x00000008
GLOBL bias8d<>(SB), RODATA|NOPTR, $4

#define F32(op) \
	VMOVUPS (SI), Y4;   \
	VMOVUPS 32(SI), Y5; \
	VMOVUPS 64(SI), Y6; \
	VMOVUPS 96(SI), Y7; \
	ADDQ    $128, SI;   \
	op

#define F16(op) \
	AHEAD(SI, 0); \
	VCVTPH2PS (SI), Y4;   \
	VCVTPH2PS 16(SI), Y5; \
	VCVTPH2PS 32(SI), Y6; \
	VCVTPH2PS 48(SI), Y7; \
	ADDQ      $64, SI;    \
	op

#define BF16(op) \
	AHEAD(SI, 0); \
	VPMOVZXWD (SI), Y4;    \
	VPMOVZXWD 16(SI), Y5;  \
	VPMOVZXWD 32(SI), Y6;  \
	VPMOVZXWD 48(SI), Y7;  \
	VPSLLD    $16, Y4, Y4; \
	VPSLLD    $16, Y5, Y5; \
	VPSLLD    $16, Y6, Y6; \
	VPSLLD    $16, Y7, Y7; \
	ADDQ      $64, SI;     \
	op

#define Q8_0(op) \
	AHEAD(SI, 0); \
	VPMOVSXBD 2(SI), Y4;  \
	VPMOVSXBD 10(SI), Y5; \
	VPMOVSXBD 18(SI), Y6; \
	VPMOVSXBD 26(SI), Y7; \
	HALF((SI), Y8, X8);   \
	TOFLOAT;              \
	SCALE(Y8);            \
	ADDQ      $34, SI;    \
	op

// Q4_0 needs words of 15 in Y14 and of 8 in Y13.
#define Q4_0(op) \
	AHEAD(SI, 0); \
	VPMOVZXBD 2(SI), Y4;    \
	VPMOVZXBD 10(SI), Y5;   \
	HALF((SI), Y8, X8);     \
	VPSRLD    $4, Y4, Y6;   \
	VPSRLD    $4, Y5, Y7;   \
	VPAND     Y14, Y4, Y4;  \
	VPAND     Y14, Y5, Y5;  \
	VPSUBD    Y13, Y4, Y4;  \
	VPSUBD    Y13, Y5, Y5;  \
	VPSUBD    Y13, Y6, Y6;  \
	VPSUBD    Y13, Y7, Y7;  \
	TOFLOAT;                \
	SCALE(Y8);              \
	ADDQ      $18, SI;      \
	op

#define Q4_0CONST \
	VPBROADCASTD low4d<>(SB), Y14; \
	VPBROADCASTD bias8d<>(SB), Y13

TEXT ·mulF32AVX2(SB), NOSPLIT, $0-40
	MUL(NOCONST, F32)

TEXT ·mulF16AVX2(SB), NOSPLIT, $0-40
	MUL(NOCONST, F16)

TEXT ·mulBF16AVX2(SB), NOSPLIT, $0-40
	MUL(NOCONST, BF16)

TEXT ·mulQ8_0AVX2(SB), NOSPLIT, $0-40
	MUL(NOCONST, Q8_0)

TEXT ·mulQ4_0AVX2(SB), NOSPLIT, $0-40
	MUL(Q4_0CONST, Q4_0)

TEXT ·decodeF32AVX2(SB), NOSPLIT, $0-24
	DECODE(NOCONST, F32)

TEXT ·decodeF16AVX2(SB), NOSPLIT, $0-24
	DECODE(NOCONST, F16)

TEXT ·decodeBF16AVX2(SB), NOSPLIT, $0-24
	DECODE(NOCONST, BF16)

TEXT ·decodeQ8_0AVX2(SB), NOSPLIT, $0-24
	DECODE(NOCONST, Q8_0)

TEXT ·decodeQ4_0AVX2(SB), NOSPLIT, $0-24
	DECODE(Q4_0CONST, Q4_0)

// GROUP decodes 16 elements of a chunk to two registers a and b: bytes at q,
// times the scale at d.
#define GROUP(q, d, a, b) \
	VPMOVSXBD    (q)(SI), a;    \
	VPMOVSXBD    (q+8)(SI), b;  \
	VBROADCASTSS (d)(R8), Y8;   \
	VCVTDQ2PS    a, a;          \
	VCVTDQ2PS    b, b;          \
	VMULPS       Y8, a, a;      \
	VMULPS       Y8, b, b

// func evaluateAVX2(dst *float32, q *int8, scale, off *float32, n int)
//
// The scales and offsets are for groups of 16; n is a multiple of 32.
TEXT ·evaluateAVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ q+8(FP), SI
	MOVQ scale+16(FP), R8
	MOVQ off+24(FP), R9
	MOVQ n+32(FP), BX

loop:
	GROUP(0, 0, Y4, Y5)
	GROUP(16, 4, Y6, Y7)
	VBROADCASTSS (R9), Y8
	VBROADCASTSS 4(R9), Y9
	VSUBPS       Y8, Y4, Y4
	VSUBPS       Y8, Y5, Y5
	VSUBPS       Y9, Y6, Y6
	VSUBPS       Y9, Y7, Y7
	ADDQ         $32, SI
	ADDQ         $8, R8
	ADDQ         $8, R9
	STORE
	JG           loop
	VZEROUPPER
	RET

// TWO adds 32 bytes of w at offset at times two vectors to a and b.
#define TWO(at, a, b, t, u) \
	VMOVUPS (at)(SI), t;          \
	VMULPS  (at)(DI)(R9*1), t, u; \
	VMULPS  (at)(DI), t, t;       \
	VADDPS  t, a, a;              \
	VADDPS  u, b, b

// FOLD adds the 32 lanes in a, b, c and d up to two, in x (the low part of a).
#define FOLD(a, b, c, d, x, t) \
	VADDPS       b, a, a;  \
	VADDPS       d, c, c;  \
	VADDPS       c, a, a;  \
	VEXTRACTF128 $1, a, t; \
	VADDPS       t, x, x;  \
	VMOVHLPS     x, x, t;  \
	VADDPS       t, x, x

// func mul2F32AVX2(dst *float32, w *byte, rows int, x *float32, stride, cols, dstRow, dstVec int)
TEXT ·mul2F32AVX2(SB), NOSPLIT, $0-64
	ARGS
	MOVQ stride+32(FP), R9

row:
	MOVQ   x+24(FP), DI
	MOVQ   cols+40(FP), BX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7

loop:
	TWO(0, Y0, Y4, Y8, Y9)
	TWO(32, Y1, Y5, Y10, Y11)
	TWO(64, Y2, Y6, Y12, Y13)
	TWO(96, Y3, Y7, Y14, Y15)
	ADDQ $128, SI
	ADDQ $128, DI
	SUBQ $32, BX
	JG   loop

	FOLD(Y0, Y1, Y2, Y3, X0, X8)
	FOLD(Y4, Y5, Y6, Y7, X4, X9)
	VUNPCKLPS X4, X0, X0
	VMOVHLPS  X0, X0, X1
	VADDPS    X1, X0, X0
	MOVQ      dstVec+56(FP), R10
	VMOVSS    X0, (DX)
	VEXTRACTPS $1, X0, (DX)(R10*1)
	ADDQ      dstRow+48(FP), DX
	DECQ      CX
	JNZ       row
	VZEROUPPER
	RET
