//go:build amd64

#include "textflag.h"

// Rows of floats times one vector, 32 lanes in Y0 to Y3. The number of
// columns is a multiple of 32.

// STEP multiplies what was loaded to Y4 to Y7 by 32 values at DI.
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

#define BEGIN \
	MOVQ   x+24(FP), DI;    \
	MOVQ   cols+32(FP), BX; \
	VXORPS Y0, Y0, Y0;      \
	VXORPS Y1, Y1, Y1;      \
	VXORPS Y2, Y2, Y2;      \
	VXORPS Y3, Y3, Y3

#define END \
	VADDPS       Y1, Y0, Y0;  \
	VADDPS       Y3, Y2, Y2;  \
	VADDPS       Y2, Y0, Y0;  \
	VEXTRACTF128 $1, Y0, X1;  \
	VADDPS       X1, X0, X0;  \
	VMOVHLPS     X0, X0, X1;  \
	VADDPS       X1, X0, X0;  \
	VMOVSHDUP    X0, X1;      \
	VADDSS       X1, X0, X0;  \
	VMOVSS       X0, (DX);    \
	ADDQ         $4, DX;      \
	DECQ         CX

// func mulF32(dst *float32, w *byte, rows int, x *float32, cols int)
TEXT ·mulF32(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DX
	MOVQ w+8(FP), SI
	MOVQ rows+16(FP), CX

row:
	BEGIN

loop:
	VMOVUPS (SI), Y4
	VMOVUPS 32(SI), Y5
	VMOVUPS 64(SI), Y6
	VMOVUPS 96(SI), Y7
	ADDQ    $128, SI
	STEP
	JG      loop
	END
	JNZ     row
	VZEROUPPER
	RET

// func mulF16(dst *float32, w *byte, rows int, x *float32, cols int)
TEXT ·mulF16(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DX
	MOVQ w+8(FP), SI
	MOVQ rows+16(FP), CX

row:
	BEGIN

loop:
	VCVTPH2PS (SI), Y4
	VCVTPH2PS 16(SI), Y5
	VCVTPH2PS 32(SI), Y6
	VCVTPH2PS 48(SI), Y7
	ADDQ      $64, SI
	STEP
	JG        loop
	END
	JNZ       row
	VZEROUPPER
	RET

#define LOADBF16 \
	VPMOVZXWD (SI), Y4;      \
	VPMOVZXWD 16(SI), Y5;    \
	VPMOVZXWD 32(SI), Y6;    \
	VPMOVZXWD 48(SI), Y7;    \
	VPSLLD    $16, Y4, Y4;   \
	VPSLLD    $16, Y5, Y5;   \
	VPSLLD    $16, Y6, Y6;   \
	VPSLLD    $16, Y7, Y7

// func mulBF16(dst *float32, w *byte, rows int, x *float32, cols int)
TEXT ·mulBF16(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DX
	MOVQ w+8(FP), SI
	MOVQ rows+16(FP), CX

row:
	BEGIN

loop:
	LOADBF16
	ADDQ $64, SI
	STEP
	JG   loop
	END
	JNZ  row
	VZEROUPPER
	RET

#define STORE \
	VMOVUPS Y4, (DX);   \
	VMOVUPS Y5, 32(DX); \
	VMOVUPS Y6, 64(DX); \
	VMOVUPS Y7, 96(DX); \
	ADDQ    $128, DX;   \
	ADDQ    $64, SI;    \
	SUBQ    $32, CX

// func widenF16AVX2(dst *float32, src *byte, n int)
//
// n is a multiple of 32.
TEXT ·widenF16AVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DX
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX

loop:
	VCVTPH2PS (SI), Y4
	VCVTPH2PS 16(SI), Y5
	VCVTPH2PS 32(SI), Y6
	VCVTPH2PS 48(SI), Y7
	STORE
	JG        loop
	VZEROUPPER
	RET

// func widenBF16AVX2(dst *float32, src *byte, n int)
//
// n is a multiple of 32.
TEXT ·widenBF16AVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DX
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX

loop:
	LOADBF16
	STORE
	JG   loop
	VZEROUPPER
	RET
