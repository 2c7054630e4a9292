//go:build amd64

#include "textflag.h"
#include "kernels_amd64.h"

// AVX-512 kernels. They decode 32 weights at a time to Z4 and Z5, and either
// multiply them by 32 activations (STEP, sums in Z0 and Z1), by those of four
// vectors (STEP4, sums in Z16 to Z23), or store them (STORE). Four-bit weights are looked up in a table of the block's sixteen
// values, which is computed once a block as each of them would be.

DATA bytes15<>+0(SB)/8, $0x0f0f0f0f0f0f0f0f
GLOBL bytes15<>(SB), RODATA|NOPTR, $8
DATA bytes48<>+0(SB)/8, $0x3030303030303030
GLOBL bytes48<>(SB), RODATA|NOPTR, $8
DATA bytes32<>+0(SB)/8, $0x2020202020202020
GLOBL bytes32<>(SB), RODATA|NOPTR, $8
DATA bit<>+0(SB)/8, $0x8040201008040201
GLOBL bit<>(SB), RODATA|NOPTR, $8

#define STEP \
	VMULPS (DI), Z4, Z4;   \
	VMULPS 64(DI), Z5, Z5; \
	VADDPS Z4, Z0, Z0;     \
	VADDPS Z5, Z1, Z1;     \
	ADDQ   $128, DI;       \
	SUBQ   $32, BX

#define STORE \
	VMOVUPS Z4, (DI);   \
	VMOVUPS Z5, 64(DI); \
	ADDQ    $128, DI;   \
	SUBQ    $32, BX

#define BEGIN \
	MOVQ   x+24(FP), DI;    \
	MOVQ   cols+32(FP), BX; \
	VPXORD Z0, Z0, Z0;      \
	VPXORD Z1, Z1, Z1

#define END \
	VEXTRACTF64X4 $1, Z0, Y2; \
	VEXTRACTF64X4 $1, Z1, Y3; \
	VADDPS        Y2, Y0, Y0; \
	VADDPS        Y3, Y1, Y1; \
	VADDPS        Y1, Y0, Y0; \
	VEXTRACTF128  $1, Y0, X1; \
	VADDPS        X1, X0, X0; \
	VMOVHLPS      X0, X0, X1; \
	VADDPS        X1, X0, X0; \
	VMOVSHDUP     X0, X1;     \
	VADDSS        X1, X0, X0; \
	VMOVSS        X0, (DX);   \
	ADDQ          $4, DX;     \
	DECQ          CX

// STEP4 does STEP for vectors at DI and R9, 2*R9 and R8 bytes after it.
#define STEP4 \
	VMULPS (DI), Z4, Z24;           \
	VMULPS 64(DI), Z5, Z25;         \
	VMULPS (DI)(R9*1), Z4, Z26;     \
	VMULPS 64(DI)(R9*1), Z5, Z27;   \
	VADDPS Z24, Z16, Z16;           \
	VADDPS Z25, Z17, Z17;           \
	VADDPS Z26, Z18, Z18;           \
	VADDPS Z27, Z19, Z19;           \
	VMULPS (DI)(R9*2), Z4, Z24;     \
	VMULPS 64(DI)(R9*2), Z5, Z25;   \
	VMULPS (DI)(R8*1), Z4, Z26;     \
	VMULPS 64(DI)(R8*1), Z5, Z27;   \
	VADDPS Z24, Z20, Z20;           \
	VADDPS Z25, Z21, Z21;           \
	VADDPS Z26, Z22, Z22;           \
	VADDPS Z27, Z23, Z23;           \
	ADDQ   $128, DI;                \
	SUBQ   $32, BX

#define BEGIN4 \
	MOVQ   x+24(FP), DI;     \
	MOVQ   cols+40(FP), BX;  \
	VPXORD Z16, Z16, Z16;    \
	VPXORD Z17, Z17, Z17;    \
	VPXORD Z18, Z18, Z18;    \
	VPXORD Z19, Z19, Z19;    \
	VPXORD Z20, Z20, Z20;    \
	VPXORD Z21, Z21, Z21;    \
	VPXORD Z22, Z22, Z22;    \
	VPXORD Z23, Z23, Z23

// FOLD adds the 32 lanes in a and b up to four, in x (the low part of y).
#define FOLD(a, b, y, x) \
	VMOVAPS       a, Z0;      \
	VMOVAPS       b, Z1;      \
	VEXTRACTF64X4 $1, Z0, Y2; \
	VEXTRACTF64X4 $1, Z1, Y3; \
	VADDPS        Y2, Y0, Y0; \
	VADDPS        Y3, Y1, Y1; \
	VADDPS        Y1, Y0, y;  \
	VEXTRACTF128  $1, y, X2;  \
	VADDPS        X2, x, x

// END4 ends a row of four vectors, whose results are stored side by side.
#define END4 \
	FOLD(Z16, Z17, Y4, X4);    \
	FOLD(Z18, Z19, Y5, X5);    \
	FOLD(Z20, Z21, Y6, X6);    \
	FOLD(Z22, Z23, Y7, X7);    \
	VUNPCKLPD X5, X4, X0;      \
	VUNPCKHPD X5, X4, X1;      \
	VADDPS    X1, X0, X0;      \
	VUNPCKLPD X7, X6, X2;      \
	VUNPCKHPD X7, X6, X3;      \
	VADDPS    X3, X2, X2;      \
	VSHUFPS   $0x88, X2, X0, X1; \
	VSHUFPS   $0xdd, X2, X0, X3; \
	VADDPS    X3, X1, X1;      \
	VMOVUPS   X1, (DX);        \
	ADDQ      $16, DX;         \
	DECQ      CX

// MUL4 is the body of a product with four vectors:
// func(dst *float32, w *byte, rows int, x *float32, stride, cols int)
#define MUL4(const, type) \
	ARGS;                     \
	MOVQ stride+32(FP), R9;   \
	LEAQ (R9)(R9*2), R8;      \
	const;                    \
row:                          \
	BEGIN4;                   \
loop:                         \
	type(STEP4);              \
	JG   loop;                \
	END4;                     \
	JNZ  row;                 \
	VZEROUPPER;               \
	RET

#define F32(op) \
	VMOVUPS (SI), Z4;   \
	VMOVUPS 64(SI), Z5; \
	ADDQ    $128, SI;   \
	op

#define F16(op) \
	VCVTPH2PS (SI), Z4;   \
	VCVTPH2PS 32(SI), Z5; \
	ADDQ      $64, SI;    \
	op

#define BF16(op) \
	VPMOVZXWD (SI), Z4;    \
	VPMOVZXWD 32(SI), Z5;  \
	VPSLLD    $16, Z4, Z4; \
	VPSLLD    $16, Z5, Z5; \
	ADDQ      $64, SI;     \
	op

#define Q8_0(op) \
	VPMOVSXBD 2(SI), Z4;  \
	VPMOVSXBD 18(SI), Z5; \
	HALF((SI), Z8, Y8);   \
	VCVTDQ2PS Z4, Z4;     \
	VCVTDQ2PS Z5, Z5;     \
	VMULPS    Z8, Z4, Z4; \
	VMULPS    Z8, Z5, Z5; \
	ADDQ      $34, SI;    \
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
	HALF((SI), Z8, Y8);  \
	VMULPS Z15, Z8, Z8;  \
	LOOKUP(2, Z8);       \
	ADDQ   $18, SI;      \
	op

#define Q4_0CONST VMOVUPS ·levels4(SB), Z15
#define IQ4_NLCONST VMOVUPS ·levelsIQ4Float(SB), Z15

// MXFP4 finds its scales in a table, at R10.
#define MXFP4(op) \
	MOVBLZX     (SI), AX;            \
	VMULPS.BCST (R10)(AX*4), Z15, Z8; \
	LOOKUP(1, Z8);                   \
	ADDQ        $17, SI;             \
	op

#define MXFP4CONST \
	VMOVUPS ·levelsFP4Float(SB), Z15; \
	LEAQ    ·exponents(SB), R10

#define Q4_1(op) \
	HALF((SI), Z8, Y8);   \
	HALF(2(SI), Z9, Y9);  \
	VMULPS Z15, Z8, Z8;   \
	VADDPS Z9, Z8, Z8;    \
	LOOKUP(4, Z8);        \
	ADDQ   $20, SI;       \
	op

#define Q4_1CONST VMOVUPS ·levels5(SB), Z15

// FIFTH replaces the weights whose fifth bit, in the 32 bits at m, is set by
// what t holds for them.
#define FIFTH(m, t) \
	KMOVW   m, K1;             \
	KMOVW   2+m, K2;           \
	VPERMPS t, Z6, K1, Z4;     \
	VPERMPS t, Z7, K2, Z5

#define Q5_0(op) \
	HALF((SI), Z8, Y8);  \
	VMULPS Z14, Z8, Z9;  \
	VMULPS Z15, Z8, Z8;  \
	LOOKUP(6, Z8);       \
	FIFTH(2(SI), Z9);    \
	ADDQ   $22, SI;      \
	op

#define Q5_0CONST \
	VMOVUPS ·levels5Signed(SB), Z15;    \
	VMOVUPS ·levels5Signed+64(SB), Z14

#define Q5_1(op) \
	HALF((SI), Z8, Y8);   \
	HALF(2(SI), Z10, Y10);\
	VMULPS Z14, Z8, Z9;   \
	VMULPS Z15, Z8, Z8;   \
	VADDPS Z10, Z9, Z9;   \
	VADDPS Z10, Z8, Z8;   \
	LOOKUP(8, Z8);        \
	FIFTH(4(SI), Z9);     \
	ADDQ   $24, SI;       \
	op

#define Q5_1CONST \
	VMOVUPS ·levels5(SB), Z15;    \
	VMOVUPS ·levels5+64(SB), Z14

// TABLE sets t to the values of block b of Q4_K or Q5_K for the levels in l.
#define TABLE(l, b, t) \
	VMULPS.BCST (4*(b))(SP), l, t;    \
	VSUBPS.BCST (32+4*(b))(SP), t, t

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
	SUBS45;             \
	PAIR4K(16, 0, op);  \
	PAIR4K(48, 2, op);  \
	PAIR4K(80, 4, op);  \
	PAIR4K(112, 6, op); \
	ADDQ $144, SI;      \
	CMPQ BX, $0

#define Q4_KCONST VMOVUPS ·levels5(SB), Z15

// BLOCK5K decodes block b of Q5_K, whose low bits are in Z6 and Z7 and high
// bits in Y12.
#define BLOCK5K(b, op) \
	VPBROADCASTB bit<>+(b)(SB), Y11;  \
	VPTESTMB     Y11, Y12, K1;        \
	TABLE(Z15, b, Z8);                \
	TABLE(Z14, b, Z9);                \
	KSHIFTRD     $16, K1, K2;         \
	VPERMPS      Z8, Z6, Z4;          \
	VPERMPS      Z8, Z7, Z5;          \
	VPERMPS      Z9, Z6, K1, Z4;      \
	VPERMPS      Z9, Z7, K2, Z5;      \
	op

#define PAIR5K(at, b, op) \
	VPMOVZXBD (at)(SI), Z6;    \
	VPMOVZXBD (at+16)(SI), Z7; \
	BLOCK5K(b, op);            \
	VPSRLD    $4, Z6, Z6;      \
	VPSRLD    $4, Z7, Z7;      \
	BLOCK5K(b+1, op)

#define Q5_K(op) \
	SUBS45;              \
	VMOVDQU 16(SI), Y12; \
	PAIR5K(48, 0, op);   \
	PAIR5K(80, 2, op);   \
	PAIR5K(112, 4, op);  \
	PAIR5K(144, 6, op);  \
	ADDQ    $176, SI;    \
	CMPQ    BX, $0

// BLOCK6K decodes block b of Q6_K: low bits in Y10, high bits in Y12 after a
// shift by n.
#define BLOCK6K(b, shift, n, op) \
	shift        $n, Y12, Y11;       \
	VPAND        Y14, Y10, Y10;      \
	VPAND        Y13, Y11, Y11;      \
	VPOR         Y11, Y10, Y10;      \
	VPSUBB       Y15, Y10, Y10;      \
	VEXTRACTI128 $1, Y10, X11;       \
	VPMOVSXBD    X10, Z4;            \
	VPMOVSXBD    X11, Z5;            \
	VCVTDQ2PS    Z4, Z4;             \
	VCVTDQ2PS    Z5, Z5;             \
	VMULPS.BCST  (8*(b))(SP), Z4, Z4;   \
	VMULPS.BCST  (8*(b)+4)(SP), Z5, Z5; \
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

#define Q6_K(op) \
	HALF(208(SI), Z8, Y8);  \
	VPMOVSXBD 192(SI), Z9;  \
	VCVTDQ2PS Z9, Z9;       \
	VMULPS    Z8, Z9, Z9;   \
	VMOVUPS   Z9, 0(SP);    \
	HALF6K(0, 128, 0, op);  \
	HALF6K(64, 160, 4, op); \
	ADDQ      $210, SI;     \
	CMPQ      BX, $0

#define Q6_KCONST \
	VPBROADCASTQ bytes15<>(SB), Y14; \
	VPBROADCASTQ bytes48<>(SB), Y13; \
	VPBROADCASTQ bytes32<>(SB), Y15

TEXT ·mulF16AVX512(SB), NOSPLIT, $0-40
	MUL(NOCONST, F16)

TEXT ·mulBF16AVX512(SB), NOSPLIT, $0-40
	MUL(NOCONST, BF16)

TEXT ·mulQ8_0AVX512(SB), NOSPLIT, $0-40
	MUL(NOCONST, Q8_0)

TEXT ·mulQ4_0AVX512(SB), NOSPLIT, $0-40
	MUL(Q4_0CONST, LEVELS)

TEXT ·mulQ4_1AVX512(SB), NOSPLIT, $0-40
	MUL(Q4_1CONST, Q4_1)

TEXT ·mulQ5_0AVX512(SB), NOSPLIT, $0-40
	MUL(Q5_0CONST, Q5_0)

TEXT ·mulQ5_1AVX512(SB), NOSPLIT, $0-40
	MUL(Q5_1CONST, Q5_1)

TEXT ·mulIQ4_NLAVX512(SB), NOSPLIT, $0-40
	MUL(IQ4_NLCONST, LEVELS)

TEXT ·mulMXFP4AVX512(SB), NOSPLIT, $0-40
	MUL(MXFP4CONST, MXFP4)

TEXT ·mulQ4_KAVX512(SB), NOSPLIT, $64-40
	MUL(Q4_KCONST, Q4_K)

TEXT ·mulQ5_KAVX512(SB), NOSPLIT, $64-40
	MUL(Q5_1CONST, Q5_K)

TEXT ·mulQ6_KAVX512(SB), NOSPLIT, $64-40
	MUL(Q6_KCONST, Q6_K)

TEXT ·mul4F32AVX512(SB), NOSPLIT, $0-48
	MUL4(NOCONST, F32)

TEXT ·mul4F16AVX512(SB), NOSPLIT, $0-48
	MUL4(NOCONST, F16)

TEXT ·mul4BF16AVX512(SB), NOSPLIT, $0-48
	MUL4(NOCONST, BF16)

TEXT ·mul4Q8_0AVX512(SB), NOSPLIT, $0-48
	MUL4(NOCONST, Q8_0)

TEXT ·mul4Q4_0AVX512(SB), NOSPLIT, $0-48
	MUL4(Q4_0CONST, LEVELS)

TEXT ·mul4Q4_1AVX512(SB), NOSPLIT, $0-48
	MUL4(Q4_1CONST, Q4_1)

TEXT ·mul4Q5_0AVX512(SB), NOSPLIT, $0-48
	MUL4(Q5_0CONST, Q5_0)

TEXT ·mul4Q5_1AVX512(SB), NOSPLIT, $0-48
	MUL4(Q5_1CONST, Q5_1)

TEXT ·mul4IQ4_NLAVX512(SB), NOSPLIT, $0-48
	MUL4(IQ4_NLCONST, LEVELS)

TEXT ·mul4MXFP4AVX512(SB), NOSPLIT, $0-48
	MUL4(MXFP4CONST, MXFP4)

TEXT ·mul4Q4_KAVX512(SB), NOSPLIT, $64-48
	MUL4(Q4_KCONST, Q4_K)

TEXT ·mul4Q5_KAVX512(SB), NOSPLIT, $64-48
	MUL4(Q5_1CONST, Q5_K)

TEXT ·mul4Q6_KAVX512(SB), NOSPLIT, $64-48
	MUL4(Q6_KCONST, Q6_K)

TEXT ·decodeF16AVX512(SB), NOSPLIT, $0-24
	DECODE(NOCONST, F16)

TEXT ·decodeQ8_0AVX512(SB), NOSPLIT, $0-24
	DECODE(NOCONST, Q8_0)

TEXT ·decodeQ4_0AVX512(SB), NOSPLIT, $0-24
	DECODE(Q4_0CONST, LEVELS)

TEXT ·decodeQ4_1AVX512(SB), NOSPLIT, $0-24
	DECODE(Q4_1CONST, Q4_1)

TEXT ·decodeQ5_0AVX512(SB), NOSPLIT, $0-24
	DECODE(Q5_0CONST, Q5_0)

TEXT ·decodeQ5_1AVX512(SB), NOSPLIT, $0-24
	DECODE(Q5_1CONST, Q5_1)

TEXT ·decodeIQ4_NLAVX512(SB), NOSPLIT, $0-24
	DECODE(IQ4_NLCONST, LEVELS)

TEXT ·decodeMXFP4AVX512(SB), NOSPLIT, $0-24
	DECODE(MXFP4CONST, MXFP4)

TEXT ·decodeQ4_KAVX512(SB), NOSPLIT, $64-24
	DECODE(Q4_KCONST, Q4_K)

TEXT ·decodeQ5_KAVX512(SB), NOSPLIT, $64-24
	DECODE(Q5_1CONST, Q5_K)

TEXT ·decodeQ6_KAVX512(SB), NOSPLIT, $64-24
	DECODE(Q6_KCONST, Q6_K)
