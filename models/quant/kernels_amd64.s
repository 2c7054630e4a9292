//go:build amd64

#include "textflag.h"

// AVX2 kernels. Each repeats the arithmetic of its portable twin: exact
// integer sums within a block, then product and sum rounded one after the
// other, in the same lanes. No fused multiply-add.
//
// Registers throughout: SI weights, DI activations (16-bit), R8 their scales,
// R9 their sums, Y0 and Y1 the lanes of even and odd blocks, Y15 the offsets.

DATA nibble<>+0(SB)/8, $0x0f0f0f0f0f0f0f0f
GLOBL nibble<>(SB), RODATA|NOPTR, $8
DATA low4<>+0(SB)/4, $0x000f000f
GLOBL low4<>(SB), RODATA|NOPTR, $4
DATA eight<>+0(SB)/4, $0x00080008
GLOBL eight<>(SB), RODATA|NOPTR, $4
DATA bits2<>+0(SB)/8, $0x3030303030303030
GLOBL bits2<>(SB), RODATA|NOPTR, $8
DATA bit4<>+0(SB)/8, $0x1010101010101010
GLOBL bit4<>(SB), RODATA|NOPTR, $8
DATA bytes32<>+0(SB)/8, $0x2020202020202020
GLOBL bytes32<>(SB), RODATA|NOPTR, $8

// Indices that double the first four and the last four of eight floats.
DATA twiceLow<>+0(SB)/8, $0x0000000000000000
DATA twiceLow<>+8(SB)/8, $0x0000000100000001
DATA twiceLow<>+16(SB)/8, $0x0000000200000002
DATA twiceLow<>+24(SB)/8, $0x0000000300000003
GLOBL twiceLow<>(SB), RODATA|NOPTR, $32
DATA twiceHigh<>+0(SB)/8, $0x0000000400000004
DATA twiceHigh<>+8(SB)/8, $0x0000000500000005
DATA twiceHigh<>+16(SB)/8, $0x0000000600000006
DATA twiceHigh<>+24(SB)/8, $0x0000000700000007
GLOBL twiceHigh<>(SB), RODATA|NOPTR, $32

// MADD adds the product of 32 weights (words in lo and hi) with activations
// at offset at from DI, times s, to acc. It destroys lo and hi.
#define MADD(lo, hi, at, s, acc) \
	VPMADDWD  (at)(DI), lo, lo;    \
	VPMADDWD  (at+64)(DI), hi, hi; \
	VPADDD    hi, lo, lo;          \
	VCVTDQ2PS lo, lo;              \
	VMULPS    s, lo, lo;           \
	VADDPS    lo, acc, acc

// SUM8 adds up the eight lanes of y (low half x) with the help of t.
#define SUM8(y, x, t) \
	VEXTRACTF128 $1, y, t; \
	VADDPS       t, x, x;  \
	VMOVHLPS     x, x, t;  \
	VADDPS       t, x, x;  \
	VMOVSHDUP    x, t;     \
	VADDSS       t, x, x

// HALFSCALE sets s to the half at w times the float at a, in all lanes.
#define HALFSCALE(w, a, s, sx, t) \
	VPBROADCASTW w, sx;    \
	VCVTPH2PS    sx, s;    \
	VBROADCASTSS a, t;     \
	VMULPS       t, s, s

// func mulQ8_0(dst *float32, w *byte, rows int, a *int16, scales, sums *float32, blocks int)
TEXT ·mulQ8_0(SB), NOSPLIT, $0-56
	MOVQ dst+0(FP), DX
	MOVQ w+8(FP), SI
	MOVQ rows+16(FP), CX

row:
	MOVQ   a+24(FP), DI
	MOVQ   scales+32(FP), R8
	MOVQ   blocks+48(FP), BX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	SUBQ   $2, BX
	JLT    last

pair:
	VPMOVSXBW 2(SI), Y2
	VPMOVSXBW 18(SI), Y3
	VPMOVSXBW 36(SI), Y4
	VPMOVSXBW 52(SI), Y5
	HALFSCALE((SI), (R8), Y6, X6, Y8)
	HALFSCALE(34(SI), 4(R8), Y7, X7, Y9)
	MADD(Y2, Y3, 0, Y6, Y0)
	MADD(Y4, Y5, 32, Y7, Y1)
	ADDQ      $68, SI
	ADDQ      $128, DI
	ADDQ      $8, R8
	SUBQ      $2, BX
	JGE       pair

last:
	CMPQ      BX, $-1
	JNE       done
	VPMOVSXBW 2(SI), Y2
	VPMOVSXBW 18(SI), Y3
	HALFSCALE((SI), (R8), Y6, X6, Y8)
	MADD(Y2, Y3, 0, Y6, Y0)
	ADDQ      $34, SI

done:
	VADDPS Y1, Y0, Y0
	SUM8(Y0, X0, X2)
	VMOVSS X0, (DX)
	ADDQ   $4, DX
	DECQ   CX
	JNZ    row
	VZEROUPPER
	RET

// NIBBLES8 unpacks 32 nibbles at w, less 8, into words. Y14 holds 0x0f words
// and Y13 words of 8.
#define NIBBLES8(w, lo, hi) \
	VPMOVZXBW w, hi;        \
	VPAND     Y14, hi, lo;  \
	VPSRLW    $4, hi, hi;   \
	VPSUBW    Y13, lo, lo;  \
	VPSUBW    Y13, hi, hi

// func mulQ4_0(dst *float32, w *byte, rows int, a *int16, scales, sums *float32, blocks int)
TEXT ·mulQ4_0(SB), NOSPLIT, $0-56
	MOVQ         dst+0(FP), DX
	MOVQ         w+8(FP), SI
	MOVQ         rows+16(FP), CX
	VPBROADCASTD low4<>(SB), Y14
	VPBROADCASTD eight<>(SB), Y13

row:
	MOVQ   a+24(FP), DI
	MOVQ   scales+32(FP), R8
	MOVQ   blocks+48(FP), BX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	SUBQ   $2, BX
	JLT    last

pair:
	NIBBLES8(2(SI), Y2, Y3)
	NIBBLES8(20(SI), Y4, Y5)
	HALFSCALE((SI), (R8), Y6, X6, Y8)
	HALFSCALE(18(SI), 4(R8), Y7, X7, Y9)
	MADD(Y2, Y3, 0, Y6, Y0)
	MADD(Y4, Y5, 32, Y7, Y1)
	ADDQ $36, SI
	ADDQ $128, DI
	ADDQ $8, R8
	SUBQ $2, BX
	JGE  pair

last:
	CMPQ BX, $-1
	JNE  done
	NIBBLES8(2(SI), Y2, Y3)
	HALFSCALE((SI), (R8), Y6, X6, Y8)
	MADD(Y2, Y3, 0, Y6, Y0)
	ADDQ $18, SI

done:
	VADDPS Y1, Y0, Y0
	SUM8(Y0, X0, X2)
	VMOVSS X0, (DX)
	ADDQ   $4, DX
	DECQ   CX
	JNZ    row
	VZEROUPPER
	RET

// SUBS45 unpacks the sub-scales and offsets of a Q4_K or Q5_K block at SI:
// d*scale into s and dmin*offset into o, eight each. It destroys AX, R10 to
// R13, t and its low half tx.
#define SUBS45(s, sx, o, ox, t, tx) \
	MOVL      4(SI), AX;               \
	MOVL      8(SI), R10;              \
	MOVL      12(SI), R11;             \
	MOVL      R11, R12;                \
	ANDL      $0x0f0f0f0f, R12;        \
	MOVL      AX, R13;                 \
	SHRL      $2, R13;                 \
	ANDL      $0x30303030, R13;        \
	ORL       R13, R12;                \
	ANDL      $0x3f3f3f3f, AX;         \
	SHLQ      $32, R12;                \
	ORQ       R12, AX;                 \
	SHRL      $4, R11;                 \
	ANDL      $0x0f0f0f0f, R11;        \
	MOVL      R10, R13;                \
	SHRL      $2, R13;                 \
	ANDL      $0x30303030, R13;        \
	ORL       R13, R11;                \
	ANDL      $0x3f3f3f3f, R10;        \
	SHLQ      $32, R11;                \
	ORQ       R11, R10;                \
	VMOVQ     AX, sx;                  \
	VPMOVZXBD sx, s;                   \
	VCVTDQ2PS s, s;                    \
	VMOVQ     R10, ox;                 \
	VPMOVZXBD ox, o;                   \
	VCVTDQ2PS o, o;                    \
	VPBROADCASTW (SI), tx;             \
	VCVTPH2PS tx, t;                   \
	VMULPS    t, s, s;                 \
	VPBROADCASTW 2(SI), tx;            \
	VCVTPH2PS tx, t;                   \
	VMULPS    t, o, o

// OFFSETS adds the offsets in o, one for each 32 elements, times the sums at
// R9 to Y15. It destroys t and u.
#define OFFSETS(o, t, u) \
	VMOVUPS twiceLow<>(SB), t;  \
	VPERMPS o, t, t;            \
	VMULPS  (R9), t, t;         \
	VADDPS  t, Y15, Y15;        \
	VMOVUPS twiceHigh<>(SB), u; \
	VPERMPS o, u, u;            \
	VMULPS  32(R9), u, u;       \
	VADDPS  u, Y15, Y15

// PAIR4K adds a pair of blocks of Q4_K: 32 bytes at w, whose low nibbles are
// the even block and whose high nibbles the odd one. The scales are on the
// stack at s.
#define PAIR4K(w, at, s) \
	VPMOVZXBW    (w)(SI), Y4;      \
	VPMOVZXBW    (w+16)(SI), Y5;   \
	VPAND        Y14, Y4, Y2;      \
	VPAND        Y14, Y5, Y3;      \
	VPSRLW       $4, Y4, Y4;       \
	VPSRLW       $4, Y5, Y5;       \
	VBROADCASTSS (s)(SP), Y6;   \
	VBROADCASTSS (s+4)(SP), Y7; \
	MADD(Y2, Y3, at, Y6, Y0);      \
	MADD(Y4, Y5, at+32, Y7, Y1)

// func mulQ4_K(dst *float32, w *byte, rows int, a *int16, scales, sums *float32, blocks int)
TEXT ·mulQ4_K(SB), NOSPLIT, $32-56
	MOVQ         dst+0(FP), DX
	MOVQ         w+8(FP), SI
	MOVQ         rows+16(FP), CX
	VPBROADCASTD low4<>(SB), Y14

row:
	MOVQ   a+24(FP), DI
	MOVQ   scales+32(FP), R8
	MOVQ   sums+40(FP), R9
	MOVQ   blocks+48(FP), BX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y15, Y15, Y15

block:
	SUBS45(Y8, X8, Y9, X9, Y10, X10)
	VMULPS  (R8), Y8, Y8
	VMOVUPS Y8, 0(SP)
	OFFSETS(Y9, Y10, Y11)
	PAIR4K(16, 0, 0)
	PAIR4K(48, 128, 8)
	PAIR4K(80, 256, 16)
	PAIR4K(112, 384, 24)
	ADDQ    $144, SI
	ADDQ    $512, DI
	ADDQ    $32, R8
	ADDQ    $64, R9
	SUBQ    $8, BX
	JG      block

	VADDPS Y1, Y0, Y0
	SUM8(Y0, X0, X2)
	SUM8(Y15, X15, X2)
	VSUBSS X15, X0, X0
	VMOVSS X0, (DX)
	ADDQ   $4, DX
	DECQ   CX
	JNZ    row
	VZEROUPPER
	RET

// UBYTES adds a block whose 32 weights are unsigned bytes in y (low half x).
#define UBYTES(y, x, at, s, acc, t, tx) \
	VEXTRACTI128 $1, y, tx;  \
	VPMOVZXBW    x, y;       \
	VPMOVZXBW    tx, t;      \
	MADD(y, t, at, s, acc)

// PAIR5K is PAIR4K for Q5_K. The shifts even and odd of Y12, by e and o, bring
// the high bits of the blocks to bit 4.
#define PAIR5K(w, at, s, even, e, odd, o) \
	VMOVDQU      (w)(SI), Y4;     \
	VPAND        Y14, Y4, Y2;     \
	VPSRLW       $4, Y4, Y4;      \
	VPAND        Y14, Y4, Y4;     \
	even         $e, Y12, Y3;     \
	VPAND        Y13, Y3, Y3;     \
	VPOR         Y3, Y2, Y2;      \
	odd          $o, Y12, Y5;     \
	VPAND        Y13, Y5, Y5;     \
	VPOR         Y5, Y4, Y4;      \
	VBROADCASTSS (s)(SP), Y6;  \
	VBROADCASTSS (s+4)(SP), Y7; \
	UBYTES(Y2, X2, at, Y6, Y0, Y3, X3); \
	UBYTES(Y4, X4, at+32, Y7, Y1, Y5, X5)

// func mulQ5_K(dst *float32, w *byte, rows int, a *int16, scales, sums *float32, blocks int)
TEXT ·mulQ5_K(SB), NOSPLIT, $32-56
	MOVQ         dst+0(FP), DX
	MOVQ         w+8(FP), SI
	MOVQ         rows+16(FP), CX
	VPBROADCASTQ nibble<>(SB), Y14
	VPBROADCASTQ bit4<>(SB), Y13

row:
	MOVQ   a+24(FP), DI
	MOVQ   scales+32(FP), R8
	MOVQ   sums+40(FP), R9
	MOVQ   blocks+48(FP), BX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y15, Y15, Y15

block:
	SUBS45(Y8, X8, Y9, X9, Y10, X10)
	VMULPS  (R8), Y8, Y8
	VMOVUPS Y8, 0(SP)
	OFFSETS(Y9, Y10, Y11)
	VMOVDQU 16(SI), Y12
	PAIR5K(48, 0, 0, VPSLLW, 4, VPSLLW, 3)
	PAIR5K(80, 128, 8, VPSLLW, 2, VPSLLW, 1)
	PAIR5K(112, 256, 16, VPSRLW, 0, VPSRLW, 1)
	PAIR5K(144, 384, 24, VPSRLW, 2, VPSRLW, 3)
	ADDQ    $176, SI
	ADDQ    $512, DI
	ADDQ    $32, R8
	ADDQ    $64, R9
	SUBQ    $8, BX
	JG      block

	VADDPS Y1, Y0, Y0
	SUM8(Y0, X0, X2)
	SUM8(Y15, X15, X2)
	VSUBSS X15, X0, X0
	VMOVSS X0, (DX)
	ADDQ   $4, DX
	DECQ   CX
	JNZ    row
	VZEROUPPER
	RET

// BLOCK6K adds a block of Q6_K whose weights plus 32 are bytes in y (low half
// x): block b of the eight, at offset at.
#define BLOCK6K(y, x, b, at, acc) \
	VPSUBB       Y11, y, y;             \
	VEXTRACTI128 $1, y, X6;             \
	VPMOVSXBW    x, y;                  \
	VPMOVSXBW    X6, Y6;                \
	VPBROADCASTW (32+4*(b))(SP), Y7;    \
	VPMULLW      Y7, y, y;              \
	VPBROADCASTW (34+4*(b))(SP), Y8;    \
	VPMULLW      Y8, Y6, Y6;            \
	VBROADCASTSS (4*(b))(SP), Y9;       \
	MADD(y, Y6, at, Y9, acc)

// HALF6K adds four blocks of Q6_K from block b on, with low bits at l and
// high bits at h.
#define HALF6K(l, h, b, at) \
	VMOVDQU (h)(SI), Y12;       \
	VMOVDQU (l)(SI), Y2;        \
	VMOVDQU (l+32)(SI), Y3;     \
	VPSRLW  $4, Y2, Y4;         \
	VPSRLW  $4, Y3, Y5;         \
	VPAND   Y14, Y2, Y2;        \
	VPAND   Y14, Y3, Y3;        \
	VPAND   Y14, Y4, Y4;        \
	VPAND   Y14, Y5, Y5;        \
	VPSLLW  $4, Y12, Y6;        \
	VPSLLW  $2, Y12, Y7;        \
	VPSRLW  $2, Y12, Y8;        \
	VPAND   Y13, Y6, Y6;        \
	VPAND   Y13, Y7, Y7;        \
	VPAND   Y13, Y8, Y8;        \
	VPAND   Y13, Y12, Y12;      \
	VPOR    Y6, Y2, Y2;         \
	VPOR    Y7, Y3, Y3;         \
	VPOR    Y12, Y4, Y4;        \
	VPOR    Y8, Y5, Y5;         \
	BLOCK6K(Y2, X2, b, at, Y0);       \
	BLOCK6K(Y3, X3, b+1, at+32, Y1);  \
	BLOCK6K(Y4, X4, b+2, at+128, Y0); \
	BLOCK6K(Y5, X5, b+3, at+160, Y1)

// func mulQ6_K(dst *float32, w *byte, rows int, a *int16, scales, sums *float32, blocks int)
TEXT ·mulQ6_K(SB), NOSPLIT, $64-56
	MOVQ         dst+0(FP), DX
	MOVQ         w+8(FP), SI
	MOVQ         rows+16(FP), CX
	VPBROADCASTQ nibble<>(SB), Y14
	VPBROADCASTQ bits2<>(SB), Y13
	VPBROADCASTQ bytes32<>(SB), Y11

row:
	MOVQ   a+24(FP), DI
	MOVQ   scales+32(FP), R8
	MOVQ   blocks+48(FP), BX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1

block:
	VPBROADCASTW 208(SI), X2
	VCVTPH2PS    X2, Y2
	VMULPS       (R8), Y2, Y2
	VMOVUPS      Y2, 0(SP)
	VPMOVSXBW    192(SI), Y2
	VMOVDQU      Y2, 32(SP)
	HALF6K(0, 128, 0, 0)
	HALF6K(64, 160, 4, 256)
	ADDQ         $210, SI
	ADDQ         $512, DI
	ADDQ         $32, R8
	SUBQ         $8, BX
	JG           block

	VADDPS Y1, Y0, Y0
	SUM8(Y0, X0, X2)
	VMOVSS X0, (DX)
	ADDQ   $4, DX
	DECQ   CX
	JNZ    row
	VZEROUPPER
	RET
