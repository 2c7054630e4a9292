//go:build amd64

#include "textflag.h"

// Kernels on tiles: weights unpacked once for several vectors. A tile has
// 256 words, then 8 scales at byte 512, then 16 offsets at byte 544.

// TILE adds one block for one vector: weights lo and hi, scale d, the
// vector's words at x and x64 and its scale at s. It destroys t, u and v.
#define TILE(lo, hi, d, x, x64, s, acc, t, u, v) \
	VPMADDWD     x, lo, t;   \
	VPMADDWD     x64, hi, u; \
	VBROADCASTSS s, v;       \
	VPADDD       u, t, t;    \
	VCVTDQ2PS    t, t;       \
	VMULPS       d, v, v;    \
	VMULPS       v, t, t;    \
	VADDPS       t, acc, acc

// func addTileAVX2(s *intSums, p *tile, a *int16, scales *float32)
TEXT ·addTileAVX2(SB), NOSPLIT, $0-32
	MOVQ    s+0(FP), AX
	MOVQ    p+8(FP), SI
	MOVQ    a+16(FP), DI
	MOVQ    scales+24(FP), R8
	LEAQ    512(SI), R9
	VMOVUPS (AX), Y0
	VMOVUPS 32(AX), Y1
	MOVQ    $4, CX

pair:
	VMOVDQU      (SI), Y2
	VMOVDQU      64(SI), Y3
	VBROADCASTSS (R9), Y4
	TILE(Y2, Y3, Y4, (DI), 64(DI), (R8), Y0, Y8, Y9, Y10)
	VMOVDQU      32(SI), Y5
	VMOVDQU      96(SI), Y6
	VBROADCASTSS 4(R9), Y7
	TILE(Y5, Y6, Y7, 32(DI), 96(DI), 4(R8), Y1, Y11, Y12, Y13)
	ADDQ         $128, SI
	ADDQ         $128, DI
	ADDQ         $8, R8
	ADDQ         $8, R9
	DECQ         CX
	JNZ          pair

	VMOVUPS    Y0, (AX)
	VMOVUPS    Y1, 32(AX)
	VZEROUPPER
	RET

// func addTile4AVX2(s *intSums, p *tile, a *int16, aStride int, scales *float32, scaleStride int)
//
// It is addTile for four vectors. The strides are in bytes.
TEXT ·addTile4AVX2(SB), NOSPLIT, $0-48
	MOVQ    s+0(FP), AX
	MOVQ    p+8(FP), SI
	MOVQ    a+16(FP), DI
	MOVQ    aStride+24(FP), R10
	MOVQ    scales+32(FP), R8
	MOVQ    scaleStride+40(FP), R11
	LEAQ    (R10)(R10*2), R12
	LEAQ    (R11)(R11*2), R13
	LEAQ    512(SI), R9
	VMOVUPS (AX), Y0
	VMOVUPS 32(AX), Y1
	VMOVUPS 96(AX), Y2
	VMOVUPS 128(AX), Y3
	VMOVUPS 192(AX), Y4
	VMOVUPS 224(AX), Y5
	VMOVUPS 288(AX), Y6
	VMOVUPS 320(AX), Y7
	MOVQ    $4, CX

pair:
	VMOVDQU      (SI), Y8
	VMOVDQU      64(SI), Y9
	VBROADCASTSS (R9), Y10
	TILE(Y8, Y9, Y10, (DI), 64(DI), (R8), Y0, Y11, Y12, Y13)
	TILE(Y8, Y9, Y10, (DI)(R10*1), 64(DI)(R10*1), (R8)(R11*1), Y2, Y14, Y15, Y13)
	TILE(Y8, Y9, Y10, (DI)(R10*2), 64(DI)(R10*2), (R8)(R11*2), Y4, Y11, Y12, Y13)
	TILE(Y8, Y9, Y10, (DI)(R12*1), 64(DI)(R12*1), (R8)(R13*1), Y6, Y14, Y15, Y13)
	VMOVDQU      32(SI), Y8
	VMOVDQU      96(SI), Y9
	VBROADCASTSS 4(R9), Y10
	TILE(Y8, Y9, Y10, 32(DI), 96(DI), 4(R8), Y1, Y11, Y12, Y13)
	TILE(Y8, Y9, Y10, 32(DI)(R10*1), 96(DI)(R10*1), 4(R8)(R11*1), Y3, Y14, Y15, Y13)
	TILE(Y8, Y9, Y10, 32(DI)(R10*2), 96(DI)(R10*2), 4(R8)(R11*2), Y5, Y11, Y12, Y13)
	TILE(Y8, Y9, Y10, 32(DI)(R12*1), 96(DI)(R12*1), 4(R8)(R13*1), Y7, Y14, Y15, Y13)
	ADDQ         $128, SI
	ADDQ         $128, DI
	ADDQ         $8, R8
	ADDQ         $8, R9
	DECQ         CX
	JNZ          pair

	VMOVUPS    Y0, (AX)
	VMOVUPS    Y1, 32(AX)
	VMOVUPS    Y2, 96(AX)
	VMOVUPS    Y3, 128(AX)
	VMOVUPS    Y4, 192(AX)
	VMOVUPS    Y5, 224(AX)
	VMOVUPS    Y6, 288(AX)
	VMOVUPS    Y7, 320(AX)
	VZEROUPPER
	RET

// func addOffsetsAVX2(s *intSums, p *tile, sums *float32)
TEXT ·addOffsetsAVX2(SB), NOSPLIT, $0-24
	MOVQ       s+0(FP), AX
	MOVQ       p+8(FP), SI
	MOVQ       sums+16(FP), DI
	VMOVUPS    64(AX), Y0
	VMOVUPS    544(SI), Y1
	VMULPS     (DI), Y1, Y1
	VADDPS     Y1, Y0, Y0
	VMOVUPS    576(SI), Y1
	VMULPS     32(DI), Y1, Y1
	VADDPS     Y1, Y0, Y0
	VMOVUPS    Y0, 64(AX)
	VZEROUPPER
	RET

// func addFloatsAVX2(s *floatSums, w, x *float32, n int)
TEXT ·addFloatsAVX2(SB), NOSPLIT, $0-32
	MOVQ    s+0(FP), AX
	MOVQ    w+8(FP), SI
	MOVQ    x+16(FP), DI
	MOVQ    n+24(FP), CX
	VMOVUPS (AX), Y0
	VMOVUPS 32(AX), Y1
	VMOVUPS 64(AX), Y2
	VMOVUPS 96(AX), Y3

loop:
	VMOVUPS (SI), Y4
	VMOVUPS 32(SI), Y5
	VMOVUPS 64(SI), Y6
	VMOVUPS 96(SI), Y7
	VMULPS  (DI), Y4, Y4
	VMULPS  32(DI), Y5, Y5
	VMULPS  64(DI), Y6, Y6
	VMULPS  96(DI), Y7, Y7
	VADDPS  Y4, Y0, Y0
	VADDPS  Y5, Y1, Y1
	VADDPS  Y6, Y2, Y2
	VADDPS  Y7, Y3, Y3
	ADDQ    $128, SI
	ADDQ    $128, DI
	SUBQ    $32, CX
	JG      loop

	VMOVUPS    Y0, (AX)
	VMOVUPS    Y1, 32(AX)
	VMOVUPS    Y2, 64(AX)
	VMOVUPS    Y3, 96(AX)
	VZEROUPPER
	RET

// FLOATS2 adds w at offset at times two vectors to a and b.
#define FLOATS2(at, a, b, t, u) \
	VMOVUPS (at)(SI), t;             \
	VMULPS  (at)(DI)(R10*1), t, u;   \
	VMULPS  (at)(DI), t, t;          \
	VADDPS  t, a, a;                 \
	VADDPS  u, b, b

// func addFloats2AVX2(s *floatSums, w, x *float32, stride, n int)
//
// It is addFloats for two vectors, stride bytes apart.
TEXT ·addFloats2AVX2(SB), NOSPLIT, $0-40
	MOVQ    s+0(FP), AX
	MOVQ    w+8(FP), SI
	MOVQ    x+16(FP), DI
	MOVQ    stride+24(FP), R10
	MOVQ    n+32(FP), CX
	VMOVUPS (AX), Y0
	VMOVUPS 32(AX), Y1
	VMOVUPS 64(AX), Y2
	VMOVUPS 96(AX), Y3
	VMOVUPS 128(AX), Y4
	VMOVUPS 160(AX), Y5
	VMOVUPS 192(AX), Y6
	VMOVUPS 224(AX), Y7

loop:
	FLOATS2(0, Y0, Y4, Y8, Y9)
	FLOATS2(32, Y1, Y5, Y10, Y11)
	FLOATS2(64, Y2, Y6, Y12, Y13)
	FLOATS2(96, Y3, Y7, Y14, Y15)
	ADDQ $128, SI
	ADDQ $128, DI
	SUBQ $32, CX
	JG   loop

	VMOVUPS    Y0, (AX)
	VMOVUPS    Y1, 32(AX)
	VMOVUPS    Y2, 64(AX)
	VMOVUPS    Y3, 96(AX)
	VMOVUPS    Y4, 128(AX)
	VMOVUPS    Y5, 160(AX)
	VMOVUPS    Y6, 192(AX)
	VMOVUPS    Y7, 224(AX)
	VZEROUPPER
	RET
