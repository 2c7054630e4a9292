//go:build amd64

#include "textflag.h"

// Rows of K types taken apart, for tiles that multiply them by many vectors:
//
// func(dst *byte, w *byte, blocks int)
//
// A block of 256 has its unsigned values, one byte each; then for each 32 of
// them 16 words, the sub-scale of each pair; then 16 words with what smallest
// values are multiplied by the sums of a vector, of each 32 of it (8 words) or
// of each 16; then the scale and that of the smallest values as float32. What
// is left makes it a whole number of cache lines.

#define APART 576

#define UNPACK \
	MOVQ dst+0(FP), DX;    \
	MOVQ w+8(FP), SI;      \
	MOVQ blocks+16(FP), BX

// BYTES sets every byte of y to b.
#define BYTES(b, x, y) \
	MOVL         $(b*0x01010101), AX; \
	VMOVD        AX, x;               \
	VPBROADCASTD x, y

// SCALEOF32 stores the sub-scale of values 32g and on, of which word g waits
// where the products of smallest values will be.
#define SCALEOF32(g) \
	VPBROADCASTW 512+2*g(DX), Y3; \
	VMOVDQU      Y3, 256+32*g(DX)

// SUBS stores the sub-scales and smallest values of a Q4_K or Q5_K block, and
// its scales.
#define SUBS \
	MOVL      4(SI), AX;         \
	MOVL      8(SI), R10;        \
	MOVL      12(SI), R12;       \
	MOVL      AX, R13;           \
	MOVL      R10, R8;           \
	MOVL      R12, R9;           \
	SHRL      $2, AX;            \
	SHRL      $2, R10;           \
	SHRL      $4, R9;            \
	ANDL      $0x3f3f3f3f, R13;  \
	ANDL      $0x3f3f3f3f, R8;   \
	ANDL      $0x30303030, AX;   \
	ANDL      $0x30303030, R10;  \
	ANDL      $0x0f0f0f0f, R12;  \
	ANDL      $0x0f0f0f0f, R9;   \
	ORL       AX, R12;           \
	ORL       R10, R9;           \
	SHLQ      $32, R12;          \
	SHLQ      $32, R9;           \
	ORQ       R13, R12;          \
	ORQ       R8, R9;            \
	VMOVQ     R12, X10;          \
	VMOVQ     R9, X11;           \
	VPMOVZXBW X10, X10;          \
	VPMOVZXBW X11, X11;          \
	VMOVDQU   X10, 512(DX);      \
	SCALEOF32(0);                \
	SCALEOF32(1);                \
	SCALEOF32(2);                \
	SCALEOF32(3);                \
	SCALEOF32(4);                \
	SCALEOF32(5);                \
	SCALEOF32(6);                \
	SCALEOF32(7);                \
	VMOVDQU   X11, 512(DX);      \
	VMOVD     (SI), X4;          \
	VCVTPH2PS X4, X4;            \
	VMOVQ     X4, 544(DX)

// HALVES leaves the low halves of the bytes at m in Y2, the high ones in Y1.
#define HALVES(m) \
	VMOVDQU m, Y1;         \
	VPAND   Y14, Y1, Y2;   \
	VPSRLW  $4, Y1, Y1;    \
	VPAND   Y14, Y1, Y1

#define QUARTER4(j) \
	HALVES(16+32*j(SI));      \
	VMOVDQU Y2, 64*j(DX);     \
	VMOVDQU Y1, 64*j+32(DX)

TEXT ·unpackQ4_K(SB), NOSPLIT, $0-24
	UNPACK
	BYTES(0x0f, X14, Y14)

block:
	SUBS
	QUARTER4(0)
	QUARTER4(1)
	QUARTER4(2)
	QUARTER4(3)
	ADDQ $144, SI
	ADDQ $APART, DX
	DECQ BX
	JNZ  block
	VZEROUPPER
	RET

// HIGH adds bits of Y6, moved to their place by a shift, to q.
#define HIGH(shift, n, q) \
	shift $n, Y6, Y3;    \
	VPAND Y13, Y3, Y3;   \
	VPOR  Y3, q, q

#define QUARTER5(j, even, n, odd, m) \
	HALVES(48+32*j(SI));      \
	HIGH(even, n, Y2);        \
	HIGH(odd, m, Y1);         \
	VMOVDQU Y2, 64*j(DX);     \
	VMOVDQU Y1, 64*j+32(DX)

TEXT ·unpackQ5_K(SB), NOSPLIT, $0-24
	UNPACK
	BYTES(0x0f, X14, Y14)
	BYTES(0x10, X13, Y13)

block:
	SUBS
	VMOVDQU 16(SI), Y6
	QUARTER5(0, VPSLLW, 4, VPSLLW, 3)
	QUARTER5(1, VPSLLW, 2, VPSLLW, 1)
	QUARTER5(2, VPSRLW, 0, VPSRLW, 1)
	QUARTER5(3, VPSRLW, 2, VPSRLW, 3)
	ADDQ    $176, SI
	ADDQ    $APART, DX
	DECQ    BX
	JNZ     block
	VZEROUPPER
	RET

// SCALESOF16 is SCALEOF32 with two sub-scales.
#define SCALESOF16(g) \
	VPBROADCASTW 512+4*g(DX), X3;   \
	VPBROADCASTW 512+4*g+2(DX), X4; \
	VMOVDQU      X3, 256+32*g(DX);  \
	VMOVDQU      X4, 272+32*g(DX)

#define HALF6(h) \
	VMOVDQU 128+32*h(SI), Y6;    \
	HALVES(64*h(SI));            \
	HIGH(VPSLLW, 4, Y2);         \
	HIGH(VPSRLW, 0, Y1);         \
	VMOVDQU Y2, 128*h(DX);       \
	VMOVDQU Y1, 128*h+64(DX);    \
	HALVES(64*h+32(SI));         \
	HIGH(VPSLLW, 2, Y2);         \
	HIGH(VPSRLW, 2, Y1);         \
	VMOVDQU Y2, 128*h+32(DX);    \
	VMOVDQU Y1, 128*h+96(DX)

// The values are 32 too large, which the sums of the vector take back.
TEXT ·unpackQ6_K(SB), NOSPLIT, $0-24
	UNPACK
	BYTES(0x0f, X14, Y14)
	BYTES(0x30, X13, Y13)
	VPXOR X12, X12, X12

block:
	VPMOVSXBW 192(SI), Y10
	VMOVDQU   Y10, 512(DX)
	SCALESOF16(0)
	SCALESOF16(1)
	SCALESOF16(2)
	SCALESOF16(3)
	SCALESOF16(4)
	SCALESOF16(5)
	SCALESOF16(6)
	SCALESOF16(7)
	VPSLLW    $5, Y10, Y10
	VPSUBW    Y10, Y12, Y10
	VMOVDQU   Y10, 512(DX)
	VPBROADCASTW 208(SI), X4
	VCVTPH2PS X4, X4
	VMOVSS    X4, 544(DX)
	HALF6(0)
	HALF6(1)
	ADDQ      $210, SI
	ADDQ      $APART, DX
	DECQ      BX
	JNZ       block
	VZEROUPPER
	RET
