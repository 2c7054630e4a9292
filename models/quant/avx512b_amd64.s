//go:build amd64

#include "textflag.h"
#include "kernels_amd64.h"
#include "avx512_amd64.h"

// AVX-512 kernels of Q2_K, Q3_K and Q6_K, whose weights are put together as
// bytes.

DATA bytes15<>+0(SB)/8, $0x0f0f0f0f0f0f0f0f
GLOBL bytes15<>(SB), RODATA|NOPTR, $8
DATA bytes63<>+0(SB)/8, $0x3f3f3f3f3f3f3f3f
GLOBL bytes63<>(SB), RODATA|NOPTR, $8
DATA bytes32<>+0(SB)/8, $0x2020202020202020
GLOBL bytes32<>(SB), RODATA|NOPTR, $8
DATA bytes3<>+0(SB)/8, $0x0303030303030303
GLOBL bytes3<>(SB), RODATA|NOPTR, $8
DATA bytes7<>+0(SB)/8, $0x0707070707070707
GLOBL bytes7<>(SB), RODATA|NOPTR, $8
DATA bytes4<>+0(SB)/8, $0x0404040404040404
GLOBL bytes4<>(SB), RODATA|NOPTR, $8

// Shifts that bring the parts of packed sub-scales to the bottom.
DATA by2<>+0(SB)/8, $0x0000000200000000
DATA by2<>+8(SB)/8, $0x0000000600000004
DATA by2<>+16(SB)/8, $0x0000000a00000008
DATA by2<>+24(SB)/8, $0x0000000e0000000c
GLOBL by2<>(SB), RODATA|NOPTR, $32
DATA word15<>+0(SB)/4, $15
GLOBL word15<>(SB), RODATA|NOPTR, $4

// SPREADZ widens the 32 bytes of y (low half x) with ext, and multiplies them
// by the sub-scales of block b.
#define SPREADZ(ext, y, x, b) \
	VEXTRACTI128 $1, y, X8;             \
	ext          x, Z4;                 \
	ext          X8, Z5;                \
	VCVTDQ2PS    Z4, Z4;                \
	VCVTDQ2PS    Z5, Z5;                \
	VMULPS.BCST  (8*(b))(R12), Z4, Z4;   \
	VMULPS.BCST  (8*(b)+4)(R12), Z5, Z5

// BLOCK6K decodes block b of Q6_K: low bits in Y10, high bits in Y12 after a
// shift by n.
#define BLOCK6K(b, shift, n, op) \
	shift        $n, Y12, Y11;       \
	VPTERNLOGD   $0xd8, Y14, Y10, Y11; \
	VPAND        Y13, Y11, Y11;      \
	VPSUBB       Y15, Y11, Y11;      \
	SPREADZ(VPMOVSXBD, Y11, X11, b); \
	op

#define HALF6K(l, h, b, op) \
	VMOVDQU (h)(SI), Y12;        \
	VMOVDQU (l)(SI), Y10;        \
	BLOCK6K(b, VPSLLW, 4, op);   \
	VMOVDQU (l+32)(SI), Y10;     \
	BLOCK6K(b+1, VPSLLW, 2, op); \
	VMOVDQU (l)(SI), Y10;        \
	VPSRLW  $4, Y10, Y10;        \
	BLOCK6K(b+2, VPSRLW, 0, op); \
	VMOVDQU (l+32)(SI), Y10;     \
	VPSRLW  $4, Y10, Y10;        \
	BLOCK6K(b+3, VPSRLW, 2, op)

// SUBS6 unpacks the sixteen sub-scales of a Q6_K block.
#define SUBS6 \
	HALF(208(R13), Z8, Y8);  \
	VPMOVSXBD 192(R13), Z9;  \
	VCVTDQ2PS Z9, Z9;       \
	VMULPS    Z8, Z9, Z9;   \
	VMOVUPS   Z9, 0(R11)

#define Q6_K(op) \
	AHEAD(0); \
	AHEAD(64); \
	AHEAD(128); \
	AHEAD(192); \
	NEXT(SUBS6, 210); \
	HALF6K(0, 128, 0, op);  \
	HALF6K(64, 160, 4, op); \
	DONE(210)

#define Q6_KCONST \
	VPBROADCASTQ bytes15<>(SB), Y14; \
	VPBROADCASTQ bytes63<>(SB), Y13; \
	VPBROADCASTQ bytes32<>(SB), Y15; \
	FIRST(SUBS6)

// BLOCK3K decodes block b of Q3_K: low bits in Y10 after a shift by n, high
// bits in Y12 after a shift by h.
#define BLOCK3K(b, n, shift, h, op) \
	VPSRLW $n, Y10, Y9;             \
	shift  $h, Y12, Y11;            \
	VPTERNLOGD $0xd8, Y14, Y9, Y11; \
	VPAND  Y15, Y11, Y11;           \
	VPSUBB Y13, Y11, Y11;           \
	SPREADZ(VPMOVSXBD, Y11, X11, b); \
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
	VPAND        X14, X10, X10;     \
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
	AHEAD(0); \
	AHEAD(64); \
	NEXT(SUBS3, 110); \
	VMOVDQU (SI), Y12;              \
	VMOVDQU 32(SI), Y10;            \
	BLOCK3K(0, 0, VPSLLW, 2, op);   \
	BLOCK3K(1, 2, VPSLLW, 1, op);   \
	BLOCK3K(2, 4, VPSRLW, 0, op);   \
	BLOCK3K(3, 6, VPSRLW, 1, op);   \
	VMOVDQU 64(SI), Y10;            \
	BLOCK3K(4, 0, VPSRLW, 2, op);   \
	BLOCK3K(5, 2, VPSRLW, 3, op);   \
	BLOCK3K(6, 4, VPSRLW, 4, op);   \
	BLOCK3K(7, 6, VPSRLW, 5, op);   \
	DONE(110)

#define Q3_KCONST \
	VPBROADCASTQ bytes3<>(SB), Y14; \
	VPBROADCASTQ bytes7<>(SB), Y15; \
	VPBROADCASTQ bytes4<>(SB), Y13; \
	FIRST(SUBS3)

// BLOCK2K decodes block b of Q2_K, bits in Y10 after a shift by n.
#define BLOCK2K(b, n, op) \
	VPSRLW $n, Y10, Y9;                     \
	VPAND  Y14, Y9, Y9;                     \
	SPREADZ(VPMOVZXBD, Y9, X9, b);          \
	VSUBPS.BCST (64+8*(b))(R12), Z4, Z4;     \
	VSUBPS.BCST (64+8*(b)+4)(R12), Z5, Z5;   \
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
	AHEAD(0); \
	AHEAD(64); \
	NEXT(SUBS2, 84); \
	VMOVDQU 16(SI), Y10;  \
	BLOCK2K(0, 0, op);    \
	BLOCK2K(1, 2, op);    \
	BLOCK2K(2, 4, op);    \
	BLOCK2K(3, 6, op);    \
	VMOVDQU 48(SI), Y10;  \
	BLOCK2K(4, 0, op);    \
	BLOCK2K(5, 2, op);    \
	BLOCK2K(6, 4, op);    \
	BLOCK2K(7, 6, op);    \
	DONE(84)

#define Q2_KCONST \
	VPBROADCASTQ bytes3<>(SB), Y14; \
	FIRST(SUBS2)

TEXT ·mulQ6_KAVX512(SB), NOSPLIT, $384-40
	MUL(Q6_KCONST, Q6_K)

TEXT ·mul4Q6_KAVX512(SB), NOSPLIT, $384-64
	MUL4(Q6_KCONST, Q6_K)

TEXT ·decodeQ6_KAVX512(SB), NOSPLIT, $384-24
	DECODE(Q6_KCONST, Q6_K)

TEXT ·mulQ3_KAVX512(SB), NOSPLIT, $384-40
	MUL(Q3_KCONST, Q3_K)

TEXT ·mul4Q3_KAVX512(SB), NOSPLIT, $384-64
	MUL4(Q3_KCONST, Q3_K)

TEXT ·decodeQ3_KAVX512(SB), NOSPLIT, $384-24
	DECODE(Q3_KCONST, Q3_K)

TEXT ·mulQ2_KAVX512(SB), NOSPLIT, $384-40
	MUL(Q2_KCONST, Q2_K)

TEXT ·mul4Q2_KAVX512(SB), NOSPLIT, $384-64
	MUL4(Q2_KCONST, Q2_K)

TEXT ·decodeQ2_KAVX512(SB), NOSPLIT, $384-24
	DECODE(Q2_KCONST, Q2_K)
