//go:build amd64

#include "textflag.h"
#include "kernels_amd64.h"
#include "avx512_amd64.h"

// AVX-512 kernels of Q4_K, Q5_K and IQ4_XS, whose weights are looked up in a
// table for each 32.

// Shifts that bring the parts of packed sub-scales to the bottom.
DATA by4<>+0(SB)/8, $0x0000000400000000
DATA by4<>+8(SB)/8, $0x0000000c00000008
DATA by4<>+16(SB)/8, $0x0000001400000010
DATA by4<>+24(SB)/8, $0x0000001c00000018
GLOBL by4<>(SB), RODATA|NOPTR, $32
DATA by2<>+0(SB)/8, $0x0000000200000000
DATA by2<>+8(SB)/8, $0x0000000600000004
DATA by2<>+16(SB)/8, $0x0000000a00000008
DATA by2<>+24(SB)/8, $0x0000000e0000000c
GLOBL by2<>(SB), RODATA|NOPTR, $32
DATA word15<>+0(SB)/4, $15
GLOBL word15<>(SB), RODATA|NOPTR, $4
DATA word3<>+0(SB)/4, $3
GLOBL word3<>(SB), RODATA|NOPTR, $4
DATA word32<>+0(SB)/4, $32
GLOBL word32<>(SB), RODATA|NOPTR, $4

// How the 12 bytes of sub-scales and offsets of Q4_K and Q5_K are taken
// apart: which bytes hold the low bits of the eight of each, how far to shift
// them and what to keep, and the same for the high two bits.
DATA lowFrom<>+0(SB)/8, $0x0000000100000000
DATA lowFrom<>+8(SB)/8, $0x0000000300000002
DATA lowFrom<>+16(SB)/8, $0x0000000900000008
DATA lowFrom<>+24(SB)/8, $0x0000000b0000000a
DATA lowFrom<>+32(SB)/8, $0x0000000500000004
DATA lowFrom<>+40(SB)/8, $0x0000000700000006
DATA lowFrom<>+48(SB)/8, $0x0000000900000008
DATA lowFrom<>+56(SB)/8, $0x0000000b0000000a
GLOBL lowFrom<>(SB), RODATA|NOPTR, $64
DATA lowShift<>+0(SB)/8, $0x0000000000000000
DATA lowShift<>+8(SB)/8, $0x0000000000000000
DATA lowShift<>+16(SB)/8, $0x0000000000000000
DATA lowShift<>+24(SB)/8, $0x0000000000000000
DATA lowShift<>+32(SB)/8, $0x0000000000000000
DATA lowShift<>+40(SB)/8, $0x0000000000000000
DATA lowShift<>+48(SB)/8, $0x0000000400000004
DATA lowShift<>+56(SB)/8, $0x0000000400000004
GLOBL lowShift<>(SB), RODATA|NOPTR, $64
DATA lowMask<>+0(SB)/8, $0x0000003f0000003f
DATA lowMask<>+8(SB)/8, $0x0000003f0000003f
DATA lowMask<>+16(SB)/8, $0x0000000f0000000f
DATA lowMask<>+24(SB)/8, $0x0000000f0000000f
DATA lowMask<>+32(SB)/8, $0x0000003f0000003f
DATA lowMask<>+40(SB)/8, $0x0000003f0000003f
DATA lowMask<>+48(SB)/8, $0x0000000f0000000f
DATA lowMask<>+56(SB)/8, $0x0000000f0000000f
GLOBL lowMask<>(SB), RODATA|NOPTR, $64
DATA highFrom<>+0(SB)/8, $0x0000000000000000
DATA highFrom<>+8(SB)/8, $0x0000000000000000
DATA highFrom<>+16(SB)/8, $0x0000000100000000
DATA highFrom<>+24(SB)/8, $0x0000000300000002
DATA highFrom<>+32(SB)/8, $0x0000000000000000
DATA highFrom<>+40(SB)/8, $0x0000000000000000
DATA highFrom<>+48(SB)/8, $0x0000000500000004
DATA highFrom<>+56(SB)/8, $0x0000000700000006
GLOBL highFrom<>(SB), RODATA|NOPTR, $64
DATA highMask<>+0(SB)/8, $0x0000000000000000
DATA highMask<>+8(SB)/8, $0x0000000000000000
DATA highMask<>+16(SB)/8, $0x0000003000000030
DATA highMask<>+24(SB)/8, $0x0000003000000030
DATA highMask<>+32(SB)/8, $0x0000000000000000
DATA highMask<>+40(SB)/8, $0x0000000000000000
DATA highMask<>+48(SB)/8, $0x0000003000000030
DATA highMask<>+56(SB)/8, $0x0000003000000030
GLOBL highMask<>(SB), RODATA|NOPTR, $64

// One float eight times, then the next.
DATA eachEight<>+0(SB)/8, $0x0000000000000000
DATA eachEight<>+8(SB)/8, $0x0000000000000000
DATA eachEight<>+16(SB)/8, $0x0000000000000000
DATA eachEight<>+24(SB)/8, $0x0000000000000000
DATA eachEight<>+32(SB)/8, $0x0000000100000001
DATA eachEight<>+40(SB)/8, $0x0000000100000001
DATA eachEight<>+48(SB)/8, $0x0000000100000001
DATA eachEight<>+56(SB)/8, $0x0000000100000001
GLOBL eachEight<>(SB), RODATA|NOPTR, $64

// SUBS45 unpacks the sub-scales and offsets of a Q4_K or Q5_K block,
// eight of d*scale and then eight of dmin*offset.
#define SUBS45 \
	VPMOVZXBD  4(R13), Z8;                       \
	VMOVD      (R13), X10;                       \
	VPERMD     Z8, Z28, Z9;                     \
	VPERMD     Z8, Z29, Z8;                     \
	VCVTPH2PS  X10, X10;                        \
	VPSRLVD    lowShift<>(SB), Z9, Z9;          \
	VPSRLD     $2, Z8, Z8;                      \
	VPANDD     lowMask<>(SB), Z9, Z9;           \
	VPTERNLOGD $0xf8, highMask<>(SB), Z8, Z9;   \
	VPERMPS    Z10, Z30, Z10;                   \
	VCVTDQ2PS  Z9, Z9;                          \
	VMULPS     Z10, Z9, Z9;                     \
	VMOVUPS    Z9, 0(R11)

#define SUBS45CONST \
	VMOVDQU32 lowFrom<>(SB), Z28;   \
	VMOVDQU32 highFrom<>(SB), Z29;  \
	VMOVDQU32 eachEight<>(SB), Z30

// TABLE sets t to the values of block b of Q4_K or Q5_K for the levels in l.
#define TABLE(l, b, t) \
	VMULPS.BCST (4*(b))(R12), l, t;    \
	VSUBPS.BCST (32+4*(b))(R12), t, t

#define PAIR4K(at, b, op) \
	TABLE(Z15, b, Z8);           \
	TABLE(Z15, b+1, Z10);        \
	VPMOVZXBD (at)(SI), Z6;      \
	VPMOVZXBD (at+16)(SI), Z7;   \
	VPERMPS   Z8, Z6, Z4;        \
	VPERMPS   Z8, Z7, Z5;        \
	op;                          \
	VPSRLD    $4, Z6, Z6;        \
	VPSRLD    $4, Z7, Z7;        \
	VPERMPS   Z10, Z6, Z4;       \
	VPERMPS   Z10, Z7, Z5;       \
	op

#define Q4_K(op) \
	AHEAD(SI, 0); \
	AHEAD(SI, 64); \
	AHEAD(SI, 128); \
	NEXT(SUBS45, 144); \
	PAIR4K(16, 0, op);  \
	PAIR4K(48, 2, op);  \
	PAIR4K(80, 4, op);  \
	PAIR4K(112, 6, op); \
	DONE(144)

#define Q4_KCONST \
	SUBS45CONST;              \
	VMOVUPS ·levels5(SB), Z15; \
	FIRST(SUBS45)

// BLOCK5K decodes block b of Q5_K, whose low bits are in Z6 and Z7 and high
// bits in Y12, where a shift by n brings them to the top of their bytes.
#define BLOCK5K(b, n, op) \
	VPSLLW       $n, Y12, Y11;         \
	VBROADCASTSS (4*(b))(R12), Z10;     \
	VBROADCASTSS (32+4*(b))(R12), Z13;  \
	VPMOVB2M     Y11, K1;              \
	VMULPS       Z10, Z15, Z8;         \
	VMULPS       Z10, Z14, Z9;         \
	KSHIFTRD     $16, K1, K2;          \
	VSUBPS       Z13, Z8, Z8;          \
	VSUBPS       Z13, Z9, Z9;          \
	VPERMPS      Z8, Z6, Z4;           \
	VPERMPS      Z8, Z7, Z5;           \
	VPERMPS      Z9, Z6, K1, Z4;       \
	VPERMPS      Z9, Z7, K2, Z5;       \
	op

#define PAIR5K(at, b, op) \
	VPMOVZXBD (at)(SI), Z6;    \
	VPMOVZXBD (at+16)(SI), Z7; \
	BLOCK5K(b, 7-(b), op);     \
	VPSRLD    $4, Z6, Z6;      \
	VPSRLD    $4, Z7, Z7;      \
	BLOCK5K(b+1, 6-(b), op)

#define Q5_K(op) \
	AHEAD(SI, 0); \
	AHEAD(SI, 64); \
	AHEAD(SI, 128); \
	NEXT(SUBS45, 176); \
	VMOVDQU 16(SI), Y12; \
	PAIR5K(48, 0, op);   \
	PAIR5K(80, 2, op);   \
	PAIR5K(112, 4, op);  \
	PAIR5K(144, 6, op);  \
	DONE(176)

#define Q5_KCONST \
	SUBS45CONST;                  \
	VMOVUPS ·levels5(SB), Z15;    \
	VMOVUPS ·levels5+64(SB), Z14; \
	FIRST(SUBS45)

// SUBS4X unpacks the eight sub-scales of an IQ4_XS block.
#define SUBS4X \
	VPBROADCASTD 4(R13), Y8;            \
	VPBROADCASTW 2(R13), Y9;            \
	VPSRLVD      by4<>(SB), Y8, Y8;    \
	VPSRLVD      by2<>(SB), Y9, Y9;    \
	VPANDD.BCST  word15<>(SB), Y8, Y8; \
	VPANDD.BCST  word3<>(SB), Y9, Y9;  \
	VPSLLD       $4, Y9, Y9;           \
	VPOR         Y9, Y8, Y8;           \
	VPSUBD.BCST  word32<>(SB), Y8, Y8; \
	VCVTDQ2PS    Y8, Y8;               \
	HALF((R13), Y9, X9);                \
	VMULPS       Y9, Y8, Y8;           \
	VMOVUPS      Y8, 0(R11)

#define BLOCK4X(b, op) \
	VMULPS.BCST (4*(b))(R12), Z15, Z8;  \
	VPMOVZXBD   (8+16*(b))(SI), Z6;    \
	VPSRLD      $4, Z6, Z7;            \
	VPERMPS     Z8, Z6, Z4;            \
	VPERMPS     Z8, Z7, Z5;            \
	op

#define IQ4_XS(op) \
	AHEAD(SI, 0); \
	AHEAD(SI, 64); \
	AHEAD(SI, 128); \
	NEXT(SUBS4X, 136); \
	BLOCK4X(0, op); \
	BLOCK4X(1, op); \
	BLOCK4X(2, op); \
	BLOCK4X(3, op); \
	BLOCK4X(4, op); \
	BLOCK4X(5, op); \
	BLOCK4X(6, op); \
	BLOCK4X(7, op); \
	DONE(136)

#define IQ4_XSCONST \
	VMOVUPS ·levelsIQ4Float(SB), Z15; \
	FIRST(SUBS4X)

TEXT ·mulQ4_KAVX512(SB), NOSPLIT, $384-40
	MUL(Q4_KCONST, Q4_K)

TEXT ·mulQ5_KAVX512(SB), NOSPLIT, $384-40
	MUL(Q5_KCONST, Q5_K)

TEXT ·mul4Q4_KAVX512(SB), NOSPLIT, $384-64
	MUL4(Q4_KCONST, Q4_K)

TEXT ·mul4Q5_KAVX512(SB), NOSPLIT, $384-64
	MUL4(Q5_KCONST, Q5_K)

TEXT ·panelQ4_KAVX512(SB), NOSPLIT, $384-40
	PANEL(Q4_KCONST, Q4_K)

TEXT ·panelQ5_KAVX512(SB), NOSPLIT, $384-40
	PANEL(Q5_KCONST, Q5_K)

TEXT ·mulIQ4_XSAVX512(SB), NOSPLIT, $384-40
	MUL(IQ4_XSCONST, IQ4_XS)

TEXT ·mul4IQ4_XSAVX512(SB), NOSPLIT, $384-64
	MUL4(IQ4_XSCONST, IQ4_XS)

TEXT ·panelIQ4_XSAVX512(SB), NOSPLIT, $384-40
	PANEL(IQ4_XSCONST, IQ4_XS)

// Q4_K by four rows at a time, so that what is read of the vector serves all.
// The rows are at SI and 1 to 3 times R8 after it; R13 is three times R8. Z16
// to Z23 are their sums, Z24 to Z27 64 elements of the vector.

// SUBS4 unpacks the sub-scales and offsets of a block, whose halves are at d
// and whose three words of them at a, b and c, to out. It takes the words
// apart in general registers, which have nothing else to do.
#define SUBS4(d, a, b, c, out) \
	MOVL      a, AX;                \
	MOVL      b, BX;                \
	MOVL      c, R9;                \
	MOVL      AX, R10;              \
	MOVL      BX, R11;              \
	MOVL      R9, R12;              \
	SHRL      $2, AX;               \
	SHRL      $2, BX;               \
	SHRL      $4, R9;               \
	ANDL      $0x3f3f3f3f, R10;     \
	ANDL      $0x3f3f3f3f, R11;     \
	ANDL      $0x30303030, AX;      \
	ANDL      $0x30303030, BX;      \
	ANDL      $0x0f0f0f0f, R12;     \
	ANDL      $0x0f0f0f0f, R9;      \
	ORL       R12, AX;              \
	ORL       R9, BX;               \
	SHLQ      $32, AX;              \
	SHLQ      $32, BX;              \
	ORQ       R10, AX;              \
	ORQ       R11, BX;              \
	VMOVQ     AX, X6;               \
	VPINSRQ   $1, BX, X6, X6;       \
	VMOVD     d, X7;                \
	VPMOVZXBD X6, Z6;               \
	VCVTPH2PS X7, X7;               \
	VCVTDQ2PS Z6, Z6;               \
	VPERMPS   Z7, Z30, Z7;          \
	VMULPS    Z7, Z6, Z6;           \
	VMOVUPS   Z6, out

// ROW4 multiplies 64 weights of a row, the bytes at q and q16, whose two
// sub-scales are s bytes after R14, and adds to lo and hi.
#define ROW4(q, q16, s, lo, hi) \
	VMULPS.BCST (s)(R14), Z15, Z8;    \
	VMULPS.BCST (s+4)(R14), Z15, Z9;  \
	VPMOVZXBD   q, Z6;                \
	VPMOVZXBD   q16, Z7;              \
	VSUBPS.BCST (s+32)(R14), Z8, Z8;  \
	VSUBPS.BCST (s+36)(R14), Z9, Z9;  \
	VPERMPS     Z8, Z6, Z2;           \
	VPERMPS     Z8, Z7, Z3;           \
	VPSRLD      $4, Z6, Z6;           \
	VPSRLD      $4, Z7, Z7;           \
	VPERMPS     Z9, Z6, Z4;           \
	VPERMPS     Z9, Z7, Z5;           \
	VMULPS      Z24, Z2, Z2;          \
	VMULPS      Z25, Z3, Z3;          \
	VMULPS      Z26, Z4, Z4;          \
	VMULPS      Z27, Z5, Z5;          \
	VADDPS      Z2, lo, lo;           \
	VADDPS      Z3, hi, hi;           \
	VADDPS      Z4, lo, lo;           \
	VADDPS      Z5, hi, hi

#define QUARTER4(i) \
	VMOVUPS (256*i)(DI), Z24;      \
	VMOVUPS (256*i+64)(DI), Z25;   \
	VMOVUPS (256*i+128)(DI), Z26;  \
	VMOVUPS (256*i+192)(DI), Z27;  \
	ROW4((16+32*i)(SI), (32+32*i)(SI), 8*i, Z16, Z17);                      \
	ROW4((16+32*i)(SI)(R8*1), (32+32*i)(SI)(R8*1), 64+8*i, Z18, Z19);       \
	ROW4((16+32*i)(SI)(R8*2), (32+32*i)(SI)(R8*2), 128+8*i, Z20, Z21);      \
	ROW4((16+32*i)(SI)(R13*1), (32+32*i)(SI)(R13*1), 192+8*i, Z22, Z23)

// AHEAD4 asks for the same block of the four rows that follow, for one row.
#define AHEAD4(row) \
	PREFETCHT0 (R9)(row);    \
	PREFETCHT0 64(R9)(row);  \
	PREFETCHT0 128(R9)(row)

// HALF2 adds the upper half of each sum to its lower half: those of a and b
// are left in ab, those of c and d in cd.
#define HALF2(a, b, c, d, ab, cd) \
	VBLENDMPS  b, a, K1, ab;    \
	VSHUFF64X2 $0x4e, b, a, Z6; \
	VBLENDMPS  d, c, K1, cd;    \
	VSHUFF64X2 $0x4e, d, c, Z7; \
	VADDPS     Z6, ab, ab;      \
	VADDPS     Z7, cd, cd

// func mul4RowsQ4_KAVX512(dst *float32, w *byte, rows int, x *float32, cols int)
//
// The number of rows is a multiple of four.
TEXT ·mul4RowsQ4_KAVX512(SB), NOSPLIT, $384-40
	MOVQ      w+8(FP), SI
	MOVQ      cols+32(FP), R8
	SHRQ      $8, R8
	IMUL3Q    $144, R8, R8
	LEAQ      (R8)(R8*2), R13
	LEAQ      63(SP), R14
	ANDQ      $-64, R14
	VMOVDQU32 eachEight<>(SB), Z30
	VMOVUPS   ·levels5(SB), Z15
	MOVL      $0xff00, AX
	KMOVW     AX, K1
	MOVL      $0x1111, AX
	KMOVW     AX, K2

rows:
	MOVQ   x+24(FP), DI
	MOVQ   cols+32(FP), CX
	VPXORD Z16, Z16, Z16
	VPXORD Z17, Z17, Z17
	VPXORD Z18, Z18, Z18
	VPXORD Z19, Z19, Z19
	VPXORD Z20, Z20, Z20
	VPXORD Z21, Z21, Z21
	VPXORD Z22, Z22, Z22
	VPXORD Z23, Z23, Z23

block:
	LEAQ       (SI)(R8*4), R9
	PREFETCHT0 (R9)
	PREFETCHT0 64(R9)
	PREFETCHT0 128(R9)
	AHEAD4(R8*1)
	AHEAD4(R8*2)
	AHEAD4(R13*1)
	SUBS4((SI), 4(SI), 8(SI), 12(SI), (R14))
	SUBS4((SI)(R8*1), 4(SI)(R8*1), 8(SI)(R8*1), 12(SI)(R8*1), 64(R14))
	SUBS4((SI)(R8*2), 4(SI)(R8*2), 8(SI)(R8*2), 12(SI)(R8*2), 128(R14))
	SUBS4((SI)(R13*1), 4(SI)(R13*1), 8(SI)(R13*1), 12(SI)(R13*1), 192(R14))
	QUARTER4(0)
	QUARTER4(1)
	QUARTER4(2)
	QUARTER4(3)
	ADDQ       $1024, DI
	ADDQ       $144, SI
	SUBQ       $256, CX
	JNZ        block

	// The order of END: the upper half of each register, the two registers,
	// and then the eight lanes.
	HALF2(Z16, Z18, Z20, Z22, Z8, Z9)
	HALF2(Z17, Z19, Z21, Z23, Z10, Z11)
	VADDPS      Z10, Z8, Z0
	VADDPS      Z11, Z9, Z2
	VSHUFF64X2  $0x88, Z2, Z0, Z1
	VSHUFF64X2  $0xdd, Z2, Z0, Z3
	VADDPS      Z3, Z1, Z0
	VPERMILPD   $0x55, Z0, Z1
	VADDPS      Z1, Z0, Z0
	VMOVSHDUP   Z0, Z1
	VADDPS      Z1, Z0, Z0
	VCOMPRESSPS Z0, K2, Z0
	MOVQ        dst+0(FP), DX
	VMOVUPS     X0, (DX)
	ADDQ        $16, dst+0(FP)
	LEAQ        (SI)(R13*1), SI
	SUBQ        $4, rows+16(FP)
	JNZ         rows
	VZEROUPPER
	RET
