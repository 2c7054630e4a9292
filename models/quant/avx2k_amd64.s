//go:build amd64

#include "textflag.h"
#include "kernels_amd64.h"
#include "avx2_amd64.h"

// AVX2 kernels of the formats with blocks of 256. Their sub-scales go to the
// stack first.

DATA low4<>+0(SB)/8, $0x0f0f0f0f0f0f0f0f
GLOBL low4<>(SB), RODATA|NOPTR, $8
DATA bit4<>+0(SB)/8, $0x1010101010101010
GLOBL bit4<>(SB), RODATA|NOPTR, $8
DATA bits45<>+0(SB)/8, $0x3030303030303030
GLOBL bits45<>(SB), RODATA|NOPTR, $8
DATA bias32<>+0(SB)/8, $0x2020202020202020
GLOBL bias32<>(SB), RODATA|NOPTR, $8
DATA low4d<>+0(SB)/4, $0x0000000f
GLOBL low4d<>(SB), RODATA|NOPTR, $4

// SUBS45 unpacks the sub-scales and offsets of a Q4_K or Q5_K block to the
// stack, eight of d*scale and then eight of dmin*offset.
#define SUBS45 \
	MOVL         4(SI), AX;        \
	MOVL         8(SI), R10;       \
	MOVL         12(SI), R11;      \
	MOVL         R11, R12;         \
	ANDL         $0x0f0f0f0f, R12; \
	MOVL         AX, R13;          \
	SHRL         $2, R13;          \
	ANDL         $0x30303030, R13; \
	ORL          R13, R12;         \
	ANDL         $0x3f3f3f3f, AX;  \
	SHLQ         $32, R12;         \
	ORQ          R12, AX;          \
	SHRL         $4, R11;          \
	ANDL         $0x0f0f0f0f, R11; \
	MOVL         R10, R13;         \
	SHRL         $2, R13;          \
	ANDL         $0x30303030, R13; \
	ORL          R13, R11;         \
	ANDL         $0x3f3f3f3f, R10; \
	SHLQ         $32, R11;         \
	ORQ          R11, R10;         \
	VMOVQ        AX, X8;           \
	VPMOVZXBD    X8, Y8;           \
	VCVTDQ2PS    Y8, Y8;           \
	VMOVQ        R10, X9;          \
	VPMOVZXBD    X9, Y9;           \
	VCVTDQ2PS    Y9, Y9;           \
	HALF((SI), Y10, X10);          \
	HALF(2(SI), Y11, X11);         \
	VMULPS       Y10, Y8, Y8;      \
	VMULPS       Y11, Y9, Y9;      \
	VMOVUPS      Y8, 0(SP);        \
	VMOVUPS      Y9, 32(SP)

// AFFINE turns integers in Y4 to Y7 into weights of block b.
#define AFFINE(b) \
	TOFLOAT;                            \
	VBROADCASTSS (4*(b))(SP), Y8;       \
	VBROADCASTSS (32+4*(b))(SP), Y9;    \
	SCALE(Y8);                          \
	SUBTRACT(Y9)

#define LOAD32(at) \
	VPMOVZXBD (at)(SI), Y4;    \
	VPMOVZXBD (at+8)(SI), Y5;  \
	VPMOVZXBD (at+16)(SI), Y6; \
	VPMOVZXBD (at+24)(SI), Y7

#define LOWNIBBLES \
	VPAND Y14, Y4, Y4; \
	VPAND Y14, Y5, Y5; \
	VPAND Y14, Y6, Y6; \
	VPAND Y14, Y7, Y7

#define HIGHNIBBLES \
	VPSRLD $4, Y4, Y4; \
	VPSRLD $4, Y5, Y5; \
	VPSRLD $4, Y6, Y6; \
	VPSRLD $4, Y7, Y7

#define PAIR4K(at, b, op) \
	LOAD32(at);  \
	LOWNIBBLES;  \
	AFFINE(b);   \
	op;          \
	LOAD32(at);  \
	HIGHNIBBLES; \
	AFFINE(b+1); \
	op

// Q4_K needs words of 15 in Y14.
#define Q4_K(op) \
	AHEAD(SI, 0); \
	AHEAD(SI, 64); \
	AHEAD(SI, 128); \
	SUBS45;             \
	PAIR4K(16, 0, op);  \
	PAIR4K(48, 2, op);  \
	PAIR4K(80, 4, op);  \
	PAIR4K(112, 6, op); \
	ADDQ $144, SI;      \
	CMPQ BX, $0

#define Q4_KCONST VPBROADCASTD low4d<>(SB), Y14

// SPREAD widens the 32 bytes of y (low half x) with ext.
#define SPREAD(ext, y, x) \
	ext          x, Y4;       \
	VPSRLDQ      $8, x, X8;   \
	VEXTRACTI128 $1, y, X9;   \
	ext          X8, Y5;      \
	VPSRLDQ      $8, X9, X8;  \
	ext          X9, Y6;      \
	ext          X8, Y7

// PAIR5K decodes two blocks of Q5_K. The shifts even and odd, by e and o,
// bring their high bits, which are in Y12, to bit 4.
#define PAIR5K(at, b, even, e, odd, o, op) \
	VPAND   (at)(SI), Y14, Y10;    \
	even    $e, Y12, Y11;          \
	VPAND   Y13, Y11, Y11;         \
	VPOR    Y11, Y10, Y10;         \
	SPREAD(VPMOVZXBD, Y10, X10);   \
	AFFINE(b);                     \
	op;                            \
	VMOVDQU (at)(SI), Y10;         \
	VPSRLW  $4, Y10, Y10;          \
	VPAND   Y14, Y10, Y10;         \
	odd     $o, Y12, Y11;          \
	VPAND   Y13, Y11, Y11;         \
	VPOR    Y11, Y10, Y10;         \
	SPREAD(VPMOVZXBD, Y10, X10);   \
	AFFINE(b+1);                   \
	op

// Q5_K needs bytes of 15 in Y14 and of 16 in Y13.
#define Q5_K(op) \
	AHEAD(SI, 0); \
	AHEAD(SI, 64); \
	AHEAD(SI, 128); \
	SUBS45;                                   \
	VMOVDQU 16(SI), Y12;                      \
	PAIR5K(48, 0, VPSLLW, 4, VPSLLW, 3, op);  \
	PAIR5K(80, 2, VPSLLW, 2, VPSLLW, 1, op);  \
	PAIR5K(112, 4, VPSRLW, 0, VPSRLW, 1, op); \
	PAIR5K(144, 6, VPSRLW, 2, VPSRLW, 3, op); \
	ADDQ    $176, SI;                         \
	CMPQ    BX, $0

#define Q5_KCONST \
	VPBROADCASTQ low4<>(SB), Y14; \
	VPBROADCASTQ bit4<>(SB), Y13

// BLOCK6K decodes block b of Q6_K: low bits in Y10, high bits in Y12 after a
// shift by n.
#define BLOCK6K(b, shift, n, op) \
	shift        $n, Y12, Y11;        \
	VPAND        Y14, Y10, Y10;       \
	VPAND        Y13, Y11, Y11;       \
	VPOR         Y11, Y10, Y10;       \
	VPSUBB       Y15, Y10, Y10;       \
	SPREAD(VPMOVSXBD, Y10, X10);      \
	TOFLOAT;                          \
	VBROADCASTSS (8*(b))(SP), Y8;     \
	VBROADCASTSS (8*(b)+4)(SP), Y9;   \
	VMULPS       Y8, Y4, Y4;          \
	VMULPS       Y8, Y5, Y5;          \
	VMULPS       Y9, Y6, Y6;          \
	VMULPS       Y9, Y7, Y7;          \
	op

#define HALF6K(l, h, b, op) \
	VMOVDQU (h)(SI), Y12;           \
	VMOVDQU (l)(SI), Y10;           \
	BLOCK6K(b, VPSLLW, 4, op);      \
	VMOVDQU (l+32)(SI), Y10;        \
	BLOCK6K(b+1, VPSLLW, 2, op);    \
	VMOVDQU (l)(SI), Y10;           \
	VPSRLW  $4, Y10, Y10;           \
	BLOCK6K(b+2, VPSRLW, 0, op);    \
	VMOVDQU (l+32)(SI), Y10;        \
	VPSRLW  $4, Y10, Y10;           \
	BLOCK6K(b+3, VPSRLW, 2, op)

// SUBS6 unpacks the sixteen scales of a Q6_K block to the stack.
#define SUBS6 \
	HALF(208(SI), Y8, X8);    \
	VPMOVSXBD 192(SI), Y9;    \
	VPMOVSXBD 200(SI), Y10;   \
	VCVTDQ2PS Y9, Y9;         \
	VCVTDQ2PS Y10, Y10;       \
	VMULPS    Y8, Y9, Y9;     \
	VMULPS    Y8, Y10, Y10;   \
	VMOVUPS   Y9, 0(SP);      \
	VMOVUPS   Y10, 32(SP)

// Q6_K needs bytes of 15 in Y14, of 48 in Y13 and of 32 in Y15.
#define Q6_K(op) \
	AHEAD(SI, 0); \
	AHEAD(SI, 64); \
	AHEAD(SI, 128); \
	AHEAD(SI, 192); \
	SUBS6;                  \
	HALF6K(0, 128, 0, op);  \
	HALF6K(64, 160, 4, op); \
	ADDQ $210, SI;          \
	CMPQ BX, $0

#define Q6_KCONST \
	VPBROADCASTQ low4<>(SB), Y14;   \
	VPBROADCASTQ bits45<>(SB), Y13; \
	VPBROADCASTQ bias32<>(SB), Y15

TEXT ·mulQ4_KAVX2(SB), NOSPLIT, $64-40
	MUL(Q4_KCONST, Q4_K)

TEXT ·mulQ5_KAVX2(SB), NOSPLIT, $64-40
	MUL(Q5_KCONST, Q5_K)

TEXT ·mulQ6_KAVX2(SB), NOSPLIT, $64-40
	MUL(Q6_KCONST, Q6_K)

TEXT ·decodeQ4_KAVX2(SB), NOSPLIT, $64-24
	DECODE(Q4_KCONST, Q4_K)

TEXT ·decodeQ5_KAVX2(SB), NOSPLIT, $64-24
	DECODE(Q5_KCONST, Q5_K)

TEXT ·decodeQ6_KAVX2(SB), NOSPLIT, $64-24
	DECODE(Q6_KCONST, Q6_K)
