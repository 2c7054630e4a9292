//go:build amd64

#include "textflag.h"

// Tiles of AVX-512: several vectors by rows. No product is fused with a sum.

// Vectors are at DI, and 1 to 5 times R8 bytes after it: R8 and R9 to R12 are
// those distances.
#define DISTANCES(m) \
	MOVQ m, R8;            \
	LEAQ (R8)(R8*1), R9;   \
	LEAQ (R8)(R8*2), R10;  \
	LEAQ (R8)(R8*4), R12;  \
	LEAQ (R9)(R9*1), R11

// A dot tile has eight rows: a register holds the eight lanes of one row in
// its lower half and those of the row four after it in its upper half. Z0 to
// Z3 are rows, Z8 to Z31 sums, four for each vector.

#define VECTORS1(op) op((DI), Z8, Z9, Z10, Z11)
#define VECTORS2(op) \
	VECTORS1(op); \
	op((DI)(R8*1), Z12, Z13, Z14, Z15)
#define VECTORS3(op) \
	VECTORS2(op); \
	op((DI)(R9*1), Z16, Z17, Z18, Z19)
#define VECTORS4(op) \
	VECTORS3(op); \
	op((DI)(R10*1), Z20, Z21, Z22, Z23)
#define VECTORS5(op) \
	VECTORS4(op); \
	op((DI)(R11*1), Z24, Z25, Z26, Z27)
#define VECTORS6(op) \
	VECTORS5(op); \
	op((DI)(R12*1), Z28, Z29, Z30, Z31)

#define CLEAR(at, a, b, c, d) \
	VPXORD a, a, a; \
	VPXORD b, b, b; \
	VPXORD c, c, c; \
	VPXORD d, d, d

#define DOTSTEP(at, a, b, c, d) \
	VBROADCASTF64X4 at, Z4; \
	VMULPS Z4, Z0, Z5;      \
	VMULPS Z4, Z1, Z6;      \
	VMULPS Z4, Z2, Z7;      \
	VMULPS Z4, Z3, Z4;      \
	VADDPS Z5, a, a;        \
	VADDPS Z6, b, b;        \
	VADDPS Z7, c, c;        \
	VADDPS Z4, d, d

// PAIR loads the same eight elements of a row and of the one four after it.
#define PAIR(row, later, y, z) \
	VMOVUPS      row, y;          \
	VINSERTF64X4 $1, later, z, z

// DOTRESULTS adds up the lanes of a vector's sums, neighbours first, and
// stores eight results at DX.
#define DOTRESULTS(at, a, b, c, d) \
	VSHUFPS    $0x88, b, a, Z4;   \
	VSHUFPS    $0xdd, b, a, Z5;   \
	VSHUFPS    $0x88, d, c, Z6;   \
	VSHUFPS    $0xdd, d, c, Z7;   \
	VADDPS     Z5, Z4, Z4;        \
	VADDPS     Z7, Z6, Z6;        \
	VSHUFPS    $0x88, Z6, Z4, Z5; \
	VSHUFPS    $0xdd, Z6, Z4, Z7; \
	VADDPS     Z7, Z5, Z4;        \
	VSHUFF64X2 $0xb1, Z4, Z4, Z5; \
	VADDPS     Z5, Z4, Z4;        \
	VSHUFF64X2 $0x88, Z4, Z4, Z4; \
	VMOVUPS    Y4, (DX);          \
	ADDQ       BX, DX

// DOT is the body of dot tiles of m vectors:
// func(dst *float32, stride int, q, rows *float32, n, eights, tiles int)
//
// R13 and R14 are three and four times the length of a row. On the stack are
// where the next results go, and how many times eight rows are left.
#define DOT(m, vectors) \
	MOVQ stride+8(FP), BX;   \
	MOVQ n+32(FP), AX;       \
	SHLQ $2, AX;             \
	DISTANCES(AX);           \
tile:                            \
	MOVQ dst+0(FP), DX;      \
	MOVQ DX, 0(SP);          \
	MOVQ eights+40(FP), DX;  \
	MOVQ DX, 8(SP);          \
	MOVQ rows+24(FP), SI;    \
eight:                           \
	MOVQ q+16(FP), DI;       \
	MOVQ n+32(FP), CX;       \
	LEAQ (AX)(AX*2), R13;    \
	LEAQ (SI)(AX*4), R14;    \
	vectors(CLEAR);          \
step:                            \
	PAIR((SI), (R14), Y0, Z0);                   \
	PAIR((SI)(AX*1), (R14)(AX*1), Y1, Z1);       \
	PAIR((SI)(AX*2), (R14)(AX*2), Y2, Z2);       \
	PAIR((SI)(R13*1), (R14)(R13*1), Y3, Z3);     \
	vectors(DOTSTEP);        \
	ADDQ $32, SI;            \
	ADDQ $32, R14;           \
	ADDQ $32, DI;            \
	SUBQ $8, CX;             \
	JNZ  step;               \
	MOVQ 0(SP), DX;          \
	vectors(DOTRESULTS);     \
	ADDQ $32, 0(SP);         \
	SUBQ AX, SI;             \
	LEAQ (SI)(AX*8), SI;     \
	DECQ 8(SP);              \
	JNZ  eight;              \
	IMUL3Q $m, BX, CX;       \
	ADDQ CX, dst+0(FP);      \
	IMUL3Q $m, AX, CX;       \
	ADDQ CX, q+16(FP);       \
	DECQ tiles+48(FP);       \
	JNZ  tile;               \
	VZEROUPPER;              \
	RET

// A mix tile has 64 elements at a time, and what is left by 16. Z0 to Z3 are
// elements of a row, Z8 to Z31 those of the vectors.

#define MIXLOAD4(at, a, b, c, d) \
	VMOVUPS at, a; \
	VMOVUPS 64 at, b; \
	VMOVUPS 128 at, c; \
	VMOVUPS 192 at, d

#define MIXSTORE4(at, a, b, c, d) \
	VMOVUPS a, at; \
	VMOVUPS b, 64 at; \
	VMOVUPS c, 128 at; \
	VMOVUPS d, 192 at

#define MIXSTEP4(at, a, b, c, d) \
	VBROADCASTSS at, Z4; \
	VMULPS Z4, Z0, Z5;   \
	VMULPS Z4, Z1, Z6;   \
	VMULPS Z4, Z2, Z7;   \
	VMULPS Z4, Z3, Z4;   \
	VADDPS Z5, a, a;     \
	VADDPS Z6, b, b;     \
	VADDPS Z7, c, c;     \
	VADDPS Z4, d, d

#define MIXLOAD1(at, a, b, c, d)  VMOVUPS at, a
#define MIXSTORE1(at, a, b, c, d) VMOVUPS a, at

#define MIXSTEP1(at, a, b, c, d) \
	VBROADCASTSS at, Z4; \
	VMULPS Z4, Z0, Z5;   \
	VADDPS Z5, a, a

// MIX is the body of mix tiles of m vectors:
// func(dst, w *float32, stride int, rows *float32, n, count, tiles int)
//
// DI is the vectors or the weights, AX the bytes of a row, BX how many of them
// are left, R13 where the rows are.
#define MIX(m, vectors) \
	MOVQ n+32(FP), AX;       \
	SHLQ $2, AX;             \
tile:                            \
	MOVQ AX, BX;             \
	MOVQ rows+24(FP), R13;   \
wide:                            \
	CMPQ BX, $256;           \
	JLT  narrow;             \
	DISTANCES(AX);           \
	MOVQ dst+0(FP), DI;      \
	vectors(MIXLOAD4);       \
	DISTANCES(stride+16(FP)); \
	MOVQ w+8(FP), DI;        \
	MOVQ R13, SI;            \
	MOVQ count+40(FP), CX;   \
wideRow:                         \
	VMOVUPS (SI), Z0;        \
	VMOVUPS 64(SI), Z1;      \
	VMOVUPS 128(SI), Z2;     \
	VMOVUPS 192(SI), Z3;     \
	vectors(MIXSTEP4);       \
	ADDQ AX, SI;             \
	ADDQ $4, DI;             \
	DECQ CX;                 \
	JNZ  wideRow;            \
	DISTANCES(AX);           \
	MOVQ dst+0(FP), DI;      \
	vectors(MIXSTORE4);      \
	ADDQ $256, dst+0(FP);    \
	ADDQ $256, R13;          \
	SUBQ $256, BX;           \
	JMP  wide;               \
narrow:                          \
	TESTQ BX, BX;            \
	JZ   done;               \
	DISTANCES(AX);           \
	MOVQ dst+0(FP), DI;      \
	vectors(MIXLOAD1);       \
	DISTANCES(stride+16(FP)); \
	MOVQ w+8(FP), DI;        \
	MOVQ R13, SI;            \
	MOVQ count+40(FP), CX;   \
narrowRow:                       \
	VMOVUPS (SI), Z0;        \
	vectors(MIXSTEP1);       \
	ADDQ AX, SI;             \
	ADDQ $4, DI;             \
	DECQ CX;                 \
	JNZ  narrowRow;          \
	DISTANCES(AX);           \
	MOVQ dst+0(FP), DI;      \
	vectors(MIXSTORE1);      \
	ADDQ $64, dst+0(FP);     \
	ADDQ $64, R13;           \
	SUBQ $64, BX;            \
	JMP  narrow;             \
done:                            \
	IMUL3Q $(m-1), AX, CX;   \
	ADDQ CX, dst+0(FP);      \
	MOVQ stride+16(FP), CX;  \
	IMUL3Q $m, CX, CX;       \
	ADDQ CX, w+8(FP);        \
	DECQ tiles+48(FP);       \
	JNZ  tile;               \
	VZEROUPPER;              \
	RET

TEXT ·dotTile1(SB), NOSPLIT, $16-56
	DOT(1, VECTORS1)

TEXT ·dotTile2(SB), NOSPLIT, $16-56
	DOT(2, VECTORS2)

TEXT ·dotTile3(SB), NOSPLIT, $16-56
	DOT(3, VECTORS3)

TEXT ·dotTile4(SB), NOSPLIT, $16-56
	DOT(4, VECTORS4)

TEXT ·dotTile5(SB), NOSPLIT, $16-56
	DOT(5, VECTORS5)

TEXT ·dotTile6(SB), NOSPLIT, $16-56
	DOT(6, VECTORS6)

TEXT ·mixTile1(SB), NOSPLIT, $0-56
	MIX(1, VECTORS1)

TEXT ·mixTile2(SB), NOSPLIT, $0-56
	MIX(2, VECTORS2)

TEXT ·mixTile3(SB), NOSPLIT, $0-56
	MIX(3, VECTORS3)

TEXT ·mixTile4(SB), NOSPLIT, $0-56
	MIX(4, VECTORS4)

TEXT ·mixTile5(SB), NOSPLIT, $0-56
	MIX(5, VECTORS5)

TEXT ·mixTile6(SB), NOSPLIT, $0-56
	MIX(6, VECTORS6)
