//go:build amd64

#include "textflag.h"

// Functions of vectors, for AVX2 with FMA and F16C. Lengths are multiples of
// eight, and not 0.

DATA magic<>+0(SB)/4, $0x4b400000
GLOBL magic<>(SB), RODATA|NOPTR, $4
DATA log2e<>+0(SB)/4, $0x3fb8aa3b
GLOBL log2e<>(SB), RODATA|NOPTR, $4
DATA ln2hi<>+0(SB)/4, $0x3f317200
GLOBL ln2hi<>(SB), RODATA|NOPTR, $4
DATA ln2lo<>+0(SB)/4, $0x35bfbe8e
GLOBL ln2lo<>(SB), RODATA|NOPTR, $4
DATA c1<>+0(SB)/4, $0x3f7ffff6
GLOBL c1<>(SB), RODATA|NOPTR, $4
DATA c2<>+0(SB)/4, $0x3efffedb
GLOBL c2<>(SB), RODATA|NOPTR, $4
DATA c3<>+0(SB)/4, $0x3e2aaf33
GLOBL c3<>(SB), RODATA|NOPTR, $4
DATA c4<>+0(SB)/4, $0x3d2b9f17
GLOBL c4<>(SB), RODATA|NOPTR, $4
DATA c5<>+0(SB)/4, $0x3c072010
GLOBL c5<>(SB), RODATA|NOPTR, $4
DATA one<>+0(SB)/4, $0x3f800000
GLOBL one<>(SB), RODATA|NOPTR, $4
DATA abs<>+0(SB)/4, $0x7fffffff
GLOBL abs<>(SB), RODATA|NOPTR, $4
DATA far<>+0(SB)/4, $0x42fc0000
GLOBL far<>(SB), RODATA|NOPTR, $4
DATA beyond<>+0(SB)/4, $0x43400000
GLOBL beyond<>(SB), RODATA|NOPTR, $4
DATA below<>+0(SB)/4, $0x82000000
GLOBL below<>(SB), RODATA|NOPTR, $4
DATA above<>+0(SB)/4, $0x7f000000
GLOBL above<>(SB), RODATA|NOPTR, $4
DATA sign<>+0(SB)/4, $0x80000000
GLOBL sign<>(SB), RODATA|NOPTR, $4

// BROADCAST sets y to a constant.
#define BROADCAST(c, y) VBROADCASTSS c<>(SB), y

// EXP replaces Y0 by its exponential. It uses Y1 to Y7; Y8 to Y15 hold what
// EXPCONST sets.
#define EXPCONST \
	BROADCAST(magic, Y8);  \
	BROADCAST(log2e, Y9);  \
	BROADCAST(ln2hi, Y10); \
	BROADCAST(ln2lo, Y11); \
	BROADCAST(one, Y12);   \
	BROADCAST(abs, Y13);   \
	BROADCAST(far, Y14);   \
	BROADCAST(beyond, Y15)

// n is in Y2, b in Y1, e in Y3 and j in Y4; the power of two in Y5. Where it
// does not fit in one factor, Y6 has the first and Y7 the second.
#define EXP \
	VMOVAPS      Y8, Y2;          \
	VFMADD231PS  Y9, Y0, Y2;      \
	VPSLLD       $23, Y2, Y3;     \
	VSUBPS       Y8, Y2, Y2;      \
	VMOVAPS      Y0, Y1;          \
	VFNMADD231PS Y10, Y2, Y1;     \
	VFNMADD231PS Y11, Y2, Y1;     \
	VMULPS       Y1, Y1, Y6;      \
	BROADCAST(c4, Y4);            \
	BROADCAST(c5, Y5);            \
	VFMADD231PS  Y5, Y1, Y4;      \
	BROADCAST(c2, Y5);            \
	BROADCAST(c3, Y7);            \
	VFMADD231PS  Y7, Y1, Y5;      \
	VFMADD213PS  Y5, Y6, Y4;      \
	BROADCAST(c1, Y5);            \
	VMULPS       Y1, Y5, Y5;      \
	VFMADD213PS  Y5, Y6, Y4;      \
	VPADDD       Y12, Y3, Y5;     \
	VMOVAPS      Y5, Y0;          \
	VFMADD231PS  Y4, Y5, Y0;      \
	VXORPS       Y1, Y1, Y1;      \
	VCMPPS       $2, Y1, Y2, Y6;  \
	BROADCAST(below, Y7);         \
	VPAND        Y7, Y6, Y6;      \
	VPSUBD       Y6, Y3, Y7;      \
	BROADCAST(above, Y3);         \
	VPADDD       Y3, Y6, Y6;      \
	VMOVAPS      Y7, Y1;          \
	VFMADD231PS  Y4, Y7, Y1;      \
	VMULPS       Y6, Y1, Y1;      \
	VMULPS       Y6, Y6, Y6;      \
	VPAND        Y13, Y2, Y2;     \
	VCMPPS       $30, Y14, Y2, Y3; \
	VBLENDVPS    Y3, Y1, Y0, Y0;  \
	VCMPPS       $30, Y15, Y2, Y3; \
	VBLENDVPS    Y3, Y6, Y0, Y0

// func expSumAVX2(x *float32, n int, top float32) float64
TEXT ·expSumAVX2(SB), NOSPLIT, $0-32
	MOVQ   x+0(FP), DI
	MOVQ   n+8(FP), CX
	EXPCONST
	VXORPD X7, X7, X7
	MOVQ   $0, AX
	MOVQ   AX, ret+24(FP)

loop:
	VBROADCASTSS top+16(FP), Y1
	VMOVUPS      (DI), Y0
	VSUBPS       Y1, Y0, Y0
	EXP
	VMOVUPS      Y0, (DI)
	VEXTRACTF128 $1, Y0, X2
	VADDPS       X2, X0, X0
	VMOVHLPS     X0, X0, X2
	VADDPS       X2, X0, X0
	VMOVSHDUP    X0, X2
	VADDSS       X2, X0, X0
	VCVTSS2SD    X0, X0, X0
	VADDSD       ret+24(FP), X0, X0
	VMOVSD       X0, ret+24(FP)
	ADDQ         $32, DI
	SUBQ         $8, CX
	JNZ          loop
	VZEROUPPER
	RET

// func siluMulAVX2(gate, up *float32, n int)
TEXT ·siluMulAVX2(SB), NOSPLIT, $0-24
	MOVQ gate+0(FP), DI
	MOVQ up+8(FP), SI
	MOVQ n+16(FP), CX
	EXPCONST

loop:
	BROADCAST(sign, Y1)
	VXORPS  (DI), Y1, Y0
	EXP
	VADDPS  Y12, Y0, Y0
	VMOVUPS (DI), Y1
	VDIVPS  Y0, Y1, Y0
	VMULPS  (SI), Y0, Y0
	VMOVUPS Y0, (DI)
	ADDQ    $32, DI
	ADDQ    $32, SI
	SUBQ    $8, CX
	JNZ     loop
	VZEROUPPER
	RET

// func fusedAddAVX2(dst, x *float32, f float32, n int)
TEXT ·fusedAddAVX2(SB), NOSPLIT, $0-32
	MOVQ         dst+0(FP), DI
	MOVQ         x+8(FP), SI
	VBROADCASTSS f+16(FP), Y0
	MOVQ         n+24(FP), CX

loop:
	VMOVUPS     (DI), Y1
	VFMADD231PS (SI), Y0, Y1
	VMOVUPS     Y1, (DI)
	ADDQ        $32, DI
	ADDQ        $32, SI
	SUBQ        $8, CX
	JNZ         loop
	VZEROUPPER
	RET

// func fusedAddHalfAVX2(dst, x *float32, f float32, n int)
TEXT ·fusedAddHalfAVX2(SB), NOSPLIT, $0-32
	MOVQ         dst+0(FP), DI
	MOVQ         x+8(FP), SI
	VBROADCASTSS f+16(FP), Y0
	MOVQ         n+24(FP), CX

loop:
	VMOVUPS     (DI), Y1
	VFMADD231PS (SI), Y0, Y1
	VCVTPS2PH   $0, Y1, X1
	VCVTPH2PS   X1, Y1
	VMOVUPS     Y1, (DI)
	ADDQ        $32, DI
	ADDQ        $32, SI
	SUBQ        $8, CX
	JNZ         loop
	VZEROUPPER
	RET

// func roundHalfAVX2(dst, x *float32, n int)
TEXT ·roundHalfAVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX

loop:
	VMOVUPS   (SI), Y1
	VCVTPS2PH $0, Y1, X1
	VCVTPH2PS X1, Y1
	VMOVUPS   Y1, (DI)
	ADDQ      $32, DI
	ADDQ      $32, SI
	SUBQ      $8, CX
	JNZ       loop
	VZEROUPPER
	RET

// FOURTH adds the sums of four positions, which lie eight apart, to y, and goes
// on to the next position.
#define FOURTH(y) \
	VMOVUPS (SI), y;          \
	VADDPS  (R10), y, y;      \
	VMOVUPS (R9), Y8;         \
	VADDPS  (R11), Y8, Y8;    \
	VADDPS  Y8, y, y;         \
	ADDQ    AX, SI;           \
	ADDQ    AX, R9;           \
	ADDQ    AX, R10;          \
	ADDQ    AX, R11

// func mixTotalAVX2(dst, sums *float32, n int)
//
// sums are 32 vectors of n elements, each 32 added up in the order of folded
// and pairwise.
TEXT ·mixTotalAVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ sums+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ CX, AX
	SHLQ $2, AX
	MOVQ AX, BX
	SHLQ $3, BX

loop:
	LEAQ    (SI)(BX*1), R9
	LEAQ    (SI)(BX*2), R10
	LEAQ    (R9)(BX*2), R11
	MOVQ    SI, R12
	FOURTH(Y0)
	FOURTH(Y1)
	FOURTH(Y2)
	FOURTH(Y3)
	FOURTH(Y4)
	FOURTH(Y5)
	FOURTH(Y6)
	FOURTH(Y7)
	VADDPS  Y4, Y0, Y0
	VADDPS  Y5, Y1, Y1
	VADDPS  Y6, Y2, Y2
	VADDPS  Y7, Y3, Y3
	VADDPS  Y1, Y0, Y0
	VADDPS  Y3, Y2, Y2
	VADDPS  Y2, Y0, Y0
	VMOVUPS Y0, (DI)
	LEAQ    32(R12), SI
	ADDQ    $32, DI
	SUBQ    $8, CX
	JNZ     loop
	VZEROUPPER
	RET
