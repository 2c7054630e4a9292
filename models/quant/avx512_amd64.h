// Macros of the AVX-512 kernels. They decode 32 weights at a time to Z4 and
// Z5, and either multiply them by 32 activations (STEP, sums in Z0 and Z1), by
// those of four vectors (STEP4, sums in Z16 to Z23), or store them (STORE).

// HALFZ loads a half to all lanes of z, whose low part is x. What follows the
// half in memory is read too.
#define HALFZ(m, x, z) \
	VMOVD        m, x; \
	VCVTPH2PS    x, x; \
	VBROADCASTSS x, z

#define STEP \
	VMULPS (DI), Z4, Z4;   \
	VMULPS 64(DI), Z5, Z5; \
	VADDPS Z4, Z0, Z0;     \
	VADDPS Z5, Z1, Z1;     \
	ADDQ   $128, DI;       \
	SUBQ   $32, BX

#define STORE \
	VMOVUPS Z4, (DI);   \
	VMOVUPS Z5, 64(DI); \
	ADDQ    $128, DI;   \
	SUBQ    $32, BX

#define BEGIN \
	MOVQ   x+24(FP), DI;    \
	MOVQ   cols+32(FP), BX; \
	VPXORD Z0, Z0, Z0;      \
	VPXORD Z1, Z1, Z1

#define END \
	VEXTRACTF64X4 $1, Z0, Y2; \
	VEXTRACTF64X4 $1, Z1, Y3; \
	VADDPS        Y2, Y0, Y0; \
	VADDPS        Y3, Y1, Y1; \
	VADDPS        Y1, Y0, Y0; \
	VEXTRACTF128  $1, Y0, X1; \
	VADDPS        X1, X0, X0; \
	VMOVHLPS      X0, X0, X1; \
	VADDPS        X1, X0, X0; \
	VMOVSHDUP     X0, X1;     \
	VADDSS        X1, X0, X0; \
	VMOVSS        X0, (DX);   \
	ADDQ          $4, DX;     \
	DECQ          CX

// STEP4 does STEP for vectors at DI and R9, 2*R9 and R8 bytes after it.
#define STEP4 \
	VMULPS (DI), Z4, Z24;           \
	VMULPS 64(DI), Z5, Z25;         \
	VMULPS (DI)(R9*1), Z4, Z26;     \
	VMULPS 64(DI)(R9*1), Z5, Z27;   \
	VADDPS Z24, Z16, Z16;           \
	VADDPS Z25, Z17, Z17;           \
	VADDPS Z26, Z18, Z18;           \
	VADDPS Z27, Z19, Z19;           \
	VMULPS (DI)(R9*2), Z4, Z24;     \
	VMULPS 64(DI)(R9*2), Z5, Z25;   \
	VMULPS (DI)(R8*1), Z4, Z26;     \
	VMULPS 64(DI)(R8*1), Z5, Z27;   \
	VADDPS Z24, Z20, Z20;           \
	VADDPS Z25, Z21, Z21;           \
	VADDPS Z26, Z22, Z22;           \
	VADDPS Z27, Z23, Z23;           \
	ADDQ   $128, DI;                \
	SUBQ   $32, BX

#define BEGIN4 \
	MOVQ   x+24(FP), DI;     \
	MOVQ   cols+40(FP), BX;  \
	VPXORD Z16, Z16, Z16;    \
	VPXORD Z17, Z17, Z17;    \
	VPXORD Z18, Z18, Z18;    \
	VPXORD Z19, Z19, Z19;    \
	VPXORD Z20, Z20, Z20;    \
	VPXORD Z21, Z21, Z21;    \
	VPXORD Z22, Z22, Z22;    \
	VPXORD Z23, Z23, Z23

// FOLD adds the 32 lanes in a and b up to four, in x (the low part of y).
#define FOLD(a, b, y, x) \
	VMOVAPS       a, Z0;      \
	VMOVAPS       b, Z1;      \
	VEXTRACTF64X4 $1, Z0, Y2; \
	VEXTRACTF64X4 $1, Z1, Y3; \
	VADDPS        Y2, Y0, Y0; \
	VADDPS        Y3, Y1, Y1; \
	VADDPS        Y1, Y0, y;  \
	VEXTRACTF128  $1, y, X2;  \
	VADDPS        X2, x, x

// END4 ends a row of four vectors.
#define END4 \
	FOLD(Z16, Z17, Y4, X4);    \
	FOLD(Z18, Z19, Y5, X5);    \
	FOLD(Z20, Z21, Y6, X6);    \
	FOLD(Z22, Z23, Y7, X7);    \
	VUNPCKLPD X5, X4, X0;      \
	VUNPCKHPD X5, X4, X1;      \
	VADDPS    X1, X0, X0;      \
	VUNPCKLPD X7, X6, X2;      \
	VUNPCKHPD X7, X6, X3;      \
	VADDPS    X3, X2, X2;      \
	VSHUFPS   $0x88, X2, X0, X1; \
	VSHUFPS   $0xdd, X2, X0, X3; \
	VADDPS    X3, X1, X1;      \
	MOVQ       dstVec+56(FP), AX;     \
	VMOVSS     X1, (DX);               \
	VEXTRACTPS $1, X1, (DX)(AX*1);    \
	VEXTRACTPS $2, X1, (DX)(AX*2);    \
	LEAQ       (AX)(AX*2), AX;      \
	VEXTRACTPS $3, X1, (DX)(AX*1);    \
	ADDQ       dstRow+48(FP), DX;      \
	DECQ       CX

// MUL4 is the body of a product with four vectors:
// func(dst *float32, w *byte, rows int, x *float32, stride, cols, dstRow, dstVec int)
#define MUL4(const, type) \
	ARGS;                     \
	MOVQ stride+32(FP), R9;   \
	LEAQ (R9)(R9*2), R8;      \
	const;                    \
row:                          \
	BEGIN4;                   \
loop:                         \
	type(STEP4);              \
	JG   loop;                \
	END4;                     \
	JNZ  row;                 \
	VZEROUPPER;               \
	RET

// The sub-scales of a block are unpacked while the block before it is
// multiplied: they take long to become ready. R12 points to those of the
// present block, on cache lines of the stack, and R11 to where those of the
// next go. SUBS stands for a macro that unpacks them from R13.

// FIRST unpacks the sub-scales of the first block.
#define FIRST(subs) \
	LEAQ  127(SP), R11;  \
	ANDQ  $-128, R11;    \
	MOVQ  SI, R13;       \
	subs;                \
	MOVQ  R11, R12;      \
	ADDQ  $128, R11

// NEXT unpacks the sub-scales of the block after the one of size bytes at SI;
// after the last (row CX is 1, column BX is 256 from the end), that one's
// again.
#define NEXT(subs, size) \
	LEAQ    (size)(SI), R13; \
	LEAQ    -1(CX), AX;      \
	LEAQ    -256(BX), R10;   \
	ORQ     R10, AX;         \
	CMOVQEQ SI, R13;         \
	subs

// DONE ends a block of size bytes, and sets the flags for a jump if there are
// more.
#define DONE(size) \
	XCHGQ R11, R12;       \
	ADDQ  $size, SI;      \
	CMPQ  BX, $0
