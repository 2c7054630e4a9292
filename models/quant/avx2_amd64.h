// Macros of the AVX2 kernels. They decode 32 weights at a time to Y4 to Y7,
// and either multiply them by 32 activations (STEP, sums in Y0 to Y3) or
// store them (STORE).

// STEP multiplies and adds what was decoded, and counts 32 columns.
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

// STORE stores what was decoded, and counts 32 columns.
#define STORE \
	VMOVUPS Y4, (DI);   \
	VMOVUPS Y5, 32(DI); \
	VMOVUPS Y6, 64(DI); \
	VMOVUPS Y7, 96(DI); \
	ADDQ    $128, DI;   \
	SUBQ    $32, BX

// BEGIN begins a row.
#define BEGIN \
	MOVQ   x+24(FP), DI;    \
	MOVQ   cols+32(FP), BX; \
	VXORPS Y0, Y0, Y0;      \
	VXORPS Y1, Y1, Y1;      \
	VXORPS Y2, Y2, Y2;      \
	VXORPS Y3, Y3, Y3

// END ends a row, and sets the flags for a jump if there are more.
#define END \
	VADDPS       Y1, Y0, Y0; \
	VADDPS       Y3, Y2, Y2; \
	VADDPS       Y2, Y0, Y0; \
	VEXTRACTF128 $1, Y0, X1; \
	VADDPS       X1, X0, X0; \
	VMOVHLPS     X0, X0, X1; \
	VADDPS       X1, X0, X0; \
	VMOVSHDUP    X0, X1;     \
	VADDSS       X1, X0, X0; \
	VMOVSS       X0, (DX);   \
	ADDQ         $4, DX;     \
	DECQ         CX

#define TOFLOAT \
	VCVTDQ2PS Y4, Y4; \
	VCVTDQ2PS Y5, Y5; \
	VCVTDQ2PS Y6, Y6; \
	VCVTDQ2PS Y7, Y7

#define SCALE(s) \
	VMULPS s, Y4, Y4; \
	VMULPS s, Y5, Y5; \
	VMULPS s, Y6, Y6; \
	VMULPS s, Y7, Y7

#define SUBTRACT(o) \
	VSUBPS o, Y4, Y4; \
	VSUBPS o, Y5, Y5; \
	VSUBPS o, Y6, Y6; \
	VSUBPS o, Y7, Y7
