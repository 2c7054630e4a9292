//go:build amd64

#include "textflag.h"

// Vectors rounded to 8 bits, for AVX2.

DATA natural<>+0(SB)/4, $0
DATA natural<>+4(SB)/4, $4
DATA natural<>+8(SB)/4, $1
DATA natural<>+12(SB)/4, $5
DATA natural<>+16(SB)/4, $2
DATA natural<>+20(SB)/4, $6
DATA natural<>+24(SB)/4, $3
DATA natural<>+28(SB)/4, $7
GLOBL natural<>(SB), RODATA|NOPTR, $32

#define CONSTANTS \
	MOVL         $0x42fe0000, AX; \
	VMOVD        AX, X8;          \
	VPBROADCASTD X8, Y8;          \
	MOVL         $0xc2fe0000, AX; \
	VMOVD        AX, X9;          \
	VPBROADCASTD X9, Y9;          \
	VPCMPEQD     Y10, Y10, Y10;   \
	VPSRLD       $1, Y10, Y10;    \
	VPCMPEQW     Y11, Y11, Y11;   \
	VPSRLW       $15, Y11, Y11;   \
	VPCMPEQB     Y12, Y12, Y12;   \
	VPABSB       Y12, Y12;        \
	VMOVDQU      natural<>(SB), Y13

// EIGHT rounds eight elements times Y7: at least -127, which NaN becomes, and
// at most 127.
#define EIGHT(m, y) \
	VMULPS    m, Y7, y;  \
	VMAXPS    Y9, y, y;  \
	VMINPS    Y8, y, y;  \
	VCVTPS2DQ y, y

// ROUND32 stores 32 elements at q as bytes, which stay in Y0, and leaves the
// sums of 16 in the low words of X1 and X2.
#define ROUND32(at, q) \
	EIGHT(at(SI), Y0);           \
	EIGHT(at+32(SI), Y1);        \
	EIGHT(at+64(SI), Y2);        \
	EIGHT(at+96(SI), Y3);        \
	VPACKSSDW    Y1, Y0, Y0;     \
	VPACKSSDW    Y3, Y2, Y2;     \
	VPACKSSWB    Y2, Y0, Y0;     \
	VPERMD       Y0, Y13, Y0;    \
	VMOVDQU      Y0, q(DI);      \
	VPMADDUBSW   Y0, Y12, Y1;    \
	VPMADDWD     Y11, Y1, Y1;    \
	VPHADDD      Y1, Y1, Y1;     \
	VPHADDD      Y1, Y1, Y1;     \
	VEXTRACTI128 $1, Y1, X2

// LARGEST makes the elements of y at least the absolute values at m; NaN is
// passed over.
#define LARGEST(m, t, y) \
	VANDPS m, Y10, t; \
	VMAXPS y, t, y

// TOP leaves the largest element of y in all elements of x, which is its
// lower half.
#define TOP(y, x, t) \
	VEXTRACTF128 $1, y, t;     \
	VMAXPS       t, x, x;      \
	VPERMILPS    $0x4e, x, t;  \
	VMAXPS       t, x, x;      \
	VPERMILPS    $0xb1, x, t;  \
	VMAXPS       t, x, x

// func quantise32AVX2(q *int8, raised *uint8, d *float32, sums *int16, x *float32, blocks int)
//
// raised are the values plus 128.
TEXT ·quantise32AVX2(SB), NOSPLIT, $0-48
	MOVQ q+0(FP), DI
	MOVQ raised+8(FP), R8
	MOVQ d+16(FP), R9
	MOVQ sums+24(FP), R10
	MOVQ x+32(FP), SI
	MOVQ blocks+40(FP), BX
	CONSTANTS
	VPSLLW $7, Y12, Y14 // 128 in each byte

block:
	VXORPS       Y4, Y4, Y4
	LARGEST((SI), Y0, Y4)
	LARGEST(32(SI), Y1, Y4)
	LARGEST(64(SI), Y2, Y4)
	LARGEST(96(SI), Y3, Y4)
	TOP(Y4, X4, X5)
	VDIVSS       X8, X4, X5 // top/127
	VMOVSS       X5, (R9)
	VDIVSS       X4, X8, X6 // 127/top, or 0
	VXORPS       X5, X5, X5
	VCMPSS       $4, X5, X4, X5
	VANDPS       X5, X6, X6
	VBROADCASTSS X6, Y7
	ROUND32(0, 0)
	VPXOR        Y14, Y0, Y0
	VMOVDQU      Y0, (R8)
	VPEXTRW      $0, X1, (R10)
	VPEXTRW      $0, X2, 2(R10)
	ADDQ         $128, SI
	ADDQ         $32, DI
	ADDQ         $32, R8
	ADDQ         $4, R9
	ADDQ         $4, R10
	DECQ         BX
	JNZ          block
	VZEROUPPER
	RET

#define PART(g) \
	ROUND32(128*g, 32*g);          \
	VPEXTRW $0, X1, (4*g)(R10);    \
	VPEXTRW $0, X2, (4*g+2)(R10)

// func quantise256AVX2(q *int8, d *float32, sums *int16, x *float32, blocks int)
TEXT ·quantise256AVX2(SB), NOSPLIT, $0-40
	MOVQ q+0(FP), DI
	MOVQ d+8(FP), R9
	MOVQ sums+16(FP), R10
	MOVQ x+24(FP), SI
	MOVQ blocks+32(FP), BX
	CONSTANTS

block:
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	MOVQ   SI, R8
	MOVL   $8, CX

largest:
	LARGEST((R8), Y0, Y4)
	LARGEST(32(R8), Y1, Y5)
	LARGEST(64(R8), Y2, Y4)
	LARGEST(96(R8), Y3, Y5)
	ADDQ   $128, R8
	DECL   CX
	JNZ    largest
	VMAXPS Y5, Y4, Y4
	TOP(Y4, X4, X5)
	VXORPS X7, X7, X7
	VMOVSS X7, (R9)
	VUCOMISS X7, X4
	JE     round

	// The first of that magnitude: R8 counts the bytes before it.
	VBROADCASTSS X4, Y4
	XORL         R8, R8

find:
	VANDPS    (SI)(R8*1), Y10, Y0
	VCMPPS    $0, Y4, Y0, Y0
	VMOVMSKPS Y0, AX
	ADDQ      $32, R8
	TESTL     AX, AX
	JZ        find
	BSFL      AX, AX
	LEAQ      -32(R8)(AX*4), R8
	VDIVSS    (SI)(R8*1), X9, X7
	MOVL      $0x3f800000, AX
	VMOVD     AX, X6
	VDIVSS    X7, X6, X6
	VMOVSS    X6, (R9)

round:
	VBROADCASTSS X7, Y7
	PART(0)
	PART(1)
	PART(2)
	PART(3)
	PART(4)
	PART(5)
	PART(6)
	PART(7)
	ADDQ         $1024, SI
	ADDQ         $256, DI
	ADDQ         $4, R9
	ADDQ         $32, R10
	DECQ         BX
	JNZ          block
	VZEROUPPER
	RET
