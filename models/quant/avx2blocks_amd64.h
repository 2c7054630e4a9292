// Macros of the AVX2 kernels for products with four vectors. There are not
// registers enough for 32 sums of each vector, so a row is taken twice: first
// the lower half of every block, whose decoder is LOW, then the upper half. A
// decoder leaves its 16 weights in Y12 and Y15, and may use Y10, Y11 and AX
// besides what its constants take.

// PART multiplies the weights by 16 activations at x and 32 bytes on.
#define PART(x, x32, a, b, t, u) \
	VMULPS x, Y8, t;   \
	VMULPS x32, Y9, u; \
	VADDPS t, a, a;    \
	VADDPS u, b, b

// STEP4 does PART for vectors at DI and R9, 2*R9 and R8 bytes after it.
#define STEP4 \
	PART((DI), 32(DI), Y0, Y1, Y10, Y11);               \
	PART((DI)(R9*1), 32(DI)(R9*1), Y2, Y3, Y10, Y11);   \
	PART((DI)(R9*2), 32(DI)(R9*2), Y4, Y5, Y10, Y11);   \
	PART((DI)(R8*1), 32(DI)(R8*1), Y6, Y7, Y10, Y11);   \
	ADDQ $128, DI;                                      \
	SUBQ $32, BX

#define BEGIN4 \
	MOVQ   x+24(FP), DI;    \
	MOVQ   cols+40(FP), BX; \
	VXORPS Y0, Y0, Y0;      \
	VXORPS Y1, Y1, Y1;      \
	VXORPS Y2, Y2, Y2;      \
	VXORPS Y3, Y3, Y3;      \
	VXORPS Y4, Y4, Y4;      \
	VXORPS Y5, Y5, Y5;      \
	VXORPS Y6, Y6, Y6;      \
	VXORPS Y7, Y7, Y7

// FOLD4 adds the sums of each vector up to eight lanes.
#define FOLD4 \
	VADDPS Y1, Y0, Y0; \
	VADDPS Y3, Y2, Y2; \
	VADDPS Y5, Y4, Y4; \
	VADDPS Y7, Y6, Y6

// KEEP4 keeps the sums of the lower halves on the stack.
#define KEEP4 \
	VMOVUPS Y0, 0(SP);  \
	VMOVUPS Y2, 32(SP); \
	VMOVUPS Y4, 64(SP); \
	VMOVUPS Y6, 96(SP)

// END4 adds what KEEP4 kept and ends a row.
#define END4 \
	VADDPS     0(SP), Y0, Y0;       \
	VADDPS     32(SP), Y2, Y2;      \
	VADDPS     64(SP), Y4, Y4;      \
	VADDPS     96(SP), Y6, Y6;      \
	VPERM2F128 $0x20, Y2, Y0, Y1;   \
	VPERM2F128 $0x31, Y2, Y0, Y3;   \
	VADDPS     Y3, Y1, Y1;          \
	VPERM2F128 $0x20, Y6, Y4, Y5;   \
	VPERM2F128 $0x31, Y6, Y4, Y7;   \
	VADDPS     Y7, Y5, Y5;          \
	VUNPCKLPD  Y5, Y1, Y0;          \
	VUNPCKHPD  Y5, Y1, Y2;          \
	VADDPS     Y2, Y0, Y0;          \
	VMOVSHDUP  Y0, Y1;              \
	VADDPS     Y1, Y0, Y0;          \
	VEXTRACTF128 $1, Y0, X1;        \
	MOVQ       dstVec+56(FP), AX;   \
	VMOVSS     X0, (DX);            \
	VMOVSS     X1, (DX)(AX*1);      \
	VEXTRACTPS $2, X0, (DX)(AX*2);  \
	LEAQ       (AX)(AX*2), AX;      \
	VEXTRACTPS $2, X1, (DX)(AX*1);  \
	ADDQ       dstRow+48(FP), DX;   \
	DECQ       CX

// MUL4 is the body of a product with four vectors:
// func(dst *float32, w *byte, rows int, x *float32, stride, cols, dstRow, dstVec int)
//
// A half is decoded while the one before it is multiplied, since it takes long
// to become ready: the first upper half at the end of the lower ones, and the
// first of a row at the end of the row before. SI points to the next block,
// R13 to the row.
#define MUL4(const, low, high, size) \
	ARGS;                   \
	MOVQ stride+32(FP), R9; \
	LEAQ (R9)(R9*2), R8;    \
	const;                  \
	MOVQ SI, R13;           \
	low;                    \
	ADDQ $size, SI;         \
row:                            \
	BEGIN4;                 \
lowBlock:                       \
	VMOVAPS Y12, Y8;        \
	VMOVAPS Y15, Y9;        \
	CMPQ BX, $32;           \
	JEQ  lowTurn;           \
	low;                    \
	ADDQ $size, SI;         \
lowStep:                        \
	STEP4;                  \
	JG   lowBlock;          \
	FOLD4;                  \
	KEEP4;                  \
	BEGIN4;                 \
	ADDQ $64, DI;           \
highBlock:                      \
	VMOVAPS Y12, Y8;        \
	VMOVAPS Y15, Y9;        \
	CMPQ BX, $32;           \
	JEQ  highTurn;          \
	high;                   \
	ADDQ $size, SI;         \
highStep:                       \
	STEP4;                  \
	JG   highBlock;         \
	FOLD4;                  \
	END4;                   \
	JNZ  row;               \
	VZEROUPPER;             \
	RET;                    \
lowTurn:                        \
	MOVQ R13, SI;           \
	high;                   \
	ADDQ $size, SI;         \
	JMP  lowStep;           \
highTurn:                       \
	MOVQ SI, R13;           \
	CMPQ CX, $1;            \
	JEQ  highStep;          \
	low;                    \
	ADDQ $size, SI;         \
	JMP  highStep
