//go:build amd64

#include "textflag.h"
#include "kernels_amd64.h"
#include "avx2_amd64.h"
#include "avx2blocks_amd64.h"

// AVX2 kernels of floats and of the formats with blocks of 32.

DATA low4d<>+0(SB)/4, $0x0000000f
GLOBL low4d<>(SB), RODATA|NOPTR, $4
DATA bias8d<>+0(SB)/4, $0x00000008
GLOBL bias8d<>(SB), RODATA|NOPTR, $4

#define F32(op) \
	VMOVUPS (SI), Y4;   \
	VMOVUPS 32(SI), Y5; \
	VMOVUPS 64(SI), Y6; \
	VMOVUPS 96(SI), Y7; \
	ADDQ    $128, SI;   \
	op

#define F16(op) \
	AHEAD(SI, 0); \
	VCVTPH2PS (SI), Y4;   \
	VCVTPH2PS 16(SI), Y5; \
	VCVTPH2PS 32(SI), Y6; \
	VCVTPH2PS 48(SI), Y7; \
	ADDQ      $64, SI;    \
	op

#define BF16(op) \
	AHEAD(SI, 0); \
	VPMOVZXWD (SI), Y4;    \
	VPMOVZXWD 16(SI), Y5;  \
	VPMOVZXWD 32(SI), Y6;  \
	VPMOVZXWD 48(SI), Y7;  \
	VPSLLD    $16, Y4, Y4; \
	VPSLLD    $16, Y5, Y5; \
	VPSLLD    $16, Y6, Y6; \
	VPSLLD    $16, Y7, Y7; \
	ADDQ      $64, SI;     \
	op

#define Q8_0(op) \
	AHEAD(SI, 0); \
	VPMOVSXBD 2(SI), Y4;  \
	VPMOVSXBD 10(SI), Y5; \
	VPMOVSXBD 18(SI), Y6; \
	VPMOVSXBD 26(SI), Y7; \
	MOVWLZX   (SI), AX;   \
	VBROADCASTSS (R10)(AX*4), Y8; \
	TOFLOAT;              \
	SCALE(Y8);            \
	ADDQ      $34, SI;    \
	op

// Q4_0 needs words of 15 in Y14 and of 8 in Y13.
#define Q4_0(op) \
	AHEAD(SI, 0); \
	VPMOVZXBD 2(SI), Y4;    \
	VPMOVZXBD 10(SI), Y5;   \
	MOVWLZX   (SI), AX;     \
	VBROADCASTSS (R10)(AX*4), Y8; \
	VPSRLD    $4, Y4, Y6;   \
	VPSRLD    $4, Y5, Y7;   \
	VPAND     Y14, Y4, Y4;  \
	VPAND     Y14, Y5, Y5;  \
	VPSUBD    Y13, Y4, Y4;  \
	VPSUBD    Y13, Y5, Y5;  \
	VPSUBD    Y13, Y6, Y6;  \
	VPSUBD    Y13, Y7, Y7;  \
	TOFLOAT;                \
	SCALE(Y8);              \
	ADDQ      $18, SI;      \
	op

#define Q4_0CONST \
	HALVES;                        \
	VPBROADCASTD low4d<>(SB), Y14; \
	VPBROADCASTD bias8d<>(SB), Y13

TEXT ·mulF32AVX2(SB), NOSPLIT, $0-40
	MUL(NOCONST, F32)

TEXT ·mulF16AVX2(SB), NOSPLIT, $0-40
	MUL(NOCONST, F16)

TEXT ·mulBF16AVX2(SB), NOSPLIT, $0-40
	MUL(NOCONST, BF16)

TEXT ·mulQ8_0AVX2(SB), NOSPLIT, $0-40
	MUL(HALVES, Q8_0)

TEXT ·mulQ4_0AVX2(SB), NOSPLIT, $0-40
	MUL(Q4_0CONST, Q4_0)

TEXT ·decodeF32AVX2(SB), NOSPLIT, $0-24
	DECODE(NOCONST, F32)

TEXT ·decodeF16AVX2(SB), NOSPLIT, $0-24
	DECODE(NOCONST, F16)

TEXT ·decodeBF16AVX2(SB), NOSPLIT, $0-24
	DECODE(NOCONST, BF16)

TEXT ·decodeQ8_0AVX2(SB), NOSPLIT, $0-24
	DECODE(HALVES, Q8_0)

TEXT ·decodeQ4_0AVX2(SB), NOSPLIT, $0-24
	DECODE(Q4_0CONST, Q4_0)

// GROUP decodes 16 elements of a chunk to two registers a and b: bytes at q,
// times the scale at d.
#define GROUP(q, d, a, b) \
	VPMOVSXBD    (q)(SI), a;    \
	VPMOVSXBD    (q+8)(SI), b;  \
	VBROADCASTSS (d)(R8), Y8;   \
	VCVTDQ2PS    a, a;          \
	VCVTDQ2PS    b, b;          \
	VMULPS       Y8, a, a;      \
	VMULPS       Y8, b, b

// func evaluateAVX2(dst *float32, q *int8, scale, off *float32, n int)
//
// The scales and offsets are for groups of 16; n is a multiple of 32.
TEXT ·evaluateAVX2(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ q+8(FP), SI
	MOVQ scale+16(FP), R8
	MOVQ off+24(FP), R9
	MOVQ n+32(FP), BX

loop:
	GROUP(0, 0, Y4, Y5)
	GROUP(16, 4, Y6, Y7)
	VBROADCASTSS (R9), Y8
	VBROADCASTSS 4(R9), Y9
	VSUBPS       Y8, Y4, Y4
	VSUBPS       Y8, Y5, Y5
	VSUBPS       Y9, Y6, Y6
	VSUBPS       Y9, Y7, Y7
	ADDQ         $32, SI
	ADDQ         $8, R8
	ADDQ         $8, R9
	STORE
	JG           loop
	VZEROUPPER
	RET

// Decoders of the halves of a block, for four vectors.

#define HALFF32(at) \
	VMOVUPS (at)(SI), Y12;    \
	VMOVUPS (at+32)(SI), Y15

#define LOWF32 HALFF32(0)
#define HIGHF32 HALFF32(64)

#define HALFF16(at) \
	VCVTPH2PS (at)(SI), Y12;    \
	VCVTPH2PS (at+16)(SI), Y15

#define LOWF16 AHEAD(SI, 0); HALFF16(0)
#define HIGHF16 HALFF16(32)

#define HALFBF16(at) \
	VPMOVZXWD (at)(SI), Y12;    \
	VPMOVZXWD (at+16)(SI), Y15; \
	VPSLLD    $16, Y12, Y12;     \
	VPSLLD    $16, Y15, Y15

#define LOWBF16 AHEAD(SI, 0); HALFBF16(0)
#define HIGHBF16 HALFBF16(32)

// SCALED turns integers in Y12 and Y15 into weights of a block.
#define SCALED \
	MOVWLZX      (SI), AX;         \
	VBROADCASTSS (R10)(AX*4), Y10; \
	VCVTDQ2PS    Y12, Y12;           \
	VCVTDQ2PS    Y15, Y15;           \
	VMULPS       Y10, Y12, Y12;      \
	VMULPS       Y10, Y15, Y15

#define HALFQ8_0(at) \
	VPMOVSXBD (at)(SI), Y12;   \
	VPMOVSXBD (at+8)(SI), Y15; \
	SCALED

#define LOWQ8_0 AHEAD(SI, 0); HALFQ8_0(2)
#define HIGHQ8_0 HALFQ8_0(18)

#define LOWQ4_0 \
	AHEAD(SI, 0); \
	VPMOVZXBD 2(SI), Y12;    \
	VPMOVZXBD 10(SI), Y15;   \
	VPAND     Y14, Y12, Y12;  \
	VPAND     Y14, Y15, Y15;  \
	VPSUBD    Y13, Y12, Y12;  \
	VPSUBD    Y13, Y15, Y15;  \
	SCALED

#define HIGHQ4_0 \
	VPMOVZXBD 2(SI), Y12;    \
	VPMOVZXBD 10(SI), Y15;   \
	VPSRLD    $4, Y12, Y12;   \
	VPSRLD    $4, Y15, Y15;   \
	VPSUBD    Y13, Y12, Y12;  \
	VPSUBD    Y13, Y15, Y15;  \
	SCALED

TEXT ·mul4F32AVX2(SB), NOSPLIT, $128-64
	MUL4(NOCONST, LOWF32, HIGHF32, 128)

TEXT ·mul4F16AVX2(SB), NOSPLIT, $128-64
	MUL4(NOCONST, LOWF16, HIGHF16, 64)

TEXT ·mul4BF16AVX2(SB), NOSPLIT, $128-64
	MUL4(NOCONST, LOWBF16, HIGHBF16, 64)

TEXT ·mul4Q8_0AVX2(SB), NOSPLIT, $128-64
	MUL4(HALVES, LOWQ8_0, HIGHQ8_0, 34)

TEXT ·mul4Q4_0AVX2(SB), NOSPLIT, $128-64
	MUL4(Q4_0CONST, LOWQ4_0, HIGHQ4_0, 18)
