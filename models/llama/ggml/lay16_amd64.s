//go:build amd64

#include "textflag.h"

// Sixteen rows side by side, for AVX-512 with VNNI: what rows have in the same
// columns, four values each, lies in one register, so that a row has one sum,
// as llama.cpp's interleaved rows do. They are laid out for tiles, or
// multiplied by one vector at once.

// UNPACK takes func(dst, w *byte, stride, blocks int, few bool). Rows are
// stride bytes apart; few says that only eight are there, which then serve
// twice. AX, CX, DI and R9 are rows 0, 4, 8 and 12, R10 and R11 one and three
// rows.
#define UNPACK \
	MOVQ    dst+0(FP), DX;     \
	MOVQ    w+8(FP), AX;       \
	MOVQ    stride+16(FP), R10;\
	MOVQ    blocks+24(FP), BX; \
	MOVBLZX few+32(FP), R12;   \
	LEAQ    (R10)(R10*2), R11; \
	LEAQ    (AX)(R10*4), CX;   \
	LEAQ    (AX)(R10*8), DI;   \
	LEAQ    (CX)(R10*8), R9;   \
	TESTL   R12, R12;          \
	CMOVQNE AX, DI;            \
	CMOVQNE CX, R9

// ONE takes func(dst *float32, w *byte, rows int, values unsafe.Pointer, d
// *float32, sums *int16, blocks int): rows of some bytes a block by one vector.
// R12 is the rows left, DX the results, R14 the rows to be asked for ahead.
#define ONE(bytes) \
	MOVQ   dst+0(FP), DX;       \
	MOVQ   w+8(FP), AX;         \
	MOVQ   rows+16(FP), R12;    \
	MOVQ   blocks+48(FP), R10;  \
	IMUL3Q $bytes, R10, R10;    \
	LEAQ   (R10)(R10*2), R11;   \
	MOVQ   R10, R14;            \
	SHLQ   $4, R14;             \
	ADDQ   AX, R14

#define ONEROWS \
	LEAQ (AX)(R10*4), CX;     \
	LEAQ (AX)(R10*8), DI;     \
	LEAQ (CX)(R10*8), R9;     \
	MOVQ values+24(FP), SI;   \
	MOVQ d+32(FP), R8;        \
	MOVQ sums+40(FP), R13;    \
	MOVQ blocks+48(FP), BX

// BYTES sets every byte of z to b.
#define BYTES(b, x, z) \
	MOVL         $(b*0x01010101), R12; \
	VMOVD        R12, x;               \
	VPBROADCASTD x, z

#define FOUR(a, b, c, d, x, z) \
	VMOVDQU      a, x;         \
	VINSERTI32X4 $1, b, z, z;  \
	VINSERTI32X4 $2, c, z, z;  \
	VINSERTI32X4 $3, d, z, z

// SIXTEEN loads 16 bytes of each row.
#define SIXTEEN(at) \
	FOUR(at(AX), at(CX), at(DI), at(R9), X0, Z0);                             \
	FOUR(at(AX)(R10*1), at(CX)(R10*1), at(DI)(R10*1), at(R9)(R10*1), X1, Z1); \
	FOUR(at(AX)(R10*2), at(CX)(R10*2), at(DI)(R10*2), at(R9)(R10*2), X2, Z2); \
	FOUR(at(AX)(R11*1), at(CX)(R11*1), at(DI)(R11*1), at(R9)(R11*1), X3, Z3)

// TURN leaves the first four of each row's 16 bytes in Z0, the next in Z1, Z2
// and Z3.
#define TURN \
	VPUNPCKLDQ  Z1, Z0, Z4; \
	VPUNPCKHDQ  Z1, Z0, Z5; \
	VPUNPCKLDQ  Z3, Z2, Z6; \
	VPUNPCKHDQ  Z3, Z2, Z7; \
	VPUNPCKLQDQ Z6, Z4, Z0; \
	VPUNPCKHQDQ Z6, Z4, Z1; \
	VPUNPCKLQDQ Z7, Z5, Z2; \
	VPUNPCKHQDQ Z7, Z5, Z3

#define ADVANCE(size) \
	ADDQ $size, AX; \
	ADDQ $size, CX; \
	ADDQ $size, DI; \
	ADDQ $size, R9

// NIBBLES stores the low halves of the bytes of z at one place, and the high
// ones at another.
#define NIBBLES(z, low, high) \
	VPSRLW    $4, z, Z4;      \
	VPANDD    Z31, z, z;      \
	VPANDD    Z31, Z4, Z4;    \
	VMOVDQU64 z, low(DX);     \
	VMOVDQU64 Z4, high(DX)

// A block of 32 has eight times four values of each row, then the scales.
#define PANEL32 576

// SCALES32 stores the scales of blocks of 18 bytes.
#define SCALES32 \
	SIXTEEN(0);              \
	VPUNPCKLDQ  Z1, Z0, Z4;  \
	VPUNPCKLDQ  Z3, Z2, Z6;  \
	VPUNPCKLQDQ Z6, Z4, Z0;  \
	VPMOVDW     Z0, Y0;      \
	VCVTPH2PS   Y0, Z0;      \
	VMOVUPS     Z0, 512(DX)

TEXT ·wide16Q4_0(SB), NOSPLIT, $0-33
	UNPACK
	BYTES(0x0f, X31, Z31)

block:
	SCALES32
	SIXTEEN(2)
	TURN
	NIBBLES(Z0, 0, 256)
	NIBBLES(Z1, 64, 320)
	NIBBLES(Z2, 128, 384)
	NIBBLES(Z3, 192, 448)
	ADVANCE(18)
	ADDQ $PANEL32, DX
	DECQ BX
	JNZ  block
	VZEROUPPER
	RET

// The levels of IQ4_NL plus 128.
DATA levels<>+0(SB)/8, $0x766a5d4f3f2d1801
DATA levels<>+8(SB)/8, $0xf1d9c5b5a6998d81
GLOBL levels<>(SB), RODATA|NOPTR, $16

#define LEVELS(z, low, high) \
	VPSRLW    $4, z, Z4;      \
	VPANDD    Z31, z, z;      \
	VPANDD    Z31, Z4, Z4;    \
	VPSHUFB   z, Z30, z;      \
	VPSHUFB   Z4, Z30, Z4;    \
	VMOVDQU64 z, low(DX);     \
	VMOVDQU64 Z4, high(DX)

TEXT ·wide16IQ4_NL(SB), NOSPLIT, $0-33
	UNPACK
	BYTES(0x0f, X31, Z31)
	VBROADCASTI32X4 levels<>(SB), Z30

block:
	SCALES32
	SIXTEEN(2)
	TURN
	LEVELS(Z0, 0, 256)
	LEVELS(Z1, 64, 320)
	LEVELS(Z2, 128, 384)
	LEVELS(Z3, 192, 448)
	ADVANCE(18)
	ADDQ $PANEL32, DX
	DECQ BX
	JNZ  block
	VZEROUPPER
	RET

// A block of 256 has 64 times four values of each row; eight sub-scales; the
// smallest values as four pairs of words; the scales and those of the smallest
// values.
#define PANEL256 4992

// SUBSCALES stores four sub-scales, the bytes of z.
#define SUBSCALES(z, at) \
	VPANDD    Z29, z, Z4;    \
	VMOVDQU64 Z4, at(DX);    \
	VPSRLD    $8, z, Z4;     \
	VPANDD    Z29, Z4, Z4;   \
	VMOVDQU64 Z4, 64+at(DX); \
	VPSRLD    $16, z, Z4;    \
	VPANDD    Z29, Z4, Z4;   \
	VMOVDQU64 Z4, 128+at(DX);\
	VPSRLD    $24, z, Z4;    \
	VMOVDQU64 Z4, 192+at(DX)

// MINPAIR stores the low bytes of z, which it makes words.
#define MINPAIR(z, at) \
	VPSLLD    $8, z, Z5;     \
	VPANDD    Z29, z, Z4;    \
	VPANDD    Z28, Z5, Z5;   \
	VPORD     Z5, Z4, Z4;    \
	VMOVDQU64 Z4, at(DX)

#define MINS(z, at) \
	MINPAIR(z, at);     \
	VPSRLD $16, z, z;   \
	MINPAIR(z, 64+at)

#define QUARTER(j) \
	SIXTEEN(16+32*j);                             \
	TURN;                                         \
	NIBBLES(Z0, 1024*j, 1024*j+512);              \
	NIBBLES(Z1, 1024*j+64, 1024*j+576);           \
	NIBBLES(Z2, 1024*j+128, 1024*j+640);          \
	NIBBLES(Z3, 1024*j+192, 1024*j+704);          \
	SIXTEEN(32+32*j);                             \
	TURN;                                         \
	NIBBLES(Z0, 1024*j+256, 1024*j+768);          \
	NIBBLES(Z1, 1024*j+320, 1024*j+832);          \
	NIBBLES(Z2, 1024*j+384, 1024*j+896);          \
	NIBBLES(Z3, 1024*j+448, 1024*j+960)

TEXT ·wide16Q4_K(SB), NOSPLIT, $0-33
	UNPACK
	BYTES(0x0f, X31, Z31)
	BYTES(0x3f, X30, Z30)
	BYTES(0x30, X27, Z27)
	MOVL         $0xff, R12
	VMOVD        R12, X29
	VPBROADCASTD X29, Z29
	VPSLLD       $16, Z29, Z28

block:
	SIXTEEN(0)
	TURN
	VPSRLD    $16, Z0, Z4
	VPMOVDW   Z0, Y0
	VPMOVDW   Z4, Y4
	VCVTPH2PS Y0, Z0
	VCVTPH2PS Y4, Z4
	VMOVUPS   Z0, 4864(DX)
	VMOVUPS   Z4, 4928(DX)
	VPANDD    Z30, Z1, Z8  // sub-scales 0 to 3
	VPANDD    Z30, Z2, Z9  // smallest values 0 to 3
	VPSRLD    $2, Z1, Z1
	VPSRLD    $2, Z2, Z2
	VPSRLD    $4, Z3, Z10
	VPANDD    Z27, Z1, Z1
	VPANDD    Z27, Z2, Z2
	VPANDD    Z31, Z3, Z3
	VPANDD    Z31, Z10, Z10
	VPORD     Z1, Z3, Z11  // 4 to 7
	VPORD     Z2, Z10, Z12
	SUBSCALES(Z8, 4096)
	SUBSCALES(Z11, 4352)
	MINS(Z9, 4608)
	MINS(Z12, 4736)
	QUARTER(0)
	QUARTER(1)
	QUARTER(2)
	QUARTER(3)
	ADVANCE(144)
	ADDQ $PANEL256, DX
	DECQ BX
	JNZ  block
	VZEROUPPER
	RET

// NEXTROWS goes on to the next sixteen rows, and sets the flags for a jump if
// there are more.
#define NEXTROWS(sum) \
	VMOVUPS sum, (DX);    \
	ADDQ    $64, DX;      \
	LEAQ    (R9)(R11*1), AX; \
	SUBQ    $16, R12

// BOTH multiplies the low and the high halves of the bytes of z by values of
// the vector.
#define BOTH(z, low, high, sumlow, sumhigh) \
	VPSRLW        $4, z, Z4;            \
	VPANDD        Z31, z, z;            \
	VPANDD        Z31, Z4, Z4;          \
	VPDPBUSD.BCST low(SI), z, sumlow;   \
	VPDPBUSD.BCST high(SI), Z4, sumhigh

// The values are 8 too large, for which R13 has the sums of the vector.
TEXT ·rows16Q4_0WideVNNI(SB), NOSPLIT, $0-56
	ONE(18)
	MOVL         $0x0f0f0f0f, R15
	VPBROADCASTD R15, Z31

rows:
	ONEROWS
	VPXORD Z16, Z16, Z16

block:
	PREFETCHT0  (R14)
	PREFETCHT0  64(R14)
	PREFETCHT0  128(R14)
	PREFETCHT0  192(R14)
	PREFETCHT0  256(R14)
	SIXTEEN(0)
	VPUNPCKLDQ  Z1, Z0, Z4
	VPUNPCKLDQ  Z3, Z2, Z6
	VPUNPCKLQDQ Z6, Z4, Z0
	VPMOVDW     Z0, Y0
	VCVTPH2PS   Y0, Z20
	VMULPS.BCST (R8), Z20, Z20
	SIXTEEN(2)
	TURN
	VPXORD      Z22, Z22, Z22
	VPXORD      Z23, Z23, Z23
	BOTH(Z0, 0, 16, Z22, Z23)
	BOTH(Z1, 4, 20, Z22, Z23)
	BOTH(Z2, 8, 24, Z22, Z23)
	BOTH(Z3, 12, 28, Z22, Z23)
	MOVWLSX      (R13), R15
	VPADDD       Z23, Z22, Z22
	VPBROADCASTD R15, Z24
	MOVWLSX      2(R13), R15
	VPBROADCASTD R15, Z25
	VPADDD       Z25, Z24, Z24
	VPSLLD       $3, Z24, Z24
	VPSUBD       Z24, Z22, Z22
	VCVTDQ2PS    Z22, Z22
	VFMADD231PS  Z20, Z22, Z16
	ADVANCE(18)
	ADDQ         $288, R14
	ADDQ         $32, SI
	ADDQ         $4, R8
	ADDQ         $4, R13
	DECQ         BX
	JNZ          block
	NEXTROWS(Z16)
	JNZ          rows
	VZEROUPPER
	RET

// SCALE4 leaves the bytes of z as four sub-scales.
#define SCALE4(z, a, b, c, d) \
	VPANDD Z29, z, a;  \
	VPSRLD $8, z, b;   \
	VPSRLD $16, z, c;  \
	VPSRLD $24, z, d;  \
	VPANDD Z29, b, b;  \
	VPANDD Z29, c, c

// MINPRODUCT adds the products of the low bytes of z and pair i of the sums in
// X26.
#define MINPRODUCT(z, i) \
	VPSLLD       $8, z, Z5;     \
	VPANDD       Z29, z, Z4;    \
	VPANDD       Z28, Z5, Z5;   \
	VPORD        Z5, Z4, Z4;    \
	VPSHUFD      $(i*0x55), X26, X5; \
	VPBROADCASTD X5, Z5;        \
	VPDPWSSD     Z5, Z4, Z19

#define AHEAD9(at) \
	PREFETCHT0 at(R14);     \
	PREFETCHT0 64+at(R14);  \
	PREFETCHT0 128+at(R14); \
	PREFETCHT0 192+at(R14); \
	PREFETCHT0 256+at(R14); \
	PREFETCHT0 320+at(R14); \
	PREFETCHT0 384+at(R14); \
	PREFETCHT0 448+at(R14); \
	PREFETCHT0 512+at(R14)

#define QUARTERONE(j, low, high) \
	AHEAD9(576*j);                               \
	VPXORD  Z22, Z22, Z22;                       \
	VPXORD  Z23, Z23, Z23;                       \
	SIXTEEN(16+32*j);                            \
	TURN;                                        \
	BOTH(Z0, 64*j, 64*j+32, Z22, Z23);           \
	BOTH(Z1, 64*j+4, 64*j+36, Z22, Z23);         \
	BOTH(Z2, 64*j+8, 64*j+40, Z22, Z23);         \
	BOTH(Z3, 64*j+12, 64*j+44, Z22, Z23);        \
	SIXTEEN(32+32*j);                            \
	TURN;                                        \
	BOTH(Z0, 64*j+16, 64*j+48, Z22, Z23);        \
	BOTH(Z1, 64*j+20, 64*j+52, Z22, Z23);        \
	BOTH(Z2, 64*j+24, 64*j+56, Z22, Z23);        \
	BOTH(Z3, 64*j+28, 64*j+60, Z22, Z23);        \
	VPMULLD low, Z22, Z22;                       \
	VPMULLD high, Z23, Z23;                      \
	VPADDD  Z22, Z18, Z18;                       \
	VPADDD  Z23, Z18, Z18

// Z16 and Z17 are the sums and those of the offsets, Z18 and Z19 what a block
// adds to them.
TEXT ·rows16Q4_KWideVNNI(SB), NOSPLIT, $0-56
	ONE(144)
	MOVL         $0x0f0f0f0f, R15
	VPBROADCASTD R15, Z31
	MOVL         $0x3f3f3f3f, R15
	VPBROADCASTD R15, Z30
	MOVL         $0x30303030, R15
	VPBROADCASTD R15, Z27
	MOVL         $0xff, R15
	VPBROADCASTD R15, Z29
	VPSLLD       $16, Z29, Z28

rows:
	ONEROWS
	VPXORD Z16, Z16, Z16
	VPXORD Z17, Z17, Z17

block:
	SIXTEEN(0)
	TURN
	VPSRLD      $16, Z0, Z4
	VPMOVDW     Z0, Y0
	VPMOVDW     Z4, Y4
	VCVTPH2PS   Y0, Z20
	VCVTPH2PS   Y4, Z21
	VMULPS.BCST (R8), Z20, Z20
	VMULPS.BCST (R8), Z21, Z21
	VPANDD      Z30, Z1, Z22
	VPANDD      Z30, Z2, Z23
	VPSRLD      $2, Z1, Z1
	VPSRLD      $2, Z2, Z2
	VPSRLD      $4, Z3, Z24
	VPANDD      Z27, Z1, Z1
	VPANDD      Z27, Z2, Z2
	VPANDD      Z31, Z3, Z3
	VPANDD      Z31, Z24, Z24
	VPORD       Z1, Z3, Z3
	VPORD       Z2, Z24, Z24
	SCALE4(Z22, Z8, Z9, Z10, Z11)
	SCALE4(Z3, Z12, Z13, Z14, Z15)
	VMOVDQU     (R13), X0
	VPHADDW     16(R13), X0, X0
	VMOVDQU32   X0, X26
	VPXORD      Z18, Z18, Z18
	VPXORD      Z19, Z19, Z19
	MINPRODUCT(Z23, 0)
	VPSRLD      $16, Z23, Z23
	MINPRODUCT(Z23, 1)
	MINPRODUCT(Z24, 2)
	VPSRLD      $16, Z24, Z24
	MINPRODUCT(Z24, 3)
	QUARTERONE(0, Z8, Z9)
	QUARTERONE(1, Z10, Z11)
	QUARTERONE(2, Z12, Z13)
	QUARTERONE(3, Z14, Z15)
	VCVTDQ2PS   Z18, Z18
	VCVTDQ2PS   Z19, Z19
	VFMADD231PS Z20, Z18, Z16
	VFMADD231PS Z21, Z19, Z17
	ADVANCE(144)
	ADDQ        $2304, R14
	ADDQ        $256, SI
	ADDQ        $4, R8
	ADDQ        $32, R13
	DECQ        BX
	JNZ         block
	VSUBPS      Z17, Z16, Z16
	NEXTROWS(Z16)
	JNZ         rows
	VZEROUPPER
	RET
