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
	VMOVUPS Z4, (DI);        \
	VMOVUPS Z5, (DI)(R8*1);  \
	ADDQ    R9, DI;          \
	SUBQ    $32, BX

// PANELARGS loads the arguments of a decoder:
// func(dst *float32, src *byte, n, step, half int)
#define PANELARGS \
	DECODEARGS;             \
	MOVQ step+24(FP), R9;   \
	MOVQ half+32(FP), R8

// PANEL is the body of a decoder.
#define PANEL(const, type) \
	PANELARGS;   \
	const;       \
loop:                \
	type(STORE); \
	JG   loop;   \
	VZEROUPPER;  \
	RET

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

// HALVE adds the upper half of each of a and b to its lower half, and leaves
// the sums in to, that of b in its upper half. It blends what needs no
// shuffle, since fewer units shuffle.
#define HALVE(a, b, to) \
	VBLENDMPS  b, a, K3, Z0;    \
	VSHUFF64X2 $0x4e, b, a, Z1; \
	VADDPS     Z1, Z0, to

// FOUR adds the 32 lanes of each of four vectors, in pairs of registers from
// a and b on, up to four lanes. The first vector is in the first quarter of
// to, the second in the third, the third in the second.
#define FOUR(a, b, c, d, e, f, g, h, to) \
	HALVE(a, b, Z2);               \
	HALVE(c, d, Z3);               \
	HALVE(e, f, Z6);               \
	HALVE(g, h, Z7);               \
	HALVE(Z2, Z3, Z2);             \
	HALVE(Z6, Z7, Z6);             \
	VBLENDMPS  Z6, Z2, K4, Z0;     \
	VBLENDMPS  Z2, Z6, K4, Z1;     \
	VSHUFF64X2 $0xb1, Z1, Z1, Z1;  \
	VADDPS     Z1, Z0, to

// FOURCONST sets K3 and K4, which FOUR needs: the upper half, and the second
// and fourth quarter.
#define FOURCONST \
	MOVL  $0xff00, AX; \
	KMOVW AX, K3;      \
	MOVL  $0xf0f0, AX; \
	KMOVW AX, K4

// PUT4 stores the first element of each quarter of Z0, in the order of FOUR,
// at DX and so on.
#define PUT4 \
	MOVQ          dstVec+56(FP), AX; \
	VEXTRACTF32X4 $2, Z0, X1;        \
	VEXTRACTF32X4 $1, Z0, X2;        \
	VEXTRACTF32X4 $3, Z0, X3;        \
	VMOVSS        X0, (DX);          \
	VMOVSS        X1, (DX)(AX*1);    \
	VMOVSS        X2, (DX)(AX*2);    \
	LEAQ          (AX)(AX*2), AX;    \
	VMOVSS        X3, (DX)(AX*1)

// END4 ends a row of four vectors.
#define END4 \
	FOUR(Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23, Z4); \
	VUNPCKHPD Z4, Z4, Z0;        \
	VADDPS    Z4, Z0, Z0;        \
	VMOVSHDUP Z0, Z1;            \
	VADDPS    Z1, Z0, Z0;        \
	PUT4;                        \
	ADDQ      dstRow+48(FP), DX; \
	DECQ      CX

// MUL4 is the body of a product with four vectors:
// func(dst *float32, w *byte, rows int, x *float32, stride, cols, dstRow, dstVec int)
#define MUL4(const, type) \
	ARGS;                     \
	MOVQ stride+32(FP), R9;   \
	LEAQ (R9)(R9*2), R8;      \
	FOURCONST;                \
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
