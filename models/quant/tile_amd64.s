//go:build amd64

#include "textflag.h"

// Tiles of AVX-512: four rows by up to six vectors. A register holds 16 of the
// 32 lanes of one result, so that a tile makes the sums of a product with one
// vector, in the same order. Z0 to Z3 are weights, Z8 to Z31 sums, four for
// each vector.

// VECTORS1 to VECTORS6 do op for each vector's sums.
#define VECTORS1(op) op(0, Z8, Z9, Z10, Z11)
#define VECTORS2(op) \
	VECTORS1(op); \
	op(1, Z12, Z13, Z14, Z15)
#define VECTORS3(op) \
	VECTORS2(op); \
	op(2, Z16, Z17, Z18, Z19)
#define VECTORS4(op) \
	VECTORS3(op); \
	op(3, Z20, Z21, Z22, Z23)
#define VECTORS5(op) \
	VECTORS4(op); \
	op(4, Z24, Z25, Z26, Z27)
#define VECTORS6(op) \
	VECTORS5(op); \
	op(5, Z28, Z29, Z30, Z31)

#define CLEAR(t, a, b, c, d) \
	VPXORD a, a, a; \
	VPXORD b, b, b; \
	VPXORD c, c, c; \
	VPXORD d, d, d

#define RESUME(t, a, b, c, d) \
	VMOVUPS (256*t)(DX), a;     \
	VMOVUPS (256*t+64)(DX), b;  \
	VMOVUPS (256*t+128)(DX), c; \
	VMOVUPS (256*t+192)(DX), d

#define KEEP(t, a, b, c, d) \
	VMOVUPS a, (256*t)(DX);     \
	VMOVUPS b, (256*t+64)(DX);  \
	VMOVUPS c, (256*t+128)(DX); \
	VMOVUPS d, (256*t+192)(DX)

#define TILESTEP(t, a, b, c, d) \
	VMOVUPS (64*t)(DI), Z4; \
	VMULPS  Z4, Z0, Z5;     \
	VMULPS  Z4, Z1, Z6;     \
	VMULPS  Z4, Z2, Z7;     \
	VMULPS  Z4, Z3, Z4;     \
	VADDPS  Z5, a, a;       \
	VADDPS  Z6, b, b;       \
	VADDPS  Z7, c, c;       \
	VADDPS  Z4, d, d

// HALF2 adds the upper half of each sum to its lower half: those of a and b
// are left in Z0, those of c and d in Z2.
#define HALF2(a, b, c, d) \
	VBLENDMPS  b, a, K1, Z0;    \
	VSHUFF64X2 $0x4e, b, a, Z1; \
	VBLENDMPS  d, c, K1, Z2;    \
	VSHUFF64X2 $0x4e, d, c, Z3; \
	VADDPS     Z1, Z0, Z0;      \
	VADDPS     Z3, Z2, Z2

#define FOLDED(t, a, b, c, d) \
	HALF2(a, b, c, d);           \
	VMOVUPS Z0, (128*t)(R9);     \
	VMOVUPS Z2, (128*t+64)(R9)

// RESULTS adds the lanes in fold and those here, and stores the results of
// four rows: lanes 0 to 3 plus 4 to 7, then 0 and 1 plus 2 and 3, then both.
#define RESULTS(t, a, b, c, d) \
	HALF2(a, b, c, d);                  \
	VADDPS      (128*t)(R9), Z0, Z0;    \
	VADDPS      (128*t+64)(R9), Z2, Z2; \
	VSHUFF64X2  $0x88, Z2, Z0, Z1;      \
	VSHUFF64X2  $0xdd, Z2, Z0, Z3;      \
	VADDPS      Z3, Z1, Z0;             \
	VPERMILPD   $0x55, Z0, Z1;          \
	VADDPS      Z1, Z0, Z0;             \
	VMOVSHDUP   Z0, Z1;                 \
	VADDPS      Z1, Z0, Z0;             \
	VCOMPRESSPS Z0, K2, Z0;             \
	VMOVUPS     X0, (BX);               \
	ADDQ        R8, BX

// TILE is the body of a tile whose vectors take size bytes a step:
// func(acc, w, x *float32, steps int, more bool, fold, dst *float32, stride int, end tileEnd)
//
// What end says is in which of fold and dst are nil, too.
#define TILE(vectors, size) \
	MOVQ    acc+0(FP), DX;     \
	MOVQ    w+8(FP), SI;       \
	MOVQ    x+16(FP), DI;      \
	MOVQ    steps+24(FP), CX;  \
	MOVBLZX more+32(FP), AX;   \
	MOVQ    fold+40(FP), R9;   \
	MOVQ    dst+48(FP), BX;    \
	MOVQ    stride+56(FP), R8; \
	TESTL   AX, AX;            \
	JNZ     more;              \
	vectors(CLEAR);            \
	JMP     step;              \
more:                              \
	vectors(RESUME);           \
step:                              \
	VMOVUPS (SI), Z0;          \
	VMOVUPS 64(SI), Z1;        \
	VMOVUPS 128(SI), Z2;       \
	VMOVUPS 192(SI), Z3;       \
	vectors(TILESTEP);         \
	ADDQ    $256, SI;          \
	ADDQ    $size, DI;         \
	DECQ    CX;                \
	JNZ     step;              \
	MOVL    $0xff00, AX;       \
	KMOVW   AX, K1;            \
	MOVL    $0x1111, AX;       \
	KMOVW   AX, K2;            \
	TESTQ   BX, BX;            \
	JNZ     results;           \
	TESTQ   R9, R9;            \
	JNZ     fold;              \
	vectors(KEEP);             \
	VZEROUPPER;                \
	RET;                       \
fold:                              \
	vectors(FOLDED);           \
	VZEROUPPER;                \
	RET;                       \
results:                           \
	vectors(RESULTS);          \
	VZEROUPPER;                \
	RET

TEXT ·tile1AVX512(SB), NOSPLIT, $0-72
	TILE(VECTORS1, 64)

TEXT ·tile2AVX512(SB), NOSPLIT, $0-72
	TILE(VECTORS2, 128)

TEXT ·tile3AVX512(SB), NOSPLIT, $0-72
	TILE(VECTORS3, 192)

TEXT ·tile4AVX512(SB), NOSPLIT, $0-72
	TILE(VECTORS4, 256)

TEXT ·tile5AVX512(SB), NOSPLIT, $0-72
	TILE(VECTORS5, 320)

TEXT ·tile6AVX512(SB), NOSPLIT, $0-72
	TILE(VECTORS6, 384)
