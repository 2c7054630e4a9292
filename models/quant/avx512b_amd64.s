//go:build amd64

#include "textflag.h"
#include "kernels_amd64.h"
#include "avx512_amd64.h"

// AVX-512 kernels of Q2_K, Q3_K and Q6_K, which have a sub-scale for each 16
// weights. The bits of a weight are looked up where they lie, in tables that
// do not care about the bits of other weights above them.

DATA bytes15<>+0(SB)/8, $0x0f0f0f0f0f0f0f0f
GLOBL bytes15<>(SB), RODATA|NOPTR, $8
DATA bytes32<>+0(SB)/8, $0x2020202020202020
GLOBL bytes32<>(SB), RODATA|NOPTR, $8
DATA bytes3<>+0(SB)/8, $0x0303030303030303
GLOBL bytes3<>(SB), RODATA|NOPTR, $8

// Shifts that bring the parts of packed sub-scales to the bottom.
DATA by2<>+0(SB)/8, $0x0000000200000000
DATA by2<>+8(SB)/8, $0x0000000600000004
DATA by2<>+16(SB)/8, $0x0000000a00000008
DATA by2<>+24(SB)/8, $0x0000000e0000000c
GLOBL by2<>(SB), RODATA|NOPTR, $32
DATA word3<>+0(SB)/4, $3
GLOBL word3<>(SB), RODATA|NOPTR, $4
DATA word15<>+0(SB)/4, $15
GLOBL word15<>(SB), RODATA|NOPTR, $4

// BLOCK6K decodes block b of Q6_K: low bits in l and m, high bits in Z10 and
// Z11, of which the next two are wanted. Both are looked up, so that what
// stands above them does not matter, and their sum is exact.
#define BLOCK6K(b, l, m, op) \
	VPERMPS     Z15, l, Z4;              \
	VPERMPS     Z15, m, Z5;              \
	VPERMPS     Z14, Z10, Z12;           \
	VPERMPS     Z14, Z11, Z13;           \
	VADDPS      Z12, Z4, Z4;             \
	VADDPS      Z13, Z5, Z5;             \
	VMULPS.BCST (8*(b))(R12), Z4, Z4;    \
	VMULPS.BCST (8*(b)+4)(R12), Z5, Z5;  \
	op

#define HALF6K(l, h, b, op) \
	VPMOVZXBD (l)(SI), Z6;       \
	VPMOVZXBD (l+16)(SI), Z7;    \
	VPMOVZXBD (h)(SI), Z10;      \
	VPMOVZXBD (h+16)(SI), Z11;   \
	BLOCK6K(b, Z6, Z7, op);      \
	VPMOVZXBD (l+32)(SI), Z8;    \
	VPMOVZXBD (l+48)(SI), Z9;    \
	VPSRLD    $2, Z10, Z10;      \
	VPSRLD    $2, Z11, Z11;      \
	BLOCK6K(b+1, Z8, Z9, op);    \
	VPSRLD    $4, Z6, Z6;        \
	VPSRLD    $4, Z7, Z7;        \
	VPSRLD    $2, Z10, Z10;      \
	VPSRLD    $2, Z11, Z11;      \
	BLOCK6K(b+2, Z6, Z7, op);    \
	VPSRLD    $4, Z8, Z8;        \
	VPSRLD    $4, Z9, Z9;        \
	VPSRLD    $2, Z10, Z10;      \
	VPSRLD    $2, Z11, Z11;      \
	BLOCK6K(b+3, Z8, Z9, op)

// SUBS6 unpacks the sixteen sub-scales of a Q6_K block.
#define SUBS6 \
	HALF(208(R13), Z8, Y8);  \
	VPMOVSXBD 192(R13), Z9;  \
	VCVTDQ2PS Z9, Z9;       \
	VMULPS    Z8, Z9, Z9;   \
	VMOVUPS   Z9, 0(R11)

#define Q6_K(op) \
	AHEAD(SI, 0); \
	AHEAD(SI, 64); \
	AHEAD(SI, 128); \
	AHEAD(SI, 192); \
	NEXT(SUBS6, 210); \
	HALF6K(0, 128, 0, op);  \
	HALF6K(64, 160, 4, op); \
	DONE(210)

#define Q6_KCONST \
	VMOVUPS ·levels5(SB), Z15;    \
	VMOVUPS ·levelsHigh(SB), Z14; \
	FIRST(SUBS6)

// BLOCK3K decodes block b of Q3_K: low bits in Z6 and Z7, of which the next
// two are wanted, the high bit in Z10 and Z11 after a shift by n. The values
// are looked up by three bits; the table is the same for either fourth.
#define BLOCK3K(b, shift, n, op) \
	shift       $n, Z10, Z12;            \
	shift       $n, Z11, Z13;            \
	VMULPS.BCST (8*(b))(R12), Z15, Z8;   \
	VMULPS.BCST (8*(b)+4)(R12), Z15, Z9; \
	VPTERNLOGD  $0xd8, Z14, Z6, Z12;     \
	VPTERNLOGD  $0xd8, Z14, Z7, Z13;     \
	VPERMPS     Z8, Z12, Z4;             \
	VPERMPS     Z9, Z13, Z5;             \
	VPSRLD      $2, Z6, Z6;              \
	VPSRLD      $2, Z7, Z7;              \
	op

// SUBS3 unpacks the sixteen sub-scales of a Q3_K block: eight
// bytes with their low four bits, four with their high two.
#define SUBS3 \
	VMOVQ        96(R13), X8;        \
	VPSRLW       $4, X8, X9;        \
	VPUNPCKLQDQ  X9, X8, X8;        \
	VPBROADCASTQ bytes15<>(SB), X9; \
	VPAND        X9, X8, X8;        \
	VPBROADCASTD 104(R13), X10;      \
	VPSRLVD      by2<>(SB), X10, X10; \
	VPBROADCASTQ bytes3<>(SB), X9;  \
	VPAND        X9, X10, X10;      \
	VPSLLD       $4, X10, X10;      \
	VPOR         X10, X8, X8;       \
	VPBROADCASTQ bytes32<>(SB), X9; \
	VPSUBB       X9, X8, X8;        \
	VPMOVSXBD    X8, Z9;            \
	VCVTDQ2PS    Z9, Z9;            \
	HALF(108(R13), Z8, Y8);          \
	VMULPS       Z8, Z9, Z9;        \
	VMOVUPS      Z9, 0(R11)

#define Q3_K(op) \
	AHEAD(SI, 0);                   \
	AHEAD(SI, 64);                  \
	NEXT(SUBS3, 110);           \
	VPMOVZXBD (SI), Z10;        \
	VPMOVZXBD 16(SI), Z11;      \
	VPMOVZXBD 32(SI), Z6;       \
	VPMOVZXBD 48(SI), Z7;       \
	BLOCK3K(0, VPSLLD, 2, op);  \
	BLOCK3K(1, VPSLLD, 1, op);  \
	BLOCK3K(2, VPSRLD, 0, op);  \
	BLOCK3K(3, VPSRLD, 1, op);  \
	VPMOVZXBD 64(SI), Z6;       \
	VPMOVZXBD 80(SI), Z7;       \
	BLOCK3K(4, VPSRLD, 2, op);  \
	BLOCK3K(5, VPSRLD, 3, op);  \
	BLOCK3K(6, VPSRLD, 4, op);  \
	BLOCK3K(7, VPSRLD, 5, op);  \
	DONE(110)

#define Q3_KCONST \
	VPBROADCASTD word3<>(SB), Z14; \
	VMOVUPS      ·levels3(SB), Z15; \
	FIRST(SUBS3)

// BLOCK2K decodes block b of Q2_K: bits in Z6 and Z7, of which the next two
// are wanted. The table is the same for whatever stands above them.
#define BLOCK2K(b, op) \
	VMULPS.BCST (8*(b))(R12), Z15, Z8;      \
	VMULPS.BCST (8*(b)+4)(R12), Z15, Z9;    \
	VSUBPS.BCST (64+8*(b))(R12), Z8, Z8;    \
	VSUBPS.BCST (64+8*(b)+4)(R12), Z9, Z9;  \
	VPERMPS     Z8, Z6, Z4;                 \
	VPERMPS     Z9, Z7, Z5;                 \
	VPSRLD      $2, Z6, Z6;                 \
	VPSRLD      $2, Z7, Z7;                 \
	op

// SUBS2 unpacks the sixteen sub-scales and offsets of a Q2_K block.
#define SUBS2 \
	VPMOVZXBD    (R13), Z8;          \
	VPSRLD       $4, Z8, Z9;        \
	VPANDD.BCST  word15<>(SB), Z8, Z8; \
	VCVTDQ2PS    Z8, Z8;            \
	VCVTDQ2PS    Z9, Z9;            \
	HALF(80(R13), Z10, Y10);         \
	HALF(82(R13), Z11, Y11);         \
	VMULPS       Z10, Z8, Z8;       \
	VMULPS       Z11, Z9, Z9;       \
	VMOVUPS      Z8, 0(R11);         \
	VMOVUPS      Z9, 64(R11)

#define Q2_K(op) \
	AHEAD(SI, 0);               \
	AHEAD(SI, 64);              \
	NEXT(SUBS2, 84);        \
	VPMOVZXBD 16(SI), Z6;   \
	VPMOVZXBD 32(SI), Z7;   \
	BLOCK2K(0, op);         \
	BLOCK2K(1, op);         \
	BLOCK2K(2, op);         \
	BLOCK2K(3, op);         \
	VPMOVZXBD 48(SI), Z6;   \
	VPMOVZXBD 64(SI), Z7;   \
	BLOCK2K(4, op);         \
	BLOCK2K(5, op);         \
	BLOCK2K(6, op);         \
	BLOCK2K(7, op);         \
	DONE(84)

#define Q2_KCONST \
	VMOVUPS ·levels2(SB), Z15; \
	FIRST(SUBS2)

TEXT ·mulQ6_KAVX512(SB), NOSPLIT, $384-40
	MUL(Q6_KCONST, Q6_K)

TEXT ·mul4Q6_KAVX512(SB), NOSPLIT, $384-64
	MUL4(Q6_KCONST, Q6_K)

TEXT ·panelQ6_KAVX512(SB), NOSPLIT, $384-40
	PANEL(Q6_KCONST, Q6_K)

TEXT ·mulQ3_KAVX512(SB), NOSPLIT, $384-40
	MUL(Q3_KCONST, Q3_K)

TEXT ·mul4Q3_KAVX512(SB), NOSPLIT, $384-64
	MUL4(Q3_KCONST, Q3_K)

TEXT ·panelQ3_KAVX512(SB), NOSPLIT, $384-40
	PANEL(Q3_KCONST, Q3_K)

TEXT ·mulQ2_KAVX512(SB), NOSPLIT, $384-40
	MUL(Q2_KCONST, Q2_K)

TEXT ·mul4Q2_KAVX512(SB), NOSPLIT, $384-64
	MUL4(Q2_KCONST, Q2_K)

TEXT ·panelQ2_KAVX512(SB), NOSPLIT, $384-40
	PANEL(Q2_KCONST, Q2_K)
