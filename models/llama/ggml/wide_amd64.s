//go:build amd64

#include "textflag.h"

// Interleaved rows by four vectors, sixteen rows at a time that lie side by
// side, for AVX-512 with VNNI:
//
// func(dst *float32, stride int, w *byte, rows int, q unsafe.Pointer, d *float32, sums *int16, blocks int)
//
// rows has a bit for each row that is to be stored. Vectors follow one
// another, as do their sums; scales are those of the four vectors for a block,
// then for the next.

#define ARGS(n, m) \
	MOVQ   dst+0(FP), DX;      \
	MOVQ   stride+8(FP), AX;   \
	MOVQ   w+16(FP), SI;       \
	MOVQ   rows+24(FP), CX;    \
	MOVQ   q+32(FP), DI;       \
	MOVQ   d+40(FP), R9;       \
	MOVQ   sums+48(FP), R11;   \
	MOVQ   blocks+56(FP), BX;  \
	KMOVW  CX, K1;             \
	IMUL3Q $n, BX, R8;    \
	LEAQ   (R8)(R8*2), R13;    \
	IMUL3Q $m, BX, R10;     \
	LEAQ   (R10)(R10*2), R12;  \
	LEAQ   (AX)(AX*2), CX

#define CLEAR4(a, b, c, d) \
	VPXORD a, a, a; \
	VPXORD b, b, b; \
	VPXORD c, c, c; \
	VPXORD d, d, d

// FOURVALUES multiplies four values of each row by those of each vector.
#define FOURVALUES(w, at) \
	VMOVDQU64     w(SI), Z16;                \
	VPDPBUSD.BCST at(DI), Z16, Z0;           \
	VPDPBUSD.BCST at(DI)(R8*1), Z16, Z1;     \
	VPDPBUSD.BCST at(DI)(R8*2), Z16, Z2;     \
	VPDPBUSD.BCST at(DI)(R13*1), Z16, Z3

#define VALUES32(w, at) \
	FOURVALUES(w, at);          \
	FOURVALUES(w+64, at+4);     \
	FOURVALUES(w+128, at+8);    \
	FOURVALUES(w+192, at+12);   \
	FOURVALUES(w+256, at+16);   \
	FOURVALUES(w+320, at+20);   \
	FOURVALUES(w+384, at+24);   \
	FOURVALUES(w+448, at+28)

// ADD adds the integers in z, times the scale of vector v and those of rows in
// d, to sum.
#define ADD(z, d, v, sum) \
	VMULPS.BCST 4*v(R9), d, Z18; \
	VCVTDQ2PS   z, z;            \
	VFMADD231PS Z18, z, sum

#define PUT(a, b, c, d) \
	VMOVUPS a, K1, (DX);        \
	VMOVUPS b, K1, (DX)(AX*1);  \
	VMOVUPS c, K1, (DX)(AX*2);  \
	VMOVUPS d, K1, (DX)(CX*1)

// LESS takes the sum of a vector at m, which a shift makes what the values are
// too large by, from z.
#define LESS(m, shift, z) \
	VPBROADCASTD m, Z18;        \
	VPSLLD       shift, Z18, Z18; \
	VPSUBD       Z18, z, z

#define TILE32(shift) \
	ARGS(32, 4);                   \
	CLEAR4(Z8, Z9, Z10, Z11);      \
block:                                 \
	CLEAR4(Z0, Z1, Z2, Z3);        \
	VALUES32(0, 0);                \
	VMOVUPS 512(SI), Z17;          \
	LESS((R11), shift, Z0);        \
	LESS((R11)(R10*1), shift, Z1); \
	LESS((R11)(R10*2), shift, Z2); \
	LESS((R11)(R12*1), shift, Z3); \
	ADD(Z0, Z17, 0, Z8);           \
	ADD(Z1, Z17, 1, Z9);           \
	ADD(Z2, Z17, 2, Z10);          \
	ADD(Z3, Z17, 3, Z11);          \
	ADDQ $576, SI;             \
	ADDQ $32, DI;                  \
	ADDQ $16, R9;                  \
	ADDQ $4, R11;                  \
	DECQ BX;                       \
	JNZ  block;                    \
	PUT(Z8, Z9, Z10, Z11);         \
	VZEROUPPER;                    \
	RET

TEXT ·tileWideQ4_0VNNI(SB), NOSPLIT, $0-64
	TILE32($3)

TEXT ·tileWideIQ4_NLVNNI(SB), NOSPLIT, $0-64
	TILE32($7)

// SUB takes 32 values, and adds them times their sub-scale to Z4 to Z7.
#define SUB(g) \
	CLEAR4(Z0, Z1, Z2, Z3);      \
	VALUES32(512*g, 32*g);       \
	VMOVDQU64 4096+64*g(SI), Z17;\
	VPMULLD Z17, Z0, Z0;         \
	VPMULLD Z17, Z1, Z1;         \
	VPMULLD Z17, Z2, Z2;         \
	VPMULLD Z17, Z3, Z3;         \
	VPADDD  Z0, Z4, Z4;          \
	VPADDD  Z1, Z5, Z5;          \
	VPADDD  Z2, Z6, Z6;          \
	VPADDD  Z3, Z7, Z7

// MINSOF adds the products of two smallest values of each row and two sums of
// each vector.
#define MINSOF(i) \
	VMOVDQU64     4608+64*i(SI), Z16;         \
	VPDPWSSD.BCST 4*i(R11), Z16, Z0;          \
	VPDPWSSD.BCST 4*i(R11)(R10*1), Z16, Z1;   \
	VPDPWSSD.BCST 4*i(R11)(R10*2), Z16, Z2;   \
	VPDPWSSD.BCST 4*i(R11)(R12*1), Z16, Z3

TEXT ·tileWideQ4_KVNNI(SB), NOSPLIT, $0-64
	ARGS(256, 16)
	CLEAR4(Z8, Z9, Z10, Z11)
	CLEAR4(Z12, Z13, Z14, Z15)

block:
	CLEAR4(Z4, Z5, Z6, Z7)
	SUB(0)
	SUB(1)
	SUB(2)
	SUB(3)
	SUB(4)
	SUB(5)
	SUB(6)
	SUB(7)
	CLEAR4(Z0, Z1, Z2, Z3)
	MINSOF(0)
	MINSOF(1)
	MINSOF(2)
	MINSOF(3)
	VMOVUPS 4864(SI), Z17
	ADD(Z4, Z17, 0, Z8)
	ADD(Z5, Z17, 1, Z9)
	ADD(Z6, Z17, 2, Z10)
	ADD(Z7, Z17, 3, Z11)
	VMOVUPS 4928(SI), Z17
	ADD(Z0, Z17, 0, Z12)
	ADD(Z1, Z17, 1, Z13)
	ADD(Z2, Z17, 2, Z14)
	ADD(Z3, Z17, 3, Z15)
	ADDQ    $4992, SI
	ADDQ    $256, DI
	ADDQ    $16, R9
	ADDQ    $16, R11
	DECQ    BX
	JNZ     block
	VSUBPS  Z12, Z8, Z8
	VSUBPS  Z13, Z9, Z9
	VSUBPS  Z14, Z10, Z10
	VSUBPS  Z15, Z11, Z11
	PUT(Z8, Z9, Z10, Z11)
	VZEROUPPER
	RET
