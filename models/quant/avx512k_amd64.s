//go:build amd64

#include "textflag.h"
#include "kernels_amd64.h"
#include "avx512_amd64.h"

// AVX-512 kernels of the formats with blocks of 256, whose sub-scales go to
// the stack first.

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

// The sub-scales of a block are unpacked while the block before it is
// multiplied: they take long to become ready. R12 points to those of the
// present block, on cache lines of the stack, and R11 to where those of the
// next go. SUBS stands for a macro that unpacks them from R13.

// FIRST unpacks the sub-scales of the first block.
#define FIRST(subs) \
	LEAQ  127(SP), R11;  \
	ANDQ  $-128, R11;    \
	MOVQ  SI, R13;       \
	subs;                \
	MOVQ  R11, R12;      \
	ADDQ  $128, R11

// NEXT unpacks the sub-scales of the block after the one of size bytes at SI;
// after the last (row CX is 1, column BX is 256 from the end), that one's
// again.
#define NEXT(subs, size) \
	LEAQ    (size)(SI), R13; \
	LEAQ    -1(CX), AX;      \
	LEAQ    -256(BX), R10;   \
	ORQ     R10, AX;         \
	CMOVQEQ SI, R13;         \
	subs

// DONE ends a block of size bytes, and sets the flags for a jump if there are
// more.
#define DONE(size) \
	XCHGQ R11, R12;       \
	ADDQ  $size, SI;      \
	CMPQ  BX, $0

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
	AHEAD(0); \
	AHEAD(64); \
	AHEAD(128); \
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
	AHEAD(0); \
	AHEAD(64); \
	AHEAD(128); \
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
	AHEAD(0); \
	AHEAD(64); \
	AHEAD(128); \
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

TEXT ·mulQ6_KAVX512(SB), NOSPLIT, $384-40
	MUL(Q6_KCONST, Q6_K)

TEXT ·mul4Q4_KAVX512(SB), NOSPLIT, $384-64
	MUL4(Q4_KCONST, Q4_K)

TEXT ·mul4Q5_KAVX512(SB), NOSPLIT, $384-64
	MUL4(Q5_KCONST, Q5_K)

TEXT ·mul4Q6_KAVX512(SB), NOSPLIT, $384-64
	MUL4(Q6_KCONST, Q6_K)

TEXT ·decodeQ4_KAVX512(SB), NOSPLIT, $384-24
	DECODE(Q4_KCONST, Q4_K)

TEXT ·decodeQ5_KAVX512(SB), NOSPLIT, $384-24
	DECODE(Q5_KCONST, Q5_K)

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

TEXT ·mulIQ4_XSAVX512(SB), NOSPLIT, $384-40
	MUL(IQ4_XSCONST, IQ4_XS)

TEXT ·mul4IQ4_XSAVX512(SB), NOSPLIT, $384-64
	MUL4(IQ4_XSCONST, IQ4_XS)

TEXT ·decodeIQ4_XSAVX512(SB), NOSPLIT, $384-24
	DECODE(IQ4_XSCONST, IQ4_XS)
