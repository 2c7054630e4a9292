//go:build amd64

#include "textflag.h"
#include "kernels_amd64.h"
#include "avx512_amd64.h"

// AVX-512 kernels of the formats with blocks of 32, and of floats. Four-bit
// weights are looked up in a table of the block's sixteen values, which is
// computed once a block as each of them would be.

#define F32(op) \
	VMOVUPS (SI), Z4;   \
	VMOVUPS 64(SI), Z5; \
	ADDQ    $128, SI;   \
	op

#define F16(op) \
	AHEAD(0); \
	VCVTPH2PS (SI), Z4;   \
	VCVTPH2PS 32(SI), Z5; \
	ADDQ      $64, SI;    \
	op

#define BF16(op) \
	AHEAD(0); \
	VPMOVZXWD (SI), Z4;    \
	VPMOVZXWD 32(SI), Z5;  \
	VPSLLD    $16, Z4, Z4; \
	VPSLLD    $16, Z5, Z5; \
	ADDQ      $64, SI;     \
	op

// HALVES makes the table of all halves known, which spares the vector units
// a conversion and a broadcast for each block.
#define HALVES LEAQ ·halfTable(SB), R10

#define Q8_0(op) \
	AHEAD(0); \
	MOVWLZX      (SI), AX;            \
	VPMOVSXBD    2(SI), Z4;           \
	VPMOVSXBD    18(SI), Z5;          \
	VBROADCASTSS (R10)(AX*4), Z8;     \
	VCVTDQ2PS    Z4, Z4;              \
	VCVTDQ2PS    Z5, Z5;              \
	VMULPS       Z8, Z4, Z4;          \
	VMULPS       Z8, Z5, Z5;          \
	ADDQ         $34, SI;             \
	op

// LOOKUP decodes 16 bytes at offset at, low halves first, with the sixteen
// values in t.
#define LOOKUP(at, t) \
	VPMOVZXBD (at)(SI), Z6; \
	VPSRLD    $4, Z6, Z7;   \
	VPERMPS   t, Z6, Z4;    \
	VPERMPS   t, Z7, Z5

// LEVELS decodes a block of a scale and 32 of the levels in Z15.
#define LEVELS(op) \
	AHEAD(0); \
	MOVWLZX     (SI), AX;             \
	VMULPS.BCST (R10)(AX*4), Z15, Z8; \
	LOOKUP(2, Z8);                    \
	ADDQ        $18, SI;              \
	op

#define Q4_0CONST \
	HALVES;                    \
	VMOVUPS ·levels4(SB), Z15

#define IQ4_NLCONST \
	HALVES;                           \
	VMOVUPS ·levelsIQ4Float(SB), Z15

// MXFP4 has a table of its own scales.
#define MXFP4(op) \
	AHEAD(0); \
	MOVBLZX     (SI), AX;             \
	VMULPS.BCST (R10)(AX*4), Z15, Z8; \
	LOOKUP(1, Z8);                    \
	ADDQ        $17, SI;              \
	op

#define MXFP4CONST \
	LEAQ    ·exponents(SB), R10;      \
	VMOVUPS ·levelsFP4Float(SB), Z15

#define Q4_1(op) \
	AHEAD(0); \
	MOVWLZX     (SI), AX;             \
	MOVWLZX     2(SI), R11;           \
	VMULPS.BCST (R10)(AX*4), Z15, Z8; \
	VADDPS.BCST (R10)(R11*4), Z8, Z8; \
	LOOKUP(4, Z8);                    \
	ADDQ        $20, SI;              \
	op

// FIFTH replaces the weights whose fifth bit, in the 32 bits at m, is set by
// what t holds for them.
#define FIFTH(m, t) \
	KMOVW   m, K1;         \
	KMOVW   2+m, K2;       \
	VPERMPS t, Z6, K1, Z4; \
	VPERMPS t, Z7, K2, Z5

#define Q5_0(op) \
	AHEAD(0); \
	MOVWLZX     (SI), AX;             \
	VMULPS.BCST (R10)(AX*4), Z14, Z9; \
	VMULPS.BCST (R10)(AX*4), Z15, Z8; \
	LOOKUP(6, Z8);                    \
	FIFTH(2(SI), Z9);                 \
	ADDQ        $22, SI;              \
	op

#define Q5_0CONST \
	HALVES;                             \
	VMOVUPS ·levels5Signed(SB), Z15;    \
	VMOVUPS ·levels5Signed+64(SB), Z14

#define Q5_1(op) \
	AHEAD(0); \
	MOVWLZX     (SI), AX;             \
	MOVWLZX     2(SI), R11;           \
	VMULPS.BCST (R10)(AX*4), Z14, Z9; \
	VMULPS.BCST (R10)(AX*4), Z15, Z8; \
	VADDPS.BCST (R10)(R11*4), Z9, Z9; \
	VADDPS.BCST (R10)(R11*4), Z8, Z8; \
	LOOKUP(8, Z8);                    \
	FIFTH(4(SI), Z9);                 \
	ADDQ        $24, SI;              \
	op

#define Q5_1CONST \
	HALVES;                       \
	VMOVUPS ·levels5(SB), Z15;    \
	VMOVUPS ·levels5+64(SB), Z14

TEXT ·mulF16AVX512(SB), NOSPLIT, $0-40
	MUL(NOCONST, F16)

TEXT ·mulBF16AVX512(SB), NOSPLIT, $0-40
	MUL(NOCONST, BF16)

TEXT ·mulQ8_0AVX512(SB), NOSPLIT, $0-40
	MUL(HALVES, Q8_0)

TEXT ·mulQ4_0AVX512(SB), NOSPLIT, $0-40
	MUL(Q4_0CONST, LEVELS)

TEXT ·mulQ4_1AVX512(SB), NOSPLIT, $0-40
	MUL(Q5_1CONST, Q4_1)

TEXT ·mulQ5_0AVX512(SB), NOSPLIT, $0-40
	MUL(Q5_0CONST, Q5_0)

TEXT ·mulQ5_1AVX512(SB), NOSPLIT, $0-40
	MUL(Q5_1CONST, Q5_1)

TEXT ·mulIQ4_NLAVX512(SB), NOSPLIT, $0-40
	MUL(IQ4_NLCONST, LEVELS)

TEXT ·mulMXFP4AVX512(SB), NOSPLIT, $0-40
	MUL(MXFP4CONST, MXFP4)

TEXT ·mul4F32AVX512(SB), NOSPLIT, $0-64
	MUL4(NOCONST, F32)

TEXT ·mul4F16AVX512(SB), NOSPLIT, $0-64
	MUL4(NOCONST, F16)

TEXT ·mul4BF16AVX512(SB), NOSPLIT, $0-64
	MUL4(NOCONST, BF16)

TEXT ·mul4Q8_0AVX512(SB), NOSPLIT, $0-64
	MUL4(HALVES, Q8_0)

TEXT ·mul4Q4_0AVX512(SB), NOSPLIT, $0-64
	MUL4(Q4_0CONST, LEVELS)

TEXT ·mul4Q4_1AVX512(SB), NOSPLIT, $0-64
	MUL4(Q5_1CONST, Q4_1)

TEXT ·mul4Q5_0AVX512(SB), NOSPLIT, $0-64
	MUL4(Q5_0CONST, Q5_0)

TEXT ·mul4Q5_1AVX512(SB), NOSPLIT, $0-64
	MUL4(Q5_1CONST, Q5_1)

TEXT ·mul4IQ4_NLAVX512(SB), NOSPLIT, $0-64
	MUL4(IQ4_NLCONST, LEVELS)

TEXT ·mul4MXFP4AVX512(SB), NOSPLIT, $0-64
	MUL4(MXFP4CONST, MXFP4)

TEXT ·decodeF16AVX512(SB), NOSPLIT, $0-24
	DECODE(NOCONST, F16)

TEXT ·decodeQ8_0AVX512(SB), NOSPLIT, $0-24
	DECODE(HALVES, Q8_0)

TEXT ·decodeQ4_0AVX512(SB), NOSPLIT, $0-24
	DECODE(Q4_0CONST, LEVELS)

TEXT ·decodeQ4_1AVX512(SB), NOSPLIT, $0-24
	DECODE(Q5_1CONST, Q4_1)

TEXT ·decodeQ5_0AVX512(SB), NOSPLIT, $0-24
	DECODE(Q5_0CONST, Q5_0)

TEXT ·decodeQ5_1AVX512(SB), NOSPLIT, $0-24
	DECODE(Q5_1CONST, Q5_1)

TEXT ·decodeIQ4_NLAVX512(SB), NOSPLIT, $0-24
	DECODE(IQ4_NLCONST, LEVELS)

TEXT ·decodeMXFP4AVX512(SB), NOSPLIT, $0-24
	DECODE(MXFP4CONST, MXFP4)
