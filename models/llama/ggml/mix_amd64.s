//go:build amd64

#include "textflag.h"

// Weighted sums of values for AVX-512: 32 elements of the values at a time by
// the weights of several queries. Each 32nd position goes to the same sum.
//
// func(sums *float32, each int, pages *unsafe.Pointer, skip int, at int, rowBytes int, w *float32, stride int, count int, sets int, next int)
//
// pages point to pages of values, of which each is read that is skip bytes
// after the one before; there the values begin at byte at. Weights of a query
// are stride bytes apart, its sums each bytes. A set takes count positions;
// sets follow one another by a row of rowBytes, and their sums by next bytes.
//
// DX is the sums, SI the pages, DI the weights (R8, R13, R15 and AX are one,
// three, five and seven strides), R9 where values begin, BX the positions left
// and CX the sets.

#define ARGS \
	MOVQ sums+0(FP), DX;     \
	MOVQ each+8(FP), R11;    \
	MOVQ skip+24(FP), R10;   \
	MOVQ at+32(FP), R9;      \
	MOVQ stride+56(FP), R8;  \
	MOVQ sets+72(FP), CX;    \
	LEAQ (R8)(R8*2), R13;    \
	LEAQ (R8)(R8*4), R15;    \
	LEAQ (R13)(R8*4), AX

#define SET \
	MOVQ pages+16(FP), SI;  \
	MOVQ w+48(FP), DI;      \
	MOVQ count+64(FP), BX

#define NEXTSET \
	ADDQ rowBytes+40(FP), R9; \
	ADDQ $4, w+48(FP);        \
	ADDQ next+80(FP), DX;     \
	DECQ CX

#define QUERIES1(op) op((DI), Z4, Z5)
#define QUERIES2(op) \
	QUERIES1(op); \
	op((DI)(R8*1), Z6, Z7)
#define QUERIES4(op) \
	QUERIES2(op); \
	op((DI)(R8*2), Z8, Z9); \
	op((DI)(R13*1), Z10, Z11)
#define QUERIES8(op) \
	QUERIES4(op); \
	op((DI)(R8*4), Z12, Z13);  \
	op((DI)(R15*1), Z14, Z15); \
	op((DI)(R13*2), Z16, Z17); \
	op((DI)(AX*1), Z18, Z19)

#define CLEAR(w, a, b) \
	VPXORD a, a, a; \
	VPXORD b, b, b

#define ADD(w, a, b) \
	VBROADCASTSS w, Z2;     \
	VFMADD231PS  Z2, Z0, a; \
	VFMADD231PS  Z2, Z1, b

#define STORE(w, a, b) \
	VMOVUPS a, (R12);   \
	VMOVUPS b, 64(R12); \
	ADDQ    R11, R12

#define MIX(queries, widen, half) \
	ARGS;                        \
set:                                 \
	SET;                         \
	queries(CLEAR);              \
	TESTQ BX, BX;                \
	JZ    done;                  \
step:                                \
	MOVQ (SI), R12;              \
	widen((R12)(R9*1), Z0);      \
	widen(half(R12)(R9*1), Z1);  \
	queries(ADD);                \
	ADDQ R10, SI;                \
	ADDQ $128, DI;               \
	DECQ BX;                     \
	JNZ  step;                   \
done:                                \
	MOVQ DX, R12;                \
	queries(STORE);              \
	NEXTSET;                     \
	JNZ  set;                    \
	VZEROUPPER;                  \
	RET

#define WIDENF32(m, z) VMOVUPS m, z
#define WIDENF16(m, z) VCVTPH2PS m, z

TEXT ·mix1F32AVX512(SB), NOSPLIT, $0-88
	MIX(QUERIES1, WIDENF32, 64)

TEXT ·mix2F32AVX512(SB), NOSPLIT, $0-88
	MIX(QUERIES2, WIDENF32, 64)

TEXT ·mix4F32AVX512(SB), NOSPLIT, $0-88
	MIX(QUERIES4, WIDENF32, 64)

TEXT ·mix8F32AVX512(SB), NOSPLIT, $0-88
	MIX(QUERIES8, WIDENF32, 64)

TEXT ·mix1F16AVX512(SB), NOSPLIT, $0-88
	MIX(QUERIES1, WIDENF16, 32)

TEXT ·mix2F16AVX512(SB), NOSPLIT, $0-88
	MIX(QUERIES2, WIDENF16, 32)

TEXT ·mix4F16AVX512(SB), NOSPLIT, $0-88
	MIX(QUERIES4, WIDENF16, 32)

TEXT ·mix8F16AVX512(SB), NOSPLIT, $0-88
	MIX(QUERIES8, WIDENF16, 32)
