//go:build amd64

#include "textflag.h"

// Products of rows of K types, taken apart, with four vectors at a time.
//
// func(dst *float32, stride int, w *byte, rows int, q unsafe.Pointer, d *float32, sums *int16, blocks int)
//
// Vectors follow one another, as do their sums; scales are those of the four
// vectors for a block, then for the next. Results of a vector are stride bytes
// after those of the one before. SI is the weights, DI the values of the first
// vector (R8 and R13 are the length of one and of three), R9 its scales, R11
// its sums (R10, R12), BX the blocks left, CX the rows left.

#define ARGS(sums) \
	MOVQ   dst+0(FP), DX;      \
	MOVQ   w+16(FP), SI;       \
	MOVQ   rows+24(FP), CX;    \
	MOVQ   blocks+56(FP), R10; \
	MOVQ   R10, R8;            \
	SHLQ   $8, R8;             \
	IMUL3Q $sums, R10, R10;    \
	LEAQ   (R8)(R8*2), R13;    \
	LEAQ   (R10)(R10*2), R12;  \
	MOVQ   stride+8(FP), AX;   \
	LEAQ   (AX)(AX*2), R15

#define VECTORS \
	MOVQ q+32(FP), DI;      \
	MOVQ d+40(FP), R9;      \
	MOVQ sums+48(FP), R11;  \
	MOVQ blocks+56(FP), BX

#define NEXT(sums) \
	ADDQ $576, SI;   \
	ADDQ $256, DI;   \
	ADDQ $16, R9;    \
	ADDQ $sums, R11; \
	DECQ BX

// PUT stores the four results in x, one for each vector.
#define PUT(x) \
	VMOVSS     x, (DX);             \
	VEXTRACTPS $1, x, (DX)(AX*1);   \
	VEXTRACTPS $2, x, (DX)(AX*2);   \
	VEXTRACTPS $3, x, (DX)(R15*1);  \
	ADDQ       $4, DX;              \
	DECQ       CX

// OFFSETS adds the product of smallest values and sums, for four vectors, to
// the sums of offsets in acc by op.
#define OFFSETS(op, acc) \
	VMOVDQU      512(SI), X9;          \
	VPMADDWD     (R11), X9, X0;        \
	VPMADDWD     (R11)(R10*1), X9, X1; \
	VPMADDWD     (R11)(R10*2), X9, X2; \
	VPMADDWD     (R11)(R12*1), X9, X3; \
	VPHADDD      X1, X0, X0;           \
	VPHADDD      X3, X2, X2;           \
	VPHADDD      X2, X0, X0;           \
	VCVTDQ2PS    X0, X0;               \
	VBROADCASTSS 548(SI), X1;          \
	VMULPS       (R9), X1, X1;         \
	op           X1, X0, acc

// AVX-512. Z0 to Z3 become the sums of a block for each vector, of which Z10
// and Z11 hold two each as lanes.

#define PAIRS512(at, z) \
	VPMADDUBSW at, Z16, Z24;       \
	VPMADDUBSW 64+at, Z17, Z25;    \
	VPMADDUBSW 128+at, Z18, Z26;   \
	VPMADDUBSW 192+at, Z19, Z27;   \
	VPMADDWD   Z20, Z24, z;        \
	VPMADDWD   Z22, Z26, Z28;      \
	VPDPWSSD   Z21, Z25, z;        \
	VPDPWSSD   Z23, Z27, Z28;      \
	VPADDD     Z28, z, z

#define BLOCK512 \
	VMOVDQU64  (SI), Z16;           \
	VMOVDQU64  64(SI), Z17;         \
	VMOVDQU64  128(SI), Z18;        \
	VMOVDQU64  192(SI), Z19;        \
	VMOVDQU64  256(SI), Z20;        \
	VMOVDQU64  320(SI), Z21;        \
	VMOVDQU64  384(SI), Z22;        \
	VMOVDQU64  448(SI), Z23;        \
	PAIRS512(0(DI), Z0);            \
	PAIRS512(0(DI)(R8*1), Z1);      \
	PAIRS512(0(DI)(R8*2), Z2);      \
	PAIRS512(0(DI)(R13*1), Z3);     \
	VSHUFI64X2 $0x44, Z1, Z0, Z4;   \
	VSHUFI64X2 $0xee, Z1, Z0, Z5;   \
	VSHUFI64X2 $0x44, Z3, Z2, Z6;   \
	VSHUFI64X2 $0xee, Z3, Z2, Z7;   \
	VPADDD     Z5, Z4, Z4;          \
	VPADDD     Z7, Z6, Z6

// ADD512 adds the lanes in Z4 and Z6, times the scales, to the sums.
#define ADD512 \
	VBROADCASTSS 544(SI), X7;    \
	VMULPS       (R9), X7, X7;   \
	VPERMPS      Z7, Z30, Z8;    \
	VPERMPS      Z7, Z31, Z9;    \
	VCVTDQ2PS    Z4, Z4;         \
	VCVTDQ2PS    Z6, Z6;         \
	VFMADD231PS  Z8, Z4, Z10;    \
	VFMADD231PS  Z9, Z6, Z11

// TOTALS512 leaves the totals of the lanes of four vectors in X0.
#define TOTALS512 \
	VSHUFF64X2  $0x88, Z11, Z10, Z0; \
	VSHUFF64X2  $0xdd, Z11, Z10, Z1; \
	VADDPS      Z1, Z0, Z0;          \
	VPERMILPD   $0x55, Z0, Z1;       \
	VADDPS      Z1, Z0, Z0;          \
	VMOVSHDUP   Z0, Z1;              \
	VADDPS      Z1, Z0, Z0;          \
	VCOMPRESSPS Z0, K1, Z0

// VECTORINDEX sets Z30 to eight times 0 and eight times 1, Z31 to 2 and 3, and
// K1 to the first of each four lanes.
#define VECTORINDEX \
	VPTERNLOGD   $0xff, Z29, Z29, Z29; \
	VPXORD       Z30, Z30, Z30;        \
	MOVL         $0xff00, AX;          \
	KMOVW        AX, K1;               \
	VPSUBD       Z29, Z30, K1, Z30;    \
	VPSUBD       Z29, Z30, Z31;        \
	VPSUBD       Z29, Z31, Z31;        \
	MOVL         $0x1111, AX;          \
	KMOVW        AX, K1

TEXT ·tileQ5_KVNNI(SB), NOSPLIT, $0-64
	VECTORINDEX
	ARGS(16)

row:
	VECTORS
	VPXORD Z10, Z10, Z10
	VPXORD Z11, Z11, Z11
	VXORPS X12, X12, X12

block:
	BLOCK512
	ADD512
	OFFSETS(VFNMADD231PS, X12)
	NEXT(16)
	JNZ    block
	TOTALS512
	VADDPS X12, X0, X0
	PUT(X0)
	JNZ    row
	VZEROUPPER
	RET

TEXT ·tileQ6_KVNNI(SB), NOSPLIT, $0-64
	VECTORINDEX
	ARGS(32)

row:
	VECTORS
	VPXORD Z10, Z10, Z10
	VPXORD Z11, Z11, Z11

block:
	BLOCK512
	VBROADCASTI64X4 512(SI), Z8
	VMOVDQU         (R11), Y7
	VINSERTI64X4    $1, (R11)(R10*1), Z7, Z7
	VMOVDQU         (R11)(R10*2), Y9
	VINSERTI64X4    $1, (R11)(R12*1), Z9, Z9
	VPDPWSSD        Z7, Z8, Z4
	VPDPWSSD        Z9, Z8, Z6
	ADD512
	NEXT(32)
	JNZ             block
	TOTALS512
	PUT(X0)
	JNZ             row
	VZEROUPPER
	RET

// AVX2. Y0 to Y3 become the sums of a block for each vector, of which Y4 to
// Y7 are the lanes.

#define PAIRS256(at, y) \
	VPMADDUBSW at, Y12, Y14;  \
	VPMADDWD   Y13, Y14, Y14; \
	VPADDD     Y14, y, y

#define GROUP256(g) \
	VMOVDQU 32*g(SI), Y12;           \
	VMOVDQU 256+32*g(SI), Y13;       \
	PAIRS256(32*g(DI), Y0);          \
	PAIRS256(32*g(DI)(R8*1), Y1);    \
	PAIRS256(32*g(DI)(R8*2), Y2);    \
	PAIRS256(32*g(DI)(R13*1), Y3)

#define BLOCK256 \
	VPXOR Y0, Y0, Y0; \
	VPXOR Y1, Y1, Y1; \
	VPXOR Y2, Y2, Y2; \
	VPXOR Y3, Y3, Y3; \
	GROUP256(0);      \
	GROUP256(1);      \
	GROUP256(2);      \
	GROUP256(3);      \
	GROUP256(4);      \
	GROUP256(5);      \
	GROUP256(6);      \
	GROUP256(7)

#define CLEAR256 \
	VXORPS Y4, Y4, Y4; \
	VXORPS Y5, Y5, Y5; \
	VXORPS Y6, Y6, Y6; \
	VXORPS Y7, Y7, Y7

#define LANES256(v, x, acc) \
	VBROADCASTSS 4*v(R9), Y14;   \
	VMULPS       Y13, Y14, Y14;  \
	VCVTDQ2PS    x, x;           \
	VFMADD231PS  Y14, x, acc

#define ADD256 \
	VBROADCASTSS 544(SI), Y13; \
	LANES256(0, Y0, Y4);       \
	LANES256(1, Y1, Y5);       \
	LANES256(2, Y2, Y6);       \
	LANES256(3, Y3, Y7)

// FOURSUMS adds lanes 4 to 7 of a and b to 0 to 3, then those in two steps,
// and leaves the total of a in the lower and that of b in the upper half of
// a.
#define FOURSUMS(a, b) \
	VPERM2F128 $0x20, b, a, Y12;  \
	VPERM2F128 $0x31, b, a, Y13;  \
	VADDPS     Y13, Y12, a;       \
	VPERMILPD  $0x5, a, Y12;      \
	VADDPS     Y12, a, a;         \
	VMOVSHDUP  a, Y12;            \
	VADDPS     Y12, a, a

// TOTALS256 leaves the totals of the lanes of four vectors in X0.
#define TOTALS256 \
	FOURSUMS(Y4, Y5);            \
	FOURSUMS(Y6, Y7);            \
	VEXTRACTF128 $1, Y4, X5;     \
	VEXTRACTF128 $1, Y6, X7;     \
	VUNPCKLPS    X5, X4, X4;     \
	VUNPCKLPS    X7, X6, X6;     \
	VMOVLHPS     X6, X4, X0

TEXT ·tileQ5_KAVX2(SB), NOSPLIT, $0-64
	ARGS(16)

row:
	VECTORS
	CLEAR256
	VXORPS X8, X8, X8

block:
	BLOCK256
	ADD256
	OFFSETS(VFNMADD231PS, X8)
	NEXT(16)
	JNZ          block
	TOTALS256
	VADDPS       X8, X0, X0
	PUT(X0)
	JNZ          row
	VZEROUPPER
	RET

#define LESS256(at, y) \
	VPMADDWD at, Y12, Y14; \
	VPADDD   Y14, y, y

TEXT ·tileQ6_KAVX2(SB), NOSPLIT, $0-64
	ARGS(32)

row:
	VECTORS
	CLEAR256

block:
	BLOCK256
	VMOVDQU 512(SI), Y12
	LESS256((R11), Y0)
	LESS256((R11)(R10*1), Y1)
	LESS256((R11)(R10*2), Y2)
	LESS256((R11)(R12*1), Y3)
	ADD256
	NEXT(32)
	JNZ     block
	TOTALS256
	PUT(X0)
	JNZ     row
	VZEROUPPER
	RET

// With one sum a row: X4 has those of four vectors, X8 those of the offsets.
TEXT ·tileQ4_KWideAVX2(SB), NOSPLIT, $0-64
	ARGS(16)

row:
	VECTORS
	VXORPS X4, X4, X4
	VXORPS X8, X8, X8

block:
	BLOCK256
	VPHADDD      Y1, Y0, Y0
	VPHADDD      Y3, Y2, Y2
	VPHADDD      Y2, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VCVTDQ2PS    X0, X0
	VBROADCASTSS 544(SI), X1
	VMULPS       (R9), X1, X1
	VFMADD231PS  X1, X0, X4
	OFFSETS(VFMADD231PS, X8)
	NEXT(16)
	JNZ          block
	VSUBPS       X8, X4, X0
	PUT(X0)
	JNZ          row
	VZEROUPPER
	RET
