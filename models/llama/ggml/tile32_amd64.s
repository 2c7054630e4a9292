//go:build amd64

#include "textflag.h"

// Products of Q8_0 with four vectors at a time, for AVX-512 with VNNI.
//
// func(dst *float32, stride int, w *byte, rows int, q unsafe.Pointer, d *float32, sums *int16, blocks int)
//
// Vectors follow one another; results of a vector are stride bytes after those
// of the one before. SI is the weights, DI the 8-bit values of the first
// vector (R8 and R13 are the length of one and of three), R9 its scales (R10,
// R12), R11 its sums, BX the blocks left.

DATA sign8<>+0(SB)/4, $0x80808080
GLOBL sign8<>(SB), RODATA|NOPTR, $4

// Scale 0 for the lower half of a register, 4 for the upper one.
DATA scale0<>+0(SB)/8, $0x0000000000000000
DATA scale0<>+8(SB)/8, $0x0000000000000000
DATA scale0<>+16(SB)/8, $0x0000000000000000
DATA scale0<>+24(SB)/8, $0x0000000000000000
DATA scale0<>+32(SB)/8, $0x0000000400000004
DATA scale0<>+40(SB)/8, $0x0000000400000004
DATA scale0<>+48(SB)/8, $0x0000000400000004
DATA scale0<>+56(SB)/8, $0x0000000400000004
GLOBL scale0<>(SB), RODATA|NOPTR, $64

#define ARGS(values) \
	MOVQ dst+0(FP), DX;       \
	MOVQ w+16(FP), SI;        \
	MOVQ rows+24(FP), CX;     \
	MOVQ blocks+56(FP), R10;  \
	IMUL3Q $values, R10, R8;  \
	SHLQ $2, R10;             \
	LEAQ (R8)(R8*2), R13;     \
	LEAQ (R10)(R10*2), R12

#define VECTORS \
	MOVQ q+32(FP), DI;      \
	MOVQ d+40(FP), R9;      \
	MOVQ sums+48(FP), R11;  \
	MOVQ blocks+56(FP), BX

#define AHEAD(at) PREFETCHT0 (8192+at)(SI)

// TWO leaves the totals of the eight lanes in either half of z, whose lowest
// parts are y and x, in the first elements of x and of hi.
#define TWO(z, y, x, yhi, hi) \
	VEXTRACTF64X4 $1, z, yhi;    \
	VEXTRACTF128  $1, y, X14;    \
	VEXTRACTF128  $1, yhi, X15;  \
	VADDPS        X14, x, x;     \
	VADDPS        X15, hi, hi;   \
	VMOVHLPS      x, x, X14;     \
	VMOVHLPS      hi, hi, X15;   \
	VADDPS        X14, x, x;     \
	VADDPS        X15, hi, hi;   \
	VMOVSHDUP     x, X14;        \
	VMOVSHDUP     hi, X15;       \
	VADDSS        X14, x, x;     \
	VADDSS        X15, hi, hi

// PUT4 stores the results of a row at p.
#define PUT4(a, b, c, d, p) \
	VMOVSS a, (p);         \
	VMOVSS b, (p)(AX*1);   \
	VMOVSS c, (p)(AX*2);   \
	VMOVSS d, (p)(R12*1)

// EIGHTS multiplies a block of two rows by a vector's values, which are 128
// too large: Z12 takes that back. k picks the two products of scales in Y7.
#define EIGHTS(at, k, sum) \
	VBROADCASTI64X4 at, Z5;   \
	VMOVDQA64   Z12, Z6;      \
	VPDPBUSD    Z4, Z5, Z6;   \
	VCVTDQ2PS   Z6, Z6;       \
	VPERMPS     Z7, k, Z8;    \
	VFMADD231PS Z8, Z6, sum

// Two rows at a time, one in each half of a register; R10 is the length of a
// row, 0 for the last one of an odd number. The scales at R9 are those of the
// four vectors for a block, then for the next.
TEXT ·rows4Q8_0VNNI(SB), NOSPLIT, $0-64
	ARGS(32)
	MOVQ         stride+8(FP), AX
	LEAQ         (AX)(AX*2), R12
	MOVQ         blocks+56(FP), R10
	IMUL3Q       $34, R10, R10
	VPBROADCASTD sign8<>(SB), Z13
	VMOVDQU32    scale0<>(SB), Z20
	VPTERNLOGD   $0xff, Z24, Z24, Z24
	VPSUBD       Z24, Z20, Z21
	VPSUBD       Z24, Z21, Z22
	VPSUBD       Z24, Z22, Z23

pair:
	CMPQ    CX, $1
	JNE     begin
	XORQ    R10, R10

begin:
	VECTORS
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3

block:
	AHEAD(0)
	VMOVDQU        2(SI), Y4
	VINSERTI64X4   $1, 2(SI)(R10*1), Z4, Z4
	VPXORD         Z11, Z11, Z11
	VPXORD         Z12, Z12, Z12
	VPDPBUSD       Z4, Z13, Z11
	VPSUBD         Z11, Z12, Z12
	VPBROADCASTW   (SI), X7
	VPBROADCASTW   (SI)(R10*1), X8
	VPUNPCKLQDQ    X8, X7, X7
	VCVTPH2PS      X7, Y7
	VBROADCASTF128 (R9), Y8
	VMULPS         Y8, Y7, Y7
	EIGHTS((DI), Z20, Z0)
	EIGHTS((DI)(R8*1), Z21, Z1)
	EIGHTS((DI)(R8*2), Z22, Z2)
	EIGHTS((DI)(R13*1), Z23, Z3)
	ADDQ           $34, SI
	ADDQ           $32, DI
	ADDQ           $16, R9
	DECQ           BX
	JNZ            block
	TWO(Z0, Y0, X0, Y4, X4)
	TWO(Z1, Y1, X1, Y5, X5)
	TWO(Z2, Y2, X2, Y6, X6)
	TWO(Z3, Y3, X3, Y7, X7)
	PUT4(X0, X1, X2, X3, DX)
	ADDQ $4, DX
	DECQ CX
	JZ   done
	PUT4(X4, X5, X6, X7, DX)
	ADDQ $4, DX
	ADDQ R10, SI
	DECQ CX
	JNZ  pair

done:
	VZEROUPPER
	RET
