//go:build amd64

#include "textflag.h"

// Products of F32, F16 and BF16 with several vectors at a time. A result has
// 32 sums, of each 32 columns one.
//
// func(dst *float32, stride int, w *byte, rowBytes, rows int, x *float32, cols, turns int, sums *float32, end int)
//
// Rows are rowBytes apart, vectors cols float32, and results of a vector are
// stride bytes after those of the one before. turns is how many times 32
// columns are taken. end says whether sums are taken up (1) and whether they
// are put down (2) in the place of results.

// ARGS takes what a turn takes of a row. R10 is where results begin, R14 the
// rows left.
#define ARGS(bytes) \
	MOVQ   dst+0(FP), R10;      \
	MOVQ   stride+8(FP), AX;    \
	MOVQ   w+16(FP), SI;        \
	MOVQ   rowBytes+24(FP), R9; \
	MOVQ   rows+32(FP), R14;    \
	MOVQ   cols+48(FP), R8;     \
	MOVQ   turns+56(FP), R15;   \
	MOVQ   sums+64(FP), R11;    \
	SHLQ   $2, R8;              \
	LEAQ   (R8)(R8*2), R13;     \
	LEAQ   (R8)(R8*4), R12;     \
	IMUL3Q $bytes, R15, R15

#define ROW \
	MOVQ R10, DX;          \
	MOVQ x+40(FP), DI;     \
	MOVQ turns+56(FP), BX; \
	MOVQ end+72(FP), CX

// AVX-512: two rows. Z0 to Z3 are weights, Z8 to Z31 sums, four for each
// vector: two of the first row, two of the second.

#define VECTORS2(op) \
	op(0, 0(DI), Z8, Z9, Z10, Z11); \
	op(1, 0(DI)(R8*1), Z12, Z13, Z14, Z15)
#define VECTORS4(op) \
	VECTORS2(op); \
	op(2, 0(DI)(R8*2), Z16, Z17, Z18, Z19); \
	op(3, 0(DI)(R13*1), Z20, Z21, Z22, Z23)
#define VECTORS6(op) \
	VECTORS4(op); \
	op(4, 0(DI)(R8*4), Z24, Z25, Z26, Z27); \
	op(5, 0(DI)(R12*1), Z28, Z29, Z30, Z31)

#define CLEAR(v, x, a, b, c, d) \
	VPXORD a, a, a; \
	VPXORD b, b, b; \
	VPXORD c, c, c; \
	VPXORD d, d, d

#define RESUME(v, x, a, b, c, d) \
	VMOVUPS (256*v)(R11), a;     \
	VMOVUPS (256*v+64)(R11), b;  \
	VMOVUPS (256*v+128)(R11), c; \
	VMOVUPS (256*v+192)(R11), d

#define KEEP(v, x, a, b, c, d) \
	VMOVUPS a, (256*v)(R11);     \
	VMOVUPS b, (256*v+64)(R11);  \
	VMOVUPS c, (256*v+128)(R11); \
	VMOVUPS d, (256*v+192)(R11)

#define MULTIPLY(v, x, a, b, c, d) \
	VMOVUPS     x, Z4;      \
	VMOVUPS     64+x, Z5;   \
	VFMADD231PS Z4, Z0, a;  \
	VFMADD231PS Z5, Z1, b;  \
	VFMADD231PS Z4, Z2, c;  \
	VFMADD231PS Z5, Z3, d

// FOLD adds up the registers of a row, then the halves of what is left: the
// eight lanes of both rows are in a.
#define FOLD(v, x, a, b, c, d) \
	VADDPS     b, a, a;            \
	VADDPS     d, c, c;            \
	VSHUFF64X2 $0x44, c, a, b;     \
	VSHUFF64X2 $0xee, c, a, d;     \
	VADDPS     d, b, a

// NEIGHBOURS and ACROSS add lanes 0 and 1 and 2 and 3 first, or 0 and 2 and 1
// and 3.
#define NEIGHBOURS(z, t) \
	VMOVSHDUP z, t;         \
	VADDPS    t, z, z;      \
	VPERMILPD $0x55, z, t;  \
	VADDPS    t, z, z
#define ACROSS(z, t) \
	VPERMILPD $0x55, z, t;  \
	VADDPS    t, z, z;      \
	VMOVSHDUP z, t;         \
	VADDPS    t, z, z

// RESULTS stores those of two vectors, whose lanes are in a and b.
#define RESULTS(total, a, b, xa) \
	VSHUFF64X2  $0x88, b, a, Z0; \
	VSHUFF64X2  $0xdd, b, a, Z1; \
	VADDPS      Z1, Z0, Z0;      \
	total(Z0, Z1);               \
	VCOMPRESSPS Z0, K2, Z0;      \
	VMOVLPS     X0, (DX);        \
	VMOVHPS     X0, (DX)(AX*1);  \
	LEAQ        (DX)(AX*2), DX

#define RESULTS2(total) RESULTS(total, Z8, Z12, X8)
#define RESULTS4(total) \
	RESULTS2(total); \
	RESULTS(total, Z16, Z20, X16)
#define RESULTS6(total) \
	RESULTS4(total); \
	RESULTS(total, Z24, Z28, X24)

#define WIDENF32(m, z) VMOVUPS m, z
#define WIDENF16(m, z) VCVTPH2PS m, z
#define WIDENBF16(m, z) \
	VPMOVZXWD m, z;      \
	VPSLLD    $16, z, z

// TILE takes half the bytes of 32 weights, and how many bytes its sums have.
#define TILE(vectors, results, widen, half, total, bytes) \
	ARGS(2*half);                \
	MOVL  $0x1111, CX;           \
	KMOVW CX, K2;                \
	SUBQ  R9, R15;               \
	SUBQ  R9, R15;               \
row:                                 \
	ROW;                         \
	TESTQ $1, CX;                \
	JNZ   more;                  \
	vectors(CLEAR);              \
	JMP   step;                  \
more:                                \
	vectors(RESUME);             \
step:                                \
	widen((SI), Z0);             \
	widen(half(SI), Z1);         \
	widen((SI)(R9*1), Z2);       \
	widen(half(SI)(R9*1), Z3);   \
	vectors(MULTIPLY);           \
	ADDQ $(2*half), SI;          \
	ADDQ $128, DI;               \
	DECQ BX;                     \
	JNZ  step;                   \
	TESTQ $2, CX;                \
	JNZ  keep;                   \
	vectors(FOLD);               \
	results(total);              \
	JMP  next;                   \
keep:                                \
	vectors(KEEP);               \
next:                                \
	SUBQ R15, SI;                \
	ADDQ $bytes, R11;            \
	ADDQ $8, R10;                \
	SUBQ $2, R14;                \
	JNZ  row;                    \
	VZEROUPPER;                  \
	RET

TEXT ·tile2F32AVX512(SB), NOSPLIT, $0-80
	TILE(VECTORS2, RESULTS2, WIDENF32, 64, NEIGHBOURS, 512)

TEXT ·tile4F32AVX512(SB), NOSPLIT, $0-80
	TILE(VECTORS4, RESULTS4, WIDENF32, 64, NEIGHBOURS, 1024)

TEXT ·tile6F32AVX512(SB), NOSPLIT, $0-80
	TILE(VECTORS6, RESULTS6, WIDENF32, 64, NEIGHBOURS, 1536)

TEXT ·tile2F16AVX512(SB), NOSPLIT, $0-80
	TILE(VECTORS2, RESULTS2, WIDENF16, 32, NEIGHBOURS, 512)

TEXT ·tile4F16AVX512(SB), NOSPLIT, $0-80
	TILE(VECTORS4, RESULTS4, WIDENF16, 32, NEIGHBOURS, 1024)

TEXT ·tile6F16AVX512(SB), NOSPLIT, $0-80
	TILE(VECTORS6, RESULTS6, WIDENF16, 32, NEIGHBOURS, 1536)

TEXT ·tile2BF16AVX512(SB), NOSPLIT, $0-80
	TILE(VECTORS2, RESULTS2, WIDENBF16, 32, ACROSS, 512)

TEXT ·tile4BF16AVX512(SB), NOSPLIT, $0-80
	TILE(VECTORS4, RESULTS4, WIDENBF16, 32, ACROSS, 1024)

TEXT ·tile6BF16AVX512(SB), NOSPLIT, $0-80
	TILE(VECTORS6, RESULTS6, WIDENBF16, 32, ACROSS, 1536)

// AVX2: one row by three vectors. Y12 to Y15 are weights, four sums are those
// of a vector.

#define CLEAR256(a, b, c, d) \
	VXORPS a, a, a; \
	VXORPS b, b, b; \
	VXORPS c, c, c; \
	VXORPS d, d, d

#define RESUME256(v, a, b, c, d) \
	VMOVUPS (128*v)(R11), a;    \
	VMOVUPS (128*v+32)(R11), b; \
	VMOVUPS (128*v+64)(R11), c; \
	VMOVUPS (128*v+96)(R11), d

#define KEEP256(v, a, b, c, d) \
	VMOVUPS a, (128*v)(R11);    \
	VMOVUPS b, (128*v+32)(R11); \
	VMOVUPS c, (128*v+64)(R11); \
	VMOVUPS d, (128*v+96)(R11)

#define MULTIPLY256(x, a, b, c, d) \
	VFMADD231PS x, Y12, a;     \
	VFMADD231PS 32+x, Y13, b;  \
	VFMADD231PS 64+x, Y14, c;  \
	VFMADD231PS 96+x, Y15, d

#define NEIGHBOURS128(x, t) \
	VMOVSHDUP x, t;     \
	VADDPS    t, x, x;  \
	VMOVHLPS  x, x, t;  \
	VADDSS    t, x, x
#define ACROSS128(x, t) \
	VMOVHLPS  x, x, t;  \
	VADDPS    t, x, x;  \
	VMOVSHDUP x, t;     \
	VADDSS    t, x, x

#define RESULT256(total, a, b, c, d, xa) \
	VADDPS       c, a, a;       \
	VADDPS       d, b, b;       \
	VADDPS       b, a, a;       \
	VEXTRACTF128 $1, a, X12;    \
	VADDPS       X12, xa, xa;   \
	total(xa, X12);             \
	VMOVSS       xa, (DX);      \
	ADDQ         AX, DX

#define TILE256(widen, quarter, total) \
	ARGS(4*quarter);                    \
	SUBQ  R9, R15;                      \
row:                                        \
	ROW;                                \
	TESTQ $1, CX;                       \
	JNZ   more;                         \
	CLEAR256(Y0, Y1, Y2, Y3);           \
	CLEAR256(Y4, Y5, Y6, Y7);           \
	CLEAR256(Y8, Y9, Y10, Y11);         \
	JMP   step;                         \
more:                                       \
	RESUME256(0, Y0, Y1, Y2, Y3);       \
	RESUME256(1, Y4, Y5, Y6, Y7);       \
	RESUME256(2, Y8, Y9, Y10, Y11);     \
step:                                       \
	widen((SI), Y12);                   \
	widen(quarter(SI), Y13);            \
	widen((2*quarter)(SI), Y14);        \
	widen((3*quarter)(SI), Y15);        \
	MULTIPLY256(0(DI), Y0, Y1, Y2, Y3);        \
	MULTIPLY256(0(DI)(R8*1), Y4, Y5, Y6, Y7);  \
	MULTIPLY256(0(DI)(R8*2), Y8, Y9, Y10, Y11);\
	ADDQ $(4*quarter), SI;              \
	ADDQ $128, DI;                      \
	DECQ BX;                            \
	JNZ  step;                          \
	TESTQ $2, CX;                       \
	JNZ  keep;                          \
	RESULT256(total, Y0, Y1, Y2, Y3, X0);   \
	RESULT256(total, Y4, Y5, Y6, Y7, X4);   \
	RESULT256(total, Y8, Y9, Y10, Y11, X8); \
	JMP  next;                          \
keep:                                       \
	KEEP256(0, Y0, Y1, Y2, Y3);         \
	KEEP256(1, Y4, Y5, Y6, Y7);         \
	KEEP256(2, Y8, Y9, Y10, Y11);       \
next:                                       \
	SUBQ R15, SI;                       \
	ADDQ $384, R11;                     \
	ADDQ $4, R10;                       \
	DECQ R14;                           \
	JNZ  row;                           \
	VZEROUPPER;                         \
	RET

TEXT ·tile3F32AVX2(SB), NOSPLIT, $0-80
	TILE256(WIDENF32, 32, NEIGHBOURS128)

TEXT ·tile3F16AVX2(SB), NOSPLIT, $0-80
	TILE256(WIDENF16, 16, NEIGHBOURS128)

TEXT ·tile3BF16AVX2(SB), NOSPLIT, $0-80
	TILE256(WIDENBF16, 16, ACROSS128)

// func ahead(p unsafe.Pointer, n int)
//
// It asks for n bytes, and never faults.
TEXT ·ahead(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX

line:
	PREFETCHT0 (SI)
	ADDQ       $64, SI
	SUBQ       $64, CX
	JG         line
	RET
