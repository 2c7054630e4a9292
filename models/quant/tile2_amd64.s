//go:build amd64

#include "textflag.h"

// Tiles of AVX2: two rows by up to five vectors, a quarter of the 32 lanes at a
// time. Y0 and Y1 are weights, Y6 to Y15 sums, two for each vector.

#define VECTORS1(op) op(0, Y6, Y7)
#define VECTORS2(op) \
	VECTORS1(op); \
	op(1, Y8, Y9)
#define VECTORS3(op) \
	VECTORS2(op); \
	op(2, Y10, Y11)
#define VECTORS4(op) \
	VECTORS3(op); \
	op(3, Y12, Y13)
#define VECTORS5(op) \
	VECTORS4(op); \
	op(4, Y14, Y15)

#define CLEAR(t, a, b) \
	VXORPS a, a, a; \
	VXORPS b, b, b

#define RESUME(t, a, b) \
	VMOVUPS (64*t)(DX), a;     \
	VMOVUPS (64*t+32)(DX), b

#define KEEP(t, a, b) \
	VMOVUPS a, (64*t)(DX);     \
	VMOVUPS b, (64*t+32)(DX)

#define TILESTEP(t, a, b) \
	VMOVUPS (32*t)(DI), Y2; \
	VMULPS  Y2, Y0, Y3;     \
	VMULPS  Y2, Y1, Y4;     \
	VADDPS  Y3, a, a;       \
	VADDPS  Y4, b, b

#define FOLDED(t, a, b) \
	VMOVUPS a, (64*t)(R9);     \
	VMOVUPS b, (64*t+32)(R9)

#define FOLDADD(t, a, b) \
	VADDPS  (64*t)(R9), a, a;     \
	VADDPS  (64*t+32)(R9), b, b;  \
	FOLDED(t, a, b)

// RESULT adds to y, whose low half is x, the quarter before and the sum of the
// two before that, and stores the result of a row.
#define RESULT(at, y, x, to) \
	VADDPS       (at+320)(R9), y, y; \
	VADDPS       (at)(R9), y, y;     \
	VEXTRACTF128 $1, y, X0;          \
	VADDPS       X0, x, x;           \
	VMOVHLPS     x, x, X0;           \
	VADDPS       X0, x, x;           \
	VMOVSHDUP    x, X0;              \
	VADDSS       X0, x, x;           \
	VMOVSS       x, to

#define RESULTS(t, ya, xa, yb, xb) \
	RESULT(64*t, ya, xa, (BX));      \
	RESULT(64*t+32, yb, xb, 4(BX));  \
	ADDQ R8, BX

#define RESULTS1 RESULTS(0, Y6, X6, Y7, X7)
#define RESULTS2 \
	RESULTS1; \
	RESULTS(1, Y8, X8, Y9, X9)
#define RESULTS3 \
	RESULTS2; \
	RESULTS(2, Y10, X10, Y11, X11)
#define RESULTS4 \
	RESULTS3; \
	RESULTS(3, Y12, X12, Y13, X13)
#define RESULTS5 \
	RESULTS4; \
	RESULTS(4, Y14, X14, Y15, X15)

// TILE is the body of a tile whose vectors take size bytes a step:
// func(acc, w, x *float32, steps int, more bool, fold, dst *float32, stride int, end tileEnd)
#define TILE(vectors, finish, size) \
	MOVQ    acc+0(FP), DX;     \
	MOVQ    w+8(FP), SI;       \
	MOVQ    x+16(FP), DI;      \
	MOVQ    steps+24(FP), CX;  \
	MOVBLZX more+32(FP), AX;   \
	MOVQ    fold+40(FP), R9;   \
	MOVQ    dst+48(FP), BX;    \
	MOVQ    stride+56(FP), R8; \
	MOVQ    end+64(FP), R10;   \
	TESTL   AX, AX;            \
	JNZ     more;              \
	vectors(CLEAR);            \
	JMP     step;              \
more:                              \
	vectors(RESUME);           \
step:                              \
	VMOVUPS (SI), Y0;          \
	VMOVUPS 32(SI), Y1;        \
	vectors(TILESTEP);         \
	ADDQ    $64, SI;           \
	ADDQ    $size, DI;         \
	DECQ    CX;                \
	JNZ     step;              \
	CMPQ    R10, $1;           \
	JEQ     fold;              \
	JGT     further;           \
	vectors(KEEP);             \
	VZEROUPPER;                \
	RET;                       \
fold:                              \
	vectors(FOLDED);           \
	VZEROUPPER;                \
	RET;                       \
further:                           \
	CMPQ    R10, $3;           \
	JEQ     results;           \
	vectors(FOLDADD);          \
	VZEROUPPER;                \
	RET;                       \
results:                           \
	finish;                    \
	VZEROUPPER;                \
	RET

TEXT ·tile1AVX2(SB), NOSPLIT, $0-72
	TILE(VECTORS1, RESULTS1, 32)

TEXT ·tile2AVX2(SB), NOSPLIT, $0-72
	TILE(VECTORS2, RESULTS2, 64)

TEXT ·tile3AVX2(SB), NOSPLIT, $0-72
	TILE(VECTORS3, RESULTS3, 96)

TEXT ·tile4AVX2(SB), NOSPLIT, $0-72
	TILE(VECTORS4, RESULTS4, 128)

TEXT ·tile5AVX2(SB), NOSPLIT, $0-72
	TILE(VECTORS5, RESULTS5, 160)
