//go:build amd64

#include "textflag.h"

// Products of integers, for AVX2 with FMA: rows of weights by one vector.
//
// func(dst *float32, w *byte, rows int, values unsafe.Pointer, d *float32, sums *int16, blocks int)
//
// SI is the weights, DI the 8-bit values of the vector, R9 its scales, R11 its
// sums, BX the blocks left and CX the rows left.

// word b of a lane, in every word.
DATA eachWord<>+0(SB)/8, $0x0100010001000100
DATA eachWord<>+8(SB)/8, $0x0100010001000100
DATA eachWord<>+16(SB)/8, $0x0100010001000100
DATA eachWord<>+24(SB)/8, $0x0100010001000100
DATA eachWord<>+32(SB)/8, $0x0302030203020302
DATA eachWord<>+40(SB)/8, $0x0302030203020302
DATA eachWord<>+48(SB)/8, $0x0302030203020302
DATA eachWord<>+56(SB)/8, $0x0302030203020302
DATA eachWord<>+64(SB)/8, $0x0504050405040504
DATA eachWord<>+72(SB)/8, $0x0504050405040504
DATA eachWord<>+80(SB)/8, $0x0504050405040504
DATA eachWord<>+88(SB)/8, $0x0504050405040504
DATA eachWord<>+96(SB)/8, $0x0706070607060706
DATA eachWord<>+104(SB)/8, $0x0706070607060706
DATA eachWord<>+112(SB)/8, $0x0706070607060706
DATA eachWord<>+120(SB)/8, $0x0706070607060706
DATA eachWord<>+128(SB)/8, $0x0908090809080908
DATA eachWord<>+136(SB)/8, $0x0908090809080908
DATA eachWord<>+144(SB)/8, $0x0908090809080908
DATA eachWord<>+152(SB)/8, $0x0908090809080908
DATA eachWord<>+160(SB)/8, $0x0b0a0b0a0b0a0b0a
DATA eachWord<>+168(SB)/8, $0x0b0a0b0a0b0a0b0a
DATA eachWord<>+176(SB)/8, $0x0b0a0b0a0b0a0b0a
DATA eachWord<>+184(SB)/8, $0x0b0a0b0a0b0a0b0a
DATA eachWord<>+192(SB)/8, $0x0d0c0d0c0d0c0d0c
DATA eachWord<>+200(SB)/8, $0x0d0c0d0c0d0c0d0c
DATA eachWord<>+208(SB)/8, $0x0d0c0d0c0d0c0d0c
DATA eachWord<>+216(SB)/8, $0x0d0c0d0c0d0c0d0c
DATA eachWord<>+224(SB)/8, $0x0f0e0f0e0f0e0f0e
DATA eachWord<>+232(SB)/8, $0x0f0e0f0e0f0e0f0e
DATA eachWord<>+240(SB)/8, $0x0f0e0f0e0f0e0f0e
DATA eachWord<>+248(SB)/8, $0x0f0e0f0e0f0e0f0e
GLOBL eachWord<>(SB), RODATA|NOPTR, $256
// word 2g of the lower lane and 2g+1 of the upper one, in every word of it.
DATA twoWords<>+0(SB)/8, $0x0100010001000100
DATA twoWords<>+8(SB)/8, $0x0100010001000100
DATA twoWords<>+16(SB)/8, $0x0302030203020302
DATA twoWords<>+24(SB)/8, $0x0302030203020302
DATA twoWords<>+32(SB)/8, $0x0504050405040504
DATA twoWords<>+40(SB)/8, $0x0504050405040504
DATA twoWords<>+48(SB)/8, $0x0706070607060706
DATA twoWords<>+56(SB)/8, $0x0706070607060706
DATA twoWords<>+64(SB)/8, $0x0908090809080908
DATA twoWords<>+72(SB)/8, $0x0908090809080908
DATA twoWords<>+80(SB)/8, $0x0b0a0b0a0b0a0b0a
DATA twoWords<>+88(SB)/8, $0x0b0a0b0a0b0a0b0a
DATA twoWords<>+96(SB)/8, $0x0d0c0d0c0d0c0d0c
DATA twoWords<>+104(SB)/8, $0x0d0c0d0c0d0c0d0c
DATA twoWords<>+112(SB)/8, $0x0f0e0f0e0f0e0f0e
DATA twoWords<>+120(SB)/8, $0x0f0e0f0e0f0e0f0e
GLOBL twoWords<>(SB), RODATA|NOPTR, $128
DATA nibble<>+0(SB)/4, $0x0f0f0f0f
GLOBL nibble<>(SB), RODATA|NOPTR, $4
DATA sixteen<>+0(SB)/4, $0x10101010
GLOBL sixteen<>(SB), RODATA|NOPTR, $4
DATA thirtyTwos<>+0(SB)/4, $0x30303030
GLOBL thirtyTwos<>(SB), RODATA|NOPTR, $4

#define ROWS \
	MOVQ dst+0(FP), DX;   \
	MOVQ w+8(FP), SI;     \
	MOVQ rows+16(FP), CX

#define OPERAND \
	MOVQ values+24(FP), DI; \
	MOVQ d+32(FP), R9;      \
	MOVQ sums+40(FP), R11;  \
	MOVQ blocks+48(FP), BX

// AHEAD asks for weights two pages ahead, past where the processor's own
// prefetchers stop. It never faults.
#define AHEAD(at) PREFETCHT0 (8192+at)(SI)

// LANES leaves the total of the eight lanes of Y0 in X0: four and four, then
// 0 and 2 and 1 and 3, then both.
#define LANES \
	VEXTRACTF128 $1, Y0, X2; \
	VADDPS       X2, X0, X0; \
	VMOVHLPS     X0, X0, X2; \
	VADDPS       X2, X0, X0; \
	VMOVSHDUP    X0, X2;     \
	VADDSS       X2, X0, X0

// PUT stores the result of a row, and sets the flags for a jump if there are
// more.
#define PUT \
	VMOVSS X0, (DX); \
	ADDQ   $4, DX;   \
	DECQ   CX

// SCALE sets y to the half at m times the float32 at (R9), in every lane.
#define SCALE(m, x, y) \
	VPBROADCASTW m, x;        \
	VCVTPH2PS    x, y;        \
	VBROADCASTSS (R9), Y5;    \
	VMULPS       Y5, y, y

// TOTAL adds the eight int32 of y up, and leaves the sum in every lane of x.
#define TOTAL(y, x, tx) \
	VEXTRACTI128 $1, y, tx;     \
	VPADDD       tx, x, x;      \
	VPSHUFD      $0x4e, x, tx;  \
	VPADDD       tx, x, x;      \
	VPSHUFD      $0xb1, x, tx;  \
	VPADDD       tx, x, x

// SIGNED multiplies the signed values in w by those at (DI), and leaves the
// sums of four products each in w. Y15 holds words of 1.
#define SIGNED(w) \
	VMOVDQU    (DI), Y2;   \
	VPSIGNB    w, Y2, Y3;  \
	VPABSB     w, w;       \
	VPMADDUBSW Y3, w, w;   \
	VPMADDWD   Y15, w, w

#define ONES \
	VPCMPEQW Y15, Y15, Y15; \
	VPSRLW   $15, Y15, Y15

TEXT ·rowsQ8_0(SB), NOSPLIT, $0-56
	ROWS
	ONES

row:
	OPERAND
	VXORPS Y0, Y0, Y0

block:
	AHEAD(0)
	VMOVDQU     2(SI), Y1
	SIGNED(Y1)
	VCVTDQ2PS   Y1, Y1
	SCALE((SI), X4, Y4)
	VFMADD231PS Y4, Y1, Y0
	ADDQ        $34, SI
	ADDQ        $32, DI
	ADDQ        $4, R9
	DECQ        BX
	JNZ         block
	LANES
	PUT
	JNZ         row
	VZEROUPPER
	RET

// NIBBLES takes the 16 bytes at m apart to 32 values in y.
#define NIBBLES(m, x, y, tx, ty) \
	VMOVDQU     m, x;          \
	VPSRLW      $4, x, tx;     \
	VINSERTI128 $1, tx, y, y;  \
	VPAND       Y14, y, y

// rowsQ4_0Wide multiplies rows one by one, with one sum each. The values are
// 8 too large, for which R11 has the sums of each block of the vector.
TEXT ·rowsQ4_0Wide(SB), NOSPLIT, $0-56
	ROWS
	ONES
	VPBROADCASTD nibble<>(SB), Y14

row:
	OPERAND
	VXORPS X0, X0, X0

block:
	AHEAD(0)
	NIBBLES(2(SI), X1, Y1, X2, Y2)
	VPMADDUBSW  (DI), Y1, Y1
	VPMADDWD    Y15, Y1, Y1
	TOTAL(Y1, X1, X2)
	MOVWLSX     (R11), AX
	MOVWLSX     2(R11), R10
	ADDL        R10, AX
	SHLL        $3, AX
	VMOVD       AX, X2
	VPSUBD      X2, X1, X1
	VCVTDQ2PS   X1, X1
	SCALE((SI), X4, Y4)
	VFMADD231SS X4, X1, X0
	ADDQ        $18, SI
	ADDQ        $32, DI
	ADDQ        $4, R9
	ADDQ        $4, R11
	DECQ        BX
	JNZ         block
	PUT
	JNZ         row
	VZEROUPPER
	RET

// PRODUCT takes the 16 bytes at m apart and multiplies them by the vector.
#define PRODUCT(m, x, y) \
	NIBBLES(m, x, y, X9, Y9); \
	VPMADDUBSW (DI), y, y;    \
	VPMADDWD   Y15, y, y

// Four rows at a time, the rows at SI and 1 to 3 times R8 after it: X0 has
// their sums. The number of rows is a multiple of four.
TEXT ·rows4Q4_0Wide(SB), NOSPLIT, $0-56
	ROWS
	ONES
	VPBROADCASTD nibble<>(SB), Y14
	MOVQ         blocks+48(FP), R8
	IMUL3Q       $18, R8, R8
	LEAQ         (R8)(R8*2), R13

rows:
	OPERAND
	VXORPS X0, X0, X0

block:
	AHEAD(0)
	PREFETCHT0 8192(SI)(R8*1)
	PREFETCHT0 8192(SI)(R8*2)
	PREFETCHT0 8192(SI)(R13*1)
	PRODUCT(2(SI), X1, Y1)
	PRODUCT(2(SI)(R8*1), X2, Y2)
	PRODUCT(2(SI)(R8*2), X3, Y3)
	PRODUCT(2(SI)(R13*1), X4, Y4)
	VPHADDD      Y2, Y1, Y1
	VPHADDD      Y4, Y3, Y3
	VPHADDD      Y3, Y1, Y1
	VEXTRACTI128 $1, Y1, X2
	VPADDD       X2, X1, X1
	MOVWLSX      (R11), AX
	MOVWLSX      2(R11), R10
	ADDL         R10, AX
	SHLL         $3, AX
	VMOVD        AX, X2
	VPBROADCASTD X2, X2
	VPSUBD       X2, X1, X1
	VCVTDQ2PS    X1, X1
	VPXOR        X5, X5, X5
	VPINSRW      $0, (SI), X5, X5
	VPINSRW      $1, (SI)(R8*1), X5, X5
	VPINSRW      $2, (SI)(R8*2), X5, X5
	VPINSRW      $3, (SI)(R13*1), X5, X5
	VCVTPH2PS    X5, X5
	VBROADCASTSS (R9), X6
	VMULPS       X6, X5, X5
	VFMADD231PS  X5, X1, X0
	ADDQ         $18, SI
	ADDQ         $32, DI
	ADDQ         $4, R9
	ADDQ         $4, R11
	DECQ         BX
	JNZ          block
	VMOVUPS      X0, (DX)
	ADDQ         $16, DX
	ADDQ         R13, SI
	SUBQ         $4, CX
	JNZ          rows
	VZEROUPPER
	RET

// SUBS leaves the eight sub-scales of a Q4_K or Q5_K block as words in both
// lanes of Y10, and the products of the smallest values with the sums of each
// 32, in pairs, in X11.
#define SUBS \
	MOVL        4(SI), AX;         \
	MOVL        8(SI), R10;        \
	MOVL        12(SI), R12;       \
	MOVL        AX, R13;           \
	MOVL        R10, R14;          \
	MOVL        R12, R15;          \
	SHRL        $2, AX;            \
	SHRL        $2, R10;           \
	SHRL        $4, R15;           \
	ANDL        $0x3f3f3f3f, R13;  \
	ANDL        $0x3f3f3f3f, R14;  \
	ANDL        $0x30303030, AX;   \
	ANDL        $0x30303030, R10;  \
	ANDL        $0x0f0f0f0f, R12;  \
	ANDL        $0x0f0f0f0f, R15;  \
	ORL         AX, R12;           \
	ORL         R10, R15;          \
	SHLQ        $32, R12;          \
	SHLQ        $32, R15;          \
	ORQ         R13, R12;          \
	ORQ         R14, R15;          \
	VMOVQ       R12, X10;          \
	VMOVQ       R15, X11;          \
	VPMOVZXBW   X10, X10;          \
	VPMOVZXBW   X11, X11;          \
	VMOVDQU     (R11), X12;        \
	VPHADDW     16(R11), X12, X12; \
	VINSERTI128 $1, X10, Y10, Y10; \
	VPMADDWD    X12, X11, X11

// SCALED multiplies the unsigned values in q by those of the vector, and adds
// the sums of four products, times the sub-scale that shuf picks from s, to
// Y8.
#define SCALED(q, at, shuf, s) \
	VPMADDUBSW at(DI), q, q; \
	VPSHUFB    shuf, s, Y3;  \
	VPMADDWD   Y3, q, q;     \
	VPADDD     q, Y8, Y8

#define QUARTER4(j) \
	VMOVDQU 16+32*j(SI), Y1;                    \
	VPAND   Y14, Y1, Y2;                        \
	VPSRLW  $4, Y1, Y1;                         \
	VPAND   Y14, Y1, Y1;                        \
	SCALED(Y2, 64*j, eachWord<>+64*j(SB), Y10);       \
	SCALED(Y1, 64*j+32, eachWord<>+64*j+32(SB), Y10)

// BLOCK4 leaves the lanes of a Q4_K block in Y8.
#define BLOCK4 \
	AHEAD(0);          \
	AHEAD(64);         \
	AHEAD(128);        \
	SUBS;              \
	VPXOR Y8, Y8, Y8;  \
	QUARTER4(0);       \
	QUARTER4(1);       \
	QUARTER4(2);       \
	QUARTER4(3)

// NEXT goes on to the next block of 256, of size bytes.
#define NEXT(size) \
	ADDQ $size, SI; \
	ADDQ $256, DI;  \
	ADDQ $4, R9;    \
	ADDQ $32, R11;  \
	DECQ BX

// HALVES sets x to the two halves at m times the float32 at (R9), in its
// first two lanes.
#define HALVES(m, x) \
	VMOVD        m, x;      \
	VCVTPH2PS    x, x;      \
	VBROADCASTSS (R9), X5;  \
	VMULPS       X5, x, x

// With one sum each: X0 has that of a row and that of its offsets.
TEXT ·rowsQ4_KWide(SB), NOSPLIT, $0-56
	ROWS
	VPBROADCASTD nibble<>(SB), Y14

row:
	OPERAND
	VXORPS X0, X0, X0

block:
	BLOCK4
	TOTAL(Y8, X8, X9)
	VPSHUFD     $0x4e, X11, X12
	VPADDD      X12, X11, X11
	VPSHUFD     $0xb1, X11, X12
	VPADDD      X12, X11, X11
	VPUNPCKLDQ  X11, X8, X8
	VCVTDQ2PS   X8, X8
	HALVES((SI), X4)
	VFMADD231PS X4, X8, X0
	NEXT(144)
	JNZ         block
	VMOVSHDUP   X0, X1
	VSUBSS      X1, X0, X0
	PUT
	JNZ         row
	VZEROUPPER
	RET

// In lanes: Y0 has those of a row, X7 four of its offsets.
TEXT ·rowsQ4_K(SB), NOSPLIT, $0-56
	ROWS
	VPBROADCASTD nibble<>(SB), Y14

row:
	OPERAND
	VXORPS Y0, Y0, Y0
	VXORPS X7, X7, X7

block:
	BLOCK4
	VCVTDQ2PS    Y8, Y8
	VCVTDQ2PS    X11, X11
	SCALE((SI), X4, Y4)
	VFMADD231PS  Y4, Y8, Y0
	SCALE(2(SI), X4, Y4)
	VFNMADD231PS X4, X11, X7
	NEXT(144)
	JNZ          block
	LANES
	VMOVHLPS     X7, X7, X2
	VADDPS       X2, X7, X7
	VMOVSHDUP    X7, X2
	VADDSS       X2, X7, X7
	VADDSS       X7, X0, X0
	PUT
	JNZ          row
	VZEROUPPER
	RET

// FIFTH adds the fifth bits of a sub-block to q: those of Y6, moved to their
// place by a shift.
#define FIFTH(shift, n, q) \
	shift  $n, Y6, Y3;   \
	VPAND  Y13, Y3, Y3;  \
	VPOR   Y3, q, q

#define QUARTER5(j, even, n, odd, m) \
	VMOVDQU 48+32*j(SI), Y1;                    \
	VPAND   Y14, Y1, Y2;                        \
	VPSRLW  $4, Y1, Y1;                         \
	VPAND   Y14, Y1, Y1;                        \
	FIFTH(even, n, Y2);                         \
	FIFTH(odd, m, Y1);                          \
	SCALED(Y2, 64*j, eachWord<>+64*j(SB), Y10);       \
	SCALED(Y1, 64*j+32, eachWord<>+64*j+32(SB), Y10)

// Y0 has the lanes of a row, X7 the sum of its offsets.
TEXT ·rowsQ5_K(SB), NOSPLIT, $0-56
	ROWS
	VPBROADCASTD nibble<>(SB), Y14
	VPBROADCASTD sixteen<>(SB), Y13

row:
	OPERAND
	VXORPS Y0, Y0, Y0
	VXORPS X7, X7, X7

block:
	AHEAD(0)
	AHEAD(64)
	AHEAD(128)
	SUBS
	VPXOR        Y8, Y8, Y8
	VMOVDQU      16(SI), Y6
	QUARTER5(0, VPSLLW, 4, VPSLLW, 3)
	QUARTER5(1, VPSLLW, 2, VPSLLW, 1)
	QUARTER5(2, VPSRLW, 0, VPSRLW, 1)
	QUARTER5(3, VPSRLW, 2, VPSRLW, 3)
	VPSHUFD      $0x4e, X11, X12
	VPADDD       X12, X11, X11
	VPSHUFD      $0xb1, X11, X12
	VPADDD       X12, X11, X11
	VCVTDQ2PS    Y8, Y8
	VCVTDQ2PS    X11, X11
	SCALE((SI), X4, Y4)
	VFMADD231PS  Y4, Y8, Y0
	SCALE(2(SI), X4, Y4)
	VFNMADD231SS X4, X11, X7
	NEXT(176)
	JNZ          block
	LANES
	VADDSS       X7, X0, X0
	PUT
	JNZ          row
	VZEROUPPER
	RET

// SIXTH makes the 32 six-bit values of a sub-block in y from the low halves
// there and the high bits in Y6, moved to their place by a shift.
#define SIXTH(shift, n, y) \
	VPAND  Y14, y, y;    \
	shift  $n, Y6, Y3;   \
	VPAND  Y13, Y3, Y3;  \
	VPOR   Y3, y, y

#define HALF6(h, s) \
	VMOVDQU 128+32*h(SI), Y6;                      \
	VMOVDQU 64*h(SI), Y1;                          \
	VMOVDQU 64*h+32(SI), Y2;                       \
	VPSRLW  $4, Y1, Y4;                            \
	VPSRLW  $4, Y2, Y5;                            \
	SIXTH(VPSLLW, 4, Y1);                          \
	SIXTH(VPSLLW, 2, Y2);                          \
	SIXTH(VPSRLW, 0, Y4);                          \
	SIXTH(VPSRLW, 2, Y5);                          \
	SCALED(Y1, 128*h, twoWords<>+0(SB), s);        \
	SCALED(Y2, 128*h+32, twoWords<>+32(SB), s);    \
	SCALED(Y4, 128*h+64, twoWords<>+64(SB), s);    \
	SCALED(Y5, 128*h+96, twoWords<>+96(SB), s)

// The values are 32 too large, which the sums of the vector take back.
TEXT ·rowsQ6_K(SB), NOSPLIT, $0-56
	ROWS
	VPBROADCASTD nibble<>(SB), Y14
	VPBROADCASTD thirtyTwos<>(SB), Y13

row:
	OPERAND
	VXORPS Y0, Y0, Y0

block:
	AHEAD(0)
	AHEAD(64)
	AHEAD(128)
	AHEAD(192)
	VPXOR       Y8, Y8, Y8
	VPMOVSXBW   192(SI), Y10
	VPERMQ      $0x44, Y10, Y11
	VPERMQ      $0xee, Y10, Y12
	HALF6(0, Y11)
	HALF6(1, Y12)
	VPMADDWD    (R11), Y10, Y10
	VPSLLD      $5, Y10, Y10
	VPSUBD      Y10, Y8, Y8
	VCVTDQ2PS   Y8, Y8
	SCALE(208(SI), X4, Y4)
	VFMADD231PS Y4, Y8, Y0
	NEXT(210)
	JNZ         block
	LANES
	PUT
	JNZ         row
	VZEROUPPER
	RET

// Products of floats: BX counts 32 elements, in Y0 to Y3 are their sums.

#define FLOATS(a, b, c, d) \
	VFMADD231PS (DI), a, Y0;   \
	VFMADD231PS 32(DI), b, Y1; \
	VFMADD231PS 64(DI), c, Y2; \
	VFMADD231PS 96(DI), d, Y3; \
	ADDQ        $128, DI;      \
	DECQ        BX

#define FLOATROW \
	MOVQ   values+24(FP), DI; \
	MOVQ   blocks+48(FP), BX; \
	VXORPS Y0, Y0, Y0; \
	VXORPS Y1, Y1, Y1; \
	VXORPS Y2, Y2, Y2; \
	VXORPS Y3, Y3, Y3

#define FOUR \
	VADDPS Y2, Y0, Y0; \
	VADDPS Y3, Y1, Y1; \
	VADDPS Y1, Y0, Y0

// NEIGHBOURS is LANES with 0 and 1 and 2 and 3 first.
#define NEIGHBOURS \
	VEXTRACTF128 $1, Y0, X2; \
	VADDPS       X2, X0, X0; \
	VMOVSHDUP    X0, X2;     \
	VADDPS       X2, X0, X0; \
	VMOVHLPS     X0, X0, X2; \
	VADDSS       X2, X0, X0

TEXT ·rowsF32(SB), NOSPLIT, $0-56
	ROWS

row:
	FLOATROW

step:
	AHEAD(0)
	AHEAD(64)
	VMOVUPS (SI), Y4
	VMOVUPS 32(SI), Y5
	VMOVUPS 64(SI), Y6
	VMOVUPS 96(SI), Y7
	ADDQ    $128, SI
	FLOATS(Y4, Y5, Y6, Y7)
	JNZ     step
	FOUR
	NEIGHBOURS
	PUT
	JNZ     row
	VZEROUPPER
	RET

TEXT ·rowsF16(SB), NOSPLIT, $0-56
	ROWS

row:
	FLOATROW

step:
	AHEAD(0)
	VCVTPH2PS (SI), Y4
	VCVTPH2PS 16(SI), Y5
	VCVTPH2PS 32(SI), Y6
	VCVTPH2PS 48(SI), Y7
	ADDQ      $64, SI
	FLOATS(Y4, Y5, Y6, Y7)
	JNZ       step
	FOUR
	NEIGHBOURS
	PUT
	JNZ       row
	VZEROUPPER
	RET

#define WIDENBF16(at, y) \
	VPMOVZXWD at(SI), y; \
	VPSLLD    $16, y, y

TEXT ·rowsBF16(SB), NOSPLIT, $0-56
	ROWS

row:
	FLOATROW

step:
	AHEAD(0)
	WIDENBF16(0, Y4)
	WIDENBF16(16, Y5)
	WIDENBF16(32, Y6)
	WIDENBF16(48, Y7)
	ADDQ      $64, SI
	FLOATS(Y4, Y5, Y6, Y7)
	JNZ       step
	FOUR
	LANES
	PUT
	JNZ       row
	VZEROUPPER
	RET
