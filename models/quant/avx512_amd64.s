//go:build amd64

#include "textflag.h"
#include "kernels_amd64.h"
#include "avx512_amd64.h"
#include "avx512blocks_amd64.h"

// AVX-512 kernels of the formats with blocks of 32, and of floats. Four-bit
// weights are looked up in a table of the block's sixteen values, which is
// computed once a block as each of them would be.

// A decoder macro decodes the 32 weights at p into a and b. It may use Z2, Z3,
// Z6, Z7, AX and R11 besides what its constants take.

#define F32(p, a, b) \
	VMOVUPS (p), a;   \
	VMOVUPS 64(p), b

#define F16(p, a, b) \
	AHEAD(p, 0);        \
	VCVTPH2PS (p), a;   \
	VCVTPH2PS 32(p), b

#define BF16(p, a, b) \
	AHEAD(p, 0);         \
	VPMOVZXWD (p), a;    \
	VPMOVZXWD 32(p), b;  \
	VPSLLD    $16, a, a; \
	VPSLLD    $16, b, b

#define Q8_0(p, a, b) \
	AHEAD(p, 0);                  \
	MOVWLZX      (p), AX;         \
	VPMOVSXBD    2(p), a;         \
	VPMOVSXBD    18(p), b;        \
	VBROADCASTSS (R10)(AX*4), Z2; \
	VCVTDQ2PS    a, a;            \
	VCVTDQ2PS    b, b;            \
	VMULPS       Z2, a, a;        \
	VMULPS       Z2, b, b

// LOOKUP decodes 16 bytes at m, low halves first, with the sixteen values in
// t.
#define LOOKUP(m, t, a, b) \
	VPMOVZXBD m, Z6;      \
	VPSRLD    $4, Z6, Z7; \
	VPERMPS   t, Z6, a;   \
	VPERMPS   t, Z7, b

// LEVELS decodes a block of a scale and 32 of the levels in Z15.
#define LEVELS(p, a, b) \
	AHEAD(p, 0);                      \
	MOVWLZX     (p), AX;              \
	VMULPS.BCST (R10)(AX*4), Z15, Z2; \
	LOOKUP(2(p), Z2, a, b)

#define Q4_0CONST \
	HALVES;                    \
	VMOVUPS ·levels4(SB), Z15

#define IQ4_NLCONST \
	HALVES;                           \
	VMOVUPS ·levelsIQ4Float(SB), Z15

// MXFP4 has a table of its own scales.
#define MXFP4(p, a, b) \
	AHEAD(p, 0);                      \
	MOVBLZX     (p), AX;              \
	VMULPS.BCST (R10)(AX*4), Z15, Z2; \
	LOOKUP(1(p), Z2, a, b)

#define MXFP4CONST \
	LEAQ    ·exponents(SB), R10;      \
	VMOVUPS ·levelsFP4Float(SB), Z15

#define Q4_1(p, a, b) \
	AHEAD(p, 0);                      \
	MOVWLZX     (p), AX;              \
	MOVWLZX     2(p), R11;            \
	VMULPS.BCST (R10)(AX*4), Z15, Z2; \
	VADDPS.BCST (R10)(R11*4), Z2, Z2; \
	LOOKUP(4(p), Z2, a, b)

// FIFTH replaces the weights whose fifth bit, in the 32 bits at m, is set by
// what t holds for them.
#define FIFTH(m, t, a, b) \
	KMOVW   m, K1;        \
	KMOVW   2+m, K2;      \
	VPERMPS t, Z6, K1, a; \
	VPERMPS t, Z7, K2, b

#define Q5_0(p, a, b) \
	AHEAD(p, 0);                      \
	MOVWLZX     (p), AX;              \
	VMULPS.BCST (R10)(AX*4), Z14, Z3; \
	VMULPS.BCST (R10)(AX*4), Z15, Z2; \
	LOOKUP(6(p), Z2, a, b);           \
	FIFTH(2(p), Z3, a, b)

#define Q5_0CONST \
	HALVES;                             \
	VMOVUPS ·levels5Signed(SB), Z15;    \
	VMOVUPS ·levels5Signed+64(SB), Z14

#define Q5_1(p, a, b) \
	AHEAD(p, 0);                      \
	MOVWLZX     (p), AX;              \
	MOVWLZX     2(p), R11;            \
	VMULPS.BCST (R10)(AX*4), Z14, Z3; \
	VMULPS.BCST (R10)(AX*4), Z15, Z2; \
	VADDPS.BCST (R10)(R11*4), Z3, Z3; \
	VADDPS.BCST (R10)(R11*4), Z2, Z2; \
	LOOKUP(8(p), Z2, a, b);           \
	FIFTH(4(p), Z3, a, b)

#define Q5_1CONST \
	HALVES;                       \
	VMOVUPS ·levels5(SB), Z15;    \
	VMOVUPS ·levels5+64(SB), Z14

TEXT ·mulF16AVX512(SB), NOSPLIT, $0-40
	MULBLOCKS(NOCONST, F16, 64)

TEXT ·mulBF16AVX512(SB), NOSPLIT, $0-40
	MULBLOCKS(NOCONST, BF16, 64)

TEXT ·mulQ8_0AVX512(SB), NOSPLIT, $0-40
	MULBLOCKS(HALVES, Q8_0, 34)

TEXT ·mulQ4_0AVX512(SB), NOSPLIT, $0-40
	MULBLOCKS(Q4_0CONST, LEVELS, 18)

TEXT ·mulQ4_1AVX512(SB), NOSPLIT, $0-40
	MULBLOCKS(Q5_1CONST, Q4_1, 20)

TEXT ·mulQ5_0AVX512(SB), NOSPLIT, $0-40
	MULBLOCKS(Q5_0CONST, Q5_0, 22)

TEXT ·mulQ5_1AVX512(SB), NOSPLIT, $0-40
	MULBLOCKS(Q5_1CONST, Q5_1, 24)

TEXT ·mulIQ4_NLAVX512(SB), NOSPLIT, $0-40
	MULBLOCKS(IQ4_NLCONST, LEVELS, 18)

TEXT ·mulMXFP4AVX512(SB), NOSPLIT, $0-40
	MULBLOCKS(MXFP4CONST, MXFP4, 17)

TEXT ·mul4F32AVX512(SB), NOSPLIT, $0-64
	MUL4BLOCKS(NOCONST, F32, 128)

TEXT ·mul4F16AVX512(SB), NOSPLIT, $0-64
	MUL4BLOCKS(NOCONST, F16, 64)

TEXT ·mul4BF16AVX512(SB), NOSPLIT, $0-64
	MUL4BLOCKS(NOCONST, BF16, 64)

TEXT ·mul4Q8_0AVX512(SB), NOSPLIT, $0-64
	MUL4BLOCKS(HALVES, Q8_0, 34)

TEXT ·mul4Q4_0AVX512(SB), NOSPLIT, $0-64
	MUL4BLOCKS(Q4_0CONST, LEVELS, 18)

TEXT ·mul4Q4_1AVX512(SB), NOSPLIT, $0-64
	MUL4BLOCKS(Q5_1CONST, Q4_1, 20)

TEXT ·mul4Q5_0AVX512(SB), NOSPLIT, $0-64
	MUL4BLOCKS(Q5_0CONST, Q5_0, 22)

TEXT ·mul4Q5_1AVX512(SB), NOSPLIT, $0-64
	MUL4BLOCKS(Q5_1CONST, Q5_1, 24)

TEXT ·mul4IQ4_NLAVX512(SB), NOSPLIT, $0-64
	MUL4BLOCKS(IQ4_NLCONST, LEVELS, 18)

TEXT ·mul4MXFP4AVX512(SB), NOSPLIT, $0-64
	MUL4BLOCKS(MXFP4CONST, MXFP4, 17)

TEXT ·panelF32AVX512(SB), NOSPLIT, $0-40
	PANELBLOCKS(NOCONST, F32, 128)

TEXT ·panelBF16AVX512(SB), NOSPLIT, $0-40
	PANELBLOCKS(NOCONST, BF16, 64)

TEXT ·panelF16AVX512(SB), NOSPLIT, $0-40
	PANELBLOCKS(NOCONST, F16, 64)

TEXT ·panelQ8_0AVX512(SB), NOSPLIT, $0-40
	PANELBLOCKS(HALVES, Q8_0, 34)

TEXT ·panelQ4_0AVX512(SB), NOSPLIT, $0-40
	PANELBLOCKS(Q4_0CONST, LEVELS, 18)

TEXT ·panelQ4_1AVX512(SB), NOSPLIT, $0-40
	PANELBLOCKS(Q5_1CONST, Q4_1, 20)

TEXT ·panelQ5_0AVX512(SB), NOSPLIT, $0-40
	PANELBLOCKS(Q5_0CONST, Q5_0, 22)

TEXT ·panelQ5_1AVX512(SB), NOSPLIT, $0-40
	PANELBLOCKS(Q5_1CONST, Q5_1, 24)

TEXT ·panelIQ4_NLAVX512(SB), NOSPLIT, $0-40
	PANELBLOCKS(IQ4_NLCONST, LEVELS, 18)

TEXT ·panelMXFP4AVX512(SB), NOSPLIT, $0-40
	PANELBLOCKS(MXFP4CONST, MXFP4, 17)
