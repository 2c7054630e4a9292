//go:build amd64

#include "textflag.h"

// Flash attention for AVX-512: the output of a query is kept in half
// precision.
//
// func(out *float32, size int, rows unsafe.Pointer, scales, weights *float32, count int)
//
// out is 32 or 64 elements of a row of size bytes. A scale other than 1
// multiplies the output before the row times its weight is added.

#define WIDENF32(m, z) VMOVUPS m, z
#define WIDENF16(m, z) VCVTPH2PS m, z

#define HALF(z, y) \
	VCVTPS2PH $0, z, y; \
	VCVTPH2PS y, z

#define SCALE(z, y) \
	VMULPS Z8, z, z; \
	HALF(z, y)

#define ADD(m, z, y, widen) \
	widen(m, Z9);           \
	VFMADD231PS Z9, Z8, z;  \
	HALF(z, y)

#define BEGIN \
	MOVQ out+0(FP), DX;      \
	MOVQ size+8(FP), R8;     \
	MOVQ rows+16(FP), SI;    \
	MOVQ scales+24(FP), R9;  \
	MOVQ weights+32(FP), DI; \
	MOVQ count+40(FP), CX;   \
	VMOVUPS (DX), Z0;        \
	VMOVUPS 64(DX), Z1

#define NEXT \
	ADDQ R8, SI; \
	ADDQ $4, R9; \
	ADDQ $4, DI; \
	DECQ CX

#define FLASH32(widen, half) \
	BEGIN;                        \
loop:                                 \
	CMPL (R9), $0x3f800000;       \
	JE   add;                     \
	VBROADCASTSS (R9), Z8;        \
	SCALE(Z0, Y0);                \
	SCALE(Z1, Y1);                \
add:                                  \
	VBROADCASTSS (DI), Z8;        \
	ADD((SI), Z0, Y0, widen);     \
	ADD(half(SI), Z1, Y1, widen); \
	NEXT;                         \
	JNZ  loop;                    \
	VMOVUPS Z0, (DX);             \
	VMOVUPS Z1, 64(DX);           \
	VZEROUPPER;                   \
	RET

#define FLASH64(widen, half) \
	BEGIN;                            \
	VMOVUPS 128(DX), Z2;              \
	VMOVUPS 192(DX), Z3;              \
loop:                                     \
	CMPL (R9), $0x3f800000;           \
	JE   add;                         \
	VBROADCASTSS (R9), Z8;            \
	SCALE(Z0, Y0);                    \
	SCALE(Z1, Y1);                    \
	SCALE(Z2, Y2);                    \
	SCALE(Z3, Y3);                    \
add:                                      \
	VBROADCASTSS (DI), Z8;            \
	ADD((SI), Z0, Y0, widen);         \
	ADD(half(SI), Z1, Y1, widen);     \
	ADD((2*half)(SI), Z2, Y2, widen); \
	ADD((3*half)(SI), Z3, Y3, widen); \
	NEXT;                             \
	JNZ  loop;                        \
	VMOVUPS Z0, (DX);                 \
	VMOVUPS Z1, 64(DX);               \
	VMOVUPS Z2, 128(DX);              \
	VMOVUPS Z3, 192(DX);              \
	VZEROUPPER;                       \
	RET

TEXT ·flash32F32AVX512(SB), NOSPLIT, $0-48
	FLASH32(WIDENF32, 64)

TEXT ·flash64F32AVX512(SB), NOSPLIT, $0-48
	FLASH64(WIDENF32, 64)

TEXT ·flash32F16AVX512(SB), NOSPLIT, $0-48
	FLASH32(WIDENF16, 32)

TEXT ·flash64F16AVX512(SB), NOSPLIT, $0-48
	FLASH64(WIDENF16, 32)
