//go:build amd64

#include "textflag.h"
#include "kernels_amd64.h"

// AVX2 kernels. They decode 32 weights at a time to Y4 to Y7, and either
// multiply them by 32 activations (STEP, sums in Y0 to Y3) or store them
// (STORE). SI points to the weights, DI to the activations or the result.

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
DATA bias8d<>+0(SB)/4, $0x00000008
GLOBL bias8d<>(SB), RODATA|NOPTR, $4

// STEP multiplies and adds what was decoded, and counts 32 columns.
#define STEP \
	VMULPS (DI), Y4, Y4;   \
	VMULPS 32(DI), Y5, Y5; \
	VMULPS 64(DI), Y6, Y6; \
	VMULPS 96(DI), Y7, Y7; \
	VADDPS Y4, Y0, Y0;     \
	VADDPS Y5, Y1, Y1;     \
	VADDPS Y6, Y2, Y2;     \
	VADDPS Y7, Y3, Y3;     \
	ADDQ   $128, DI;       \
	SUBQ   $32, BX

// STORE stores what was decoded, and counts 32 columns.
#define STORE \
	VMOVUPS Y4, (DI);   \
	VMOVUPS Y5, 32(DI); \
	VMOVUPS Y6, 64(DI); \
	VMOVUPS Y7, 96(DI); \
	ADDQ    $128, DI;   \
	SUBQ    $32, BX

// BEGIN begins a row.
#define BEGIN \
	MOVQ   x+24(FP), DI;    \
	MOVQ   cols+32(FP), BX; \
	VXORPS Y0, Y0, Y0;      \
	VXORPS Y1, Y1, Y1;      \
	VXORPS Y2, Y2, Y2;      \
	VXORPS Y3, Y3, Y3

// END ends a row, and sets the flags for a jump if there are more.
#define END \
	VADDPS       Y1, Y0, Y0; \
	VADDPS       Y3, Y2, Y2; \
	VADDPS       Y2, Y0, Y0; \
	VEXTRACTF128 $1, Y0, X1; \
	VADDPS       X1, X0, X0; \
	VMOVHLPS     X0, X0, X1; \
	VADDPS       X1, X0, X0; \
	VMOVSHDUP    X0, X1;     \
	VADDSS       X1, X0, X0; \
	VMOVSS       X0, (DX);   \
	ADDQ         $4, DX;     \
	DECQ         CX

#define TOFLOAT \
	VCVTDQ2PS Y4, Y4; \
	VCVTDQ2PS Y5, Y5; \
	VCVTDQ2PS Y6, Y6; \
	VCVTDQ2PS Y7, Y7

#define SCALE(s) \
	VMULPS s, Y4, Y4; \
	VMULPS s, Y5, Y5; \
	VMULPS s, Y6, Y6; \
	VMULPS s, Y7, Y7

#define SUBTRACT(o) \
	VSUBPS o, Y4, Y4; \
	VSUBPS o, Y5, Y5; \
	VSUBPS o, Y6, Y6; \
	VSUBPS o, Y7, Y7

#define F32(op) \
	VMOVUPS (SI), Y4;   \
	VMOVUPS 32(SI), Y5; \
	VMOVUPS 64(SI), Y6; \
	VMOVUPS 96(SI), Y7; \
	ADDQ    $128, SI;   \
	op

#define F16(op) \
	AHEAD(0); \
	VCVTPH2PS (SI), Y4;   \
	VCVTPH2PS 16(SI), Y5; \
	VCVTPH2PS 32(SI), Y6; \
	VCVTPH2PS 48(SI), Y7; \
	ADDQ      $64, SI;    \
	op

#define BF16(op) \
	AHEAD(0); \
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
	AHEAD(0); \
	VPMOVSXBD 2(SI), Y4;  \
	VPMOVSXBD 10(SI), Y5; \
	VPMOVSXBD 18(SI), Y6; \
	VPMOVSXBD 26(SI), Y7; \
	HALF((SI), Y8, X8);   \
	TOFLOAT;              \
	SCALE(Y8);            \
	ADDQ      $34, SI;    \
	op

// Q4_0 needs words of 15 in Y14 and of 8 in Y13.
#define Q4_0(op) \
	AHEAD(0); \
	VPMOVZXBD 2(SI), Y4;    \
	VPMOVZXBD 10(SI), Y5;   \
	HALF((SI), Y8, X8);     \
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
	VPBROADCASTD low4d<>(SB), Y14; \
	VPBROADCASTD bias8d<>(SB), Y13

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
	AHEAD(0); \
	AHEAD(64); \
	AHEAD(128); \
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
	AHEAD(0); \
	AHEAD(64); \
	AHEAD(128); \
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
	AHEAD(0); \
	AHEAD(64); \
	AHEAD(128); \
	AHEAD(192); \
	SUBS6;                  \
	HALF6K(0, 128, 0, op);  \
	HALF6K(64, 160, 4, op); \
	ADDQ $210, SI;          \
	CMPQ BX, $0

#define Q6_KCONST \
	VPBROADCASTQ low4<>(SB), Y14;   \
	VPBROADCASTQ bits45<>(SB), Y13; \
	VPBROADCASTQ bias32<>(SB), Y15

TEXT ·mulF32AVX2(SB), NOSPLIT, $0-40
	MUL(NOCONST, F32)

TEXT ·mulF16AVX2(SB), NOSPLIT, $0-40
	MUL(NOCONST, F16)

TEXT ·mulBF16AVX2(SB), NOSPLIT, $0-40
	MUL(NOCONST, BF16)

TEXT ·mulQ8_0AVX2(SB), NOSPLIT, $0-40
	MUL(NOCONST, Q8_0)

TEXT ·mulQ4_0AVX2(SB), NOSPLIT, $0-40
	MUL(Q4_0CONST, Q4_0)

TEXT ·mulQ4_KAVX2(SB), NOSPLIT, $64-40
	MUL(Q4_KCONST, Q4_K)

TEXT ·mulQ5_KAVX2(SB), NOSPLIT, $64-40
	MUL(Q5_KCONST, Q5_K)

TEXT ·mulQ6_KAVX2(SB), NOSPLIT, $64-40
	MUL(Q6_KCONST, Q6_K)

TEXT ·decodeF32AVX2(SB), NOSPLIT, $0-24
	DECODE(NOCONST, F32)

TEXT ·decodeF16AVX2(SB), NOSPLIT, $0-24
	DECODE(NOCONST, F16)

TEXT ·decodeBF16AVX2(SB), NOSPLIT, $0-24
	DECODE(NOCONST, BF16)

TEXT ·decodeQ8_0AVX2(SB), NOSPLIT, $0-24
	DECODE(NOCONST, Q8_0)

TEXT ·decodeQ4_0AVX2(SB), NOSPLIT, $0-24
	DECODE(Q4_0CONST, Q4_0)

TEXT ·decodeQ4_KAVX2(SB), NOSPLIT, $64-24
	DECODE(Q4_KCONST, Q4_K)

TEXT ·decodeQ5_KAVX2(SB), NOSPLIT, $64-24
	DECODE(Q5_KCONST, Q5_K)

TEXT ·decodeQ6_KAVX2(SB), NOSPLIT, $64-24
	DECODE(Q6_KCONST, Q6_K)

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

// TWO adds 32 bytes of w at offset at times two vectors to a and b.
#define TWO(at, a, b, t, u) \
	VMOVUPS (at)(SI), t;          \
	VMULPS  (at)(DI)(R9*1), t, u; \
	VMULPS  (at)(DI), t, t;       \
	VADDPS  t, a, a;              \
	VADDPS  u, b, b

// FOLD adds the 32 lanes in a, b, c and d up to two, in x (the low part of a).
#define FOLD(a, b, c, d, x, t) \
	VADDPS       b, a, a;  \
	VADDPS       d, c, c;  \
	VADDPS       c, a, a;  \
	VEXTRACTF128 $1, a, t; \
	VADDPS       t, x, x;  \
	VMOVHLPS     x, x, t;  \
	VADDPS       t, x, x

// func mul2F32AVX2(dst *float32, w *byte, rows int, x *float32, stride, cols, dstRow, dstVec int)
TEXT ·mul2F32AVX2(SB), NOSPLIT, $0-64
	ARGS
	MOVQ stride+32(FP), R9

row:
	MOVQ   x+24(FP), DI
	MOVQ   cols+40(FP), BX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7

loop:
	TWO(0, Y0, Y4, Y8, Y9)
	TWO(32, Y1, Y5, Y10, Y11)
	TWO(64, Y2, Y6, Y12, Y13)
	TWO(96, Y3, Y7, Y14, Y15)
	ADDQ $128, SI
	ADDQ $128, DI
	SUBQ $32, BX
	JG   loop

	FOLD(Y0, Y1, Y2, Y3, X0, X8)
	FOLD(Y4, Y5, Y6, Y7, X4, X9)
	VUNPCKLPS X4, X0, X0
	VMOVHLPS  X0, X0, X1
	VADDPS    X1, X0, X0
	MOVQ      dstVec+56(FP), R10
	VMOVSS    X0, (DX)
	VEXTRACTPS $1, X0, (DX)(R10*1)
	ADDQ      dstRow+48(FP), DX
	DECQ      CX
	JNZ       row
	VZEROUPPER
	RET
