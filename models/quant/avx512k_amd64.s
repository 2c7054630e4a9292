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
