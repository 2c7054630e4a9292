//go:build amd64

#include "textflag.h"

// Products of integers for AVX-512 with VNNI: rows by four vectors at a time,
// so that weights are taken apart once for all of them.
//
// func(dst *float32, stride int, w *byte, rows int, q unsafe.Pointer, d *float32, sums *int16, blocks int)
//
// Vectors follow one another; results of a vector are stride bytes after those
// of the one before. SI is the weights, DI the 8-bit values of the first
// vector (R8 and R13 are the length of one and of three), R9 its scales (R10,
// R12), R11 its sums, BX the blocks left.

DATA nibbles<>+0(SB)/4, $0x0f0f0f0f
GLOBL nibbles<>(SB), RODATA|NOPTR, $4
DATA sign8<>+0(SB)/4, $0x80808080
GLOBL sign8<>(SB), RODATA|NOPTR, $4

// How far the 8 bytes of each lane are shifted: the lower half of a register
// holds the low halves of bytes, the upper half the high ones.
DATA lowHigh<>+0(SB)/8, $0
DATA lowHigh<>+8(SB)/8, $0
DATA lowHigh<>+16(SB)/8, $0
DATA lowHigh<>+24(SB)/8, $0
DATA lowHigh<>+32(SB)/8, $4
DATA lowHigh<>+40(SB)/8, $4
DATA lowHigh<>+48(SB)/8, $4
DATA lowHigh<>+56(SB)/8, $4
GLOBL lowHigh<>(SB), RODATA|NOPTR, $64

// Sub-scale 2p for the lower half of a register, 2p+1 for the upper one.
DATA subs0<>+0(SB)/8, $0x0000000000000000
DATA subs0<>+8(SB)/8, $0x0000000000000000
DATA subs0<>+16(SB)/8, $0x0000000000000000
DATA subs0<>+24(SB)/8, $0x0000000000000000
DATA subs0<>+32(SB)/8, $0x0000000100000001
DATA subs0<>+40(SB)/8, $0x0000000100000001
DATA subs0<>+48(SB)/8, $0x0000000100000001
DATA subs0<>+56(SB)/8, $0x0000000100000001
GLOBL subs0<>(SB), RODATA|NOPTR, $64
DATA subs1<>+0(SB)/8, $0x0000000200000002
DATA subs1<>+8(SB)/8, $0x0000000200000002
DATA subs1<>+16(SB)/8, $0x0000000200000002
DATA subs1<>+24(SB)/8, $0x0000000200000002
DATA subs1<>+32(SB)/8, $0x0000000300000003
DATA subs1<>+40(SB)/8, $0x0000000300000003
DATA subs1<>+48(SB)/8, $0x0000000300000003
DATA subs1<>+56(SB)/8, $0x0000000300000003
GLOBL subs1<>(SB), RODATA|NOPTR, $64
DATA subs2<>+0(SB)/8, $0x0000000400000004
DATA subs2<>+8(SB)/8, $0x0000000400000004
DATA subs2<>+16(SB)/8, $0x0000000400000004
DATA subs2<>+24(SB)/8, $0x0000000400000004
DATA subs2<>+32(SB)/8, $0x0000000500000005
DATA subs2<>+40(SB)/8, $0x0000000500000005
DATA subs2<>+48(SB)/8, $0x0000000500000005
DATA subs2<>+56(SB)/8, $0x0000000500000005
GLOBL subs2<>(SB), RODATA|NOPTR, $64
DATA subs3<>+0(SB)/8, $0x0000000600000006
DATA subs3<>+8(SB)/8, $0x0000000600000006
DATA subs3<>+16(SB)/8, $0x0000000600000006
DATA subs3<>+24(SB)/8, $0x0000000600000006
DATA subs3<>+32(SB)/8, $0x0000000700000007
DATA subs3<>+40(SB)/8, $0x0000000700000007
DATA subs3<>+48(SB)/8, $0x0000000700000007
DATA subs3<>+56(SB)/8, $0x0000000700000007
GLOBL subs3<>(SB), RODATA|NOPTR, $64

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

// SUBS leaves the eight sub-scales of a block in Y10, and its eight smallest
// values as words in X11. It uses AX, R11, R14, R15 and the stack, where R11
// waits.
#define SUBS \
	MOVQ      R11, r11-8(SP);        \
	MOVQ      R12, r12-16(SP);        \
	MOVQ      R13, r13-24(SP);       \
	MOVL      4(SI), AX;         \
	MOVL      8(SI), R11;        \
	MOVL      12(SI), R12;       \
	MOVL      AX, R13;           \
	MOVL      R11, R14;          \
	MOVL      R12, R15;          \
	SHRL      $2, AX;            \
	SHRL      $2, R11;           \
	SHRL      $4, R15;           \
	ANDL      $0x3f3f3f3f, R13;  \
	ANDL      $0x3f3f3f3f, R14;  \
	ANDL      $0x30303030, AX;   \
	ANDL      $0x30303030, R11;  \
	ANDL      $0x0f0f0f0f, R12;  \
	ANDL      $0x0f0f0f0f, R15;  \
	ORL       AX, R12;           \
	ORL       R11, R15;          \
	SHLQ      $32, R12;          \
	SHLQ      $32, R15;          \
	ORQ       R13, R12;          \
	ORQ       R14, R15;          \
	VMOVQ     R12, X10;          \
	VMOVQ     R15, X11;          \
	MOVQ      r11-8(SP), R11;        \
	MOVQ      r12-16(SP), R12;        \
	MOVQ      r13-24(SP), R13;       \
	VPMOVZXBD X10, Y10;          \
	VPMOVZXBW X11, X11

// QUARTERS takes 64 weights apart to z, and their sub-scales to s.
#define QUARTERS(at, subs, z, s) \
	VBROADCASTI64X4 at(SI), z;     \
	VMOVDQU32       subs, s;       \
	VPSRLVQ         Z30, z, z;     \
	VPERMD          Z10, s, s;     \
	VPANDD          Z31, z, z

// A product of four is below 2^15, so that the sub-scale multiplies it as a
// word whose neighbour is zero.
#define QUARTER(q, z, s, sum) \
	VPXORD   Z29, Z29, Z29; \
	VPDPBUSD q, z, Z29;     \
	VPDPWSSD s, Z29, sum

#define VECTOR4K(a, b, c, d, sum, ysum) \
	VPXORD sum, sum, sum;        \
	QUARTER(a, Z16, Z20, sum);   \
	QUARTER(b, Z17, Z21, sum);   \
	QUARTER(c, Z18, Z22, sum);   \
	QUARTER(d, Z19, Z23, sum);   \
	VEXTRACTI64X4 $1, sum, Y9;   \
	VPADDD Y9, ysum, ysum

// With one sum a row: X0 has those of four vectors, X1 those of the offsets.
TEXT ·rows4Q4_KVNNI(SB), NOSPLIT, $24-64
	ARGS(256)
	VMOVDQU64    lowHigh<>(SB), Z30
	VPBROADCASTD nibbles<>(SB), Z31

row:
	VECTORS
	VXORPS X0, X0, X0
	VXORPS X1, X1, X1

block:
	AHEAD(0)
	AHEAD(64)
	AHEAD(128)
	SUBS
	QUARTERS(16, subs0<>(SB), Z16, Z20)
	QUARTERS(48, subs1<>(SB), Z17, Z21)
	QUARTERS(80, subs2<>(SB), Z18, Z22)
	QUARTERS(112, subs3<>(SB), Z19, Z23)
	VECTOR4K((DI), 64(DI), 128(DI), 192(DI), Z2, Y2)
	VECTOR4K((DI)(R8*1), 64(DI)(R8*1), 128(DI)(R8*1), 192(DI)(R8*1), Z3, Y3)
	VECTOR4K((DI)(R8*2), 64(DI)(R8*2), 128(DI)(R8*2), 192(DI)(R8*2), Z4, Y4)
	VECTOR4K((DI)(R13*1), 64(DI)(R13*1), 128(DI)(R13*1), 192(DI)(R13*1), Z5, Y5)
	VPHADDD      Y3, Y2, Y2
	VPHADDD      Y5, Y4, Y4
	VPHADDD      Y4, Y2, Y2
	VEXTRACTI128 $1, Y2, X3
	VPADDD       X3, X2, X2

	// The sums of each 32 of a vector: a sixteenth of its values.
	MOVQ         blocks+56(FP), AX
	SHLQ         $4, AX
	LEAQ         (AX)(AX*2), R14
	VPMADDWD     (R11), X11, X3
	VPMADDWD     (R11)(AX*1), X11, X4
	VPMADDWD     (R11)(AX*2), X11, X5
	VPMADDWD     (R11)(R14*1), X11, X6
	VPHADDD      X4, X3, X3
	VPHADDD      X6, X5, X5
	VPHADDD      X5, X3, X3
	VMOVSS       (R9), X7
	VINSERTPS    $0x10, (R9)(R10*1), X7, X7
	VINSERTPS    $0x20, (R9)(R10*2), X7, X7
	VINSERTPS    $0x30, (R9)(R12*1), X7, X7
	VPBROADCASTW (SI), X4
	VPBROADCASTW 2(SI), X5
	VCVTPH2PS    X4, X4
	VCVTPH2PS    X5, X5
	VMULPS       X7, X4, X4
	VMULPS       X7, X5, X5
	VCVTDQ2PS    X2, X2
	VCVTDQ2PS    X3, X3
	VFMADD231PS  X4, X2, X0
	VFMADD231PS  X5, X3, X1
	ADDQ         $144, SI
	ADDQ         $256, DI
	ADDQ         $4, R9
	ADDQ         $16, R11
	DECQ         BX
	JNZ          block
	VSUBPS       X1, X0, X0
	VMOVSHDUP    X0, X1
	VMOVHLPS     X0, X0, X2
	VMOVSHDUP    X2, X3
	MOVQ         stride+8(FP), AX
	LEAQ         (AX)(AX*2), R14
	VMOVSS       X0, (DX)
	VMOVSS       X1, (DX)(AX*1)
	VMOVSS       X2, (DX)(AX*2)
	VMOVSS       X3, (DX)(R14*1)
	ADDQ         $4, DX
	DECQ         CX
	JNZ          row
	VZEROUPPER
	RET
