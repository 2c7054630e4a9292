//go:build amd64

#include "textflag.h"

// Exponentials for AVX-512. Lengths are multiples of eight, and not 0.

DATA expmagic<>+0(SB)/4, $0x4b400000
GLOBL expmagic<>(SB), RODATA|NOPTR, $4
DATA explog2e<>+0(SB)/4, $0x3fb8aa3b
GLOBL explog2e<>(SB), RODATA|NOPTR, $4
DATA expln2hi<>+0(SB)/4, $0x3f317200
GLOBL expln2hi<>(SB), RODATA|NOPTR, $4
DATA expln2lo<>+0(SB)/4, $0x35bfbe8e
GLOBL expln2lo<>(SB), RODATA|NOPTR, $4
DATA expc1<>+0(SB)/4, $0x3f7ffff6
GLOBL expc1<>(SB), RODATA|NOPTR, $4
DATA expc2<>+0(SB)/4, $0x3efffedb
GLOBL expc2<>(SB), RODATA|NOPTR, $4
DATA expc3<>+0(SB)/4, $0x3e2aaf33
GLOBL expc3<>(SB), RODATA|NOPTR, $4
DATA expc4<>+0(SB)/4, $0x3d2b9f17
GLOBL expc4<>(SB), RODATA|NOPTR, $4
DATA expc5<>+0(SB)/4, $0x3c072010
GLOBL expc5<>(SB), RODATA|NOPTR, $4
DATA expone<>+0(SB)/4, $0x3f800000
GLOBL expone<>(SB), RODATA|NOPTR, $4
DATA expabs<>+0(SB)/4, $0x7fffffff
GLOBL expabs<>(SB), RODATA|NOPTR, $4
DATA expfar<>+0(SB)/4, $0x42fc0000
GLOBL expfar<>(SB), RODATA|NOPTR, $4
DATA expbeyond<>+0(SB)/4, $0x43400000
GLOBL expbeyond<>(SB), RODATA|NOPTR, $4
DATA expbelow<>+0(SB)/4, $0x82000000
GLOBL expbelow<>(SB), RODATA|NOPTR, $4
DATA expabove<>+0(SB)/4, $0x7f000000
GLOBL expabove<>(SB), RODATA|NOPTR, $4


#define EXPCONST \
	VBROADCASTSS expmagic<>(SB), Z16;  \
	VBROADCASTSS explog2e<>(SB), Z17;  \
	VBROADCASTSS expln2hi<>(SB), Z18;  \
	VBROADCASTSS expln2lo<>(SB), Z19;  \
	VBROADCASTSS expc1<>(SB), Z20;     \
	VBROADCASTSS expc2<>(SB), Z21;     \
	VBROADCASTSS expc3<>(SB), Z22;     \
	VBROADCASTSS expc4<>(SB), Z23;     \
	VBROADCASTSS expc5<>(SB), Z24;     \
	VBROADCASTSS expone<>(SB), Z25;    \
	VBROADCASTSS expabs<>(SB), Z26;    \
	VBROADCASTSS expfar<>(SB), Z27;    \
	VBROADCASTSS expbeyond<>(SB), Z28; \
	VBROADCASTSS expbelow<>(SB), Z29;  \
	VBROADCASTSS expabove<>(SB), Z30

// EXP replaces x by its exponential, as the function for AVX2 does. It leaves
// n in n, e in e and j in j for FAR, and in k which elements need that.
#define EXP(x, n, e, j, t, u, b, k) \
	VMOVAPS      Z16, n;        \
	VFMADD231PS  Z17, x, n;     \
	VPSLLD       $23, n, e;     \
	VSUBPS       Z16, n, n;     \
	VMOVAPS      x, b;          \
	VFNMADD231PS Z18, n, b;     \
	VFNMADD231PS Z19, n, b;     \
	VMULPS       b, b, u;       \
	VMOVAPS      Z23, j;        \
	VFMADD231PS  Z24, b, j;     \
	VMOVAPS      Z21, t;        \
	VFMADD231PS  Z22, b, t;     \
	VFMADD213PS  t, u, j;       \
	VMULPS       b, Z20, t;     \
	VFMADD213PS  t, u, j;       \
	VPADDD       Z25, e, t;     \
	VMOVAPS      t, x;          \
	VFMADD231PS  j, t, x;       \
	VPANDD       Z26, n, t;     \
	VCMPPS       $30, Z27, t, k

// FAR mends those elements of x where the power of two does not fit in one
// factor.
#define FAR(x, n, e, j, t, u, b, k) \
	VXORPS      b, b, b;           \
	VCMPPS      $2, b, n, K4;      \
	VMOVDQA32.Z Z29, K4, u;        \
	VPSUBD      u, e, t;           \
	VPADDD      Z30, u, u;         \
	VMOVAPS     t, b;              \
	VFMADD231PS j, t, b;           \
	VMULPS      u, b, b;           \
	VMOVAPS     b, k, x;           \
	VMULPS      u, u, u;           \
	VPANDD      Z26, n, t;         \
	VCMPPS      $30, Z28, t, K4;   \
	VMOVAPS     u, K4, x

// func expSumAVX512(x *float32, n int, top float32) float64
//
// It takes four registers of AVX2 at a time, whose sums are added in order.
TEXT ·expSumAVX512(SB), NOSPLIT, $0-32
	MOVQ         x+0(FP), DI
	MOVQ         n+8(FP), CX
	VBROADCASTSS top+16(FP), Z31
	EXPCONST
	VXORPD       X15, X15, X15
	MOVL         $0x1111, AX
	KMOVW        AX, K3
	MOVL         $-1, AX
	KMOVW        AX, K1
	KMOVW        AX, K2

loop:
	CMPQ CX, $32
	JGE  load

	// The masks of what is left.
	MOVQ  CX, BX
	MOVL  $1, AX
	SHLQ  CX, AX
	DECQ  AX
	KMOVW AX, K1
	SHRQ  $16, AX
	KMOVW AX, K2

load:
	VMOVUPS.Z (DI), K1, Z0
	VMOVUPS.Z 64(DI), K2, Z1
	VSUBPS    Z31, Z0, Z0
	VSUBPS    Z31, Z1, Z1
	EXP(Z0, Z2, Z3, Z4, Z5, Z6, Z7, K5)
	EXP(Z1, Z8, Z9, Z10, Z11, Z12, Z13, K6)
	KORTESTW  K5, K6
	JZ        near
	FAR(Z0, Z2, Z3, Z4, Z5, Z6, Z7, K5)
	FAR(Z1, Z8, Z9, Z10, Z11, Z12, Z13, K6)

near:
	VMOVUPS      Z0, K1, (DI)
	VMOVUPS      Z1, K2, 64(DI)
	VSHUFF64X2   $0x88, Z1, Z0, Z2
	VSHUFF64X2   $0xdd, Z1, Z0, Z3
	VADDPS       Z3, Z2, Z0
	VPERMILPD    $0x55, Z0, Z1
	VADDPS       Z1, Z0, Z0
	VMOVSHDUP    Z0, Z1
	VADDPS       Z1, Z0, Z0
	VCOMPRESSPS  Z0, K3, Z0
	VCVTPS2PD    X0, Y0
	VADDSD       X0, X15, X15
	CMPQ         CX, $8
	JLE          done
	VUNPCKHPD    X0, X0, X1
	VADDSD       X1, X15, X15
	CMPQ         CX, $16
	JLE          done
	VEXTRACTF128 $1, Y0, X0
	VADDSD       X0, X15, X15
	CMPQ         CX, $24
	JLE          done
	VUNPCKHPD    X0, X0, X1
	VADDSD       X1, X15, X15
	ADDQ         $128, DI
	SUBQ         $32, CX
	JNZ          loop

done:
	VMOVSD X15, ret+24(FP)
	VZEROUPPER
	RET

// func siluMulAVX512(gate, up *float32, n int)
TEXT ·siluMulAVX512(SB), NOSPLIT, $0-24
	MOVQ   gate+0(FP), DI
	MOVQ   up+8(FP), SI
	MOVQ   n+16(FP), CX
	EXPCONST
	VPTERNLOGD $0xff, Z31, Z31, Z31
	VPSLLD $31, Z31, Z31
	MOVL   $-1, AX
	KMOVW  AX, K1

loop:
	CMPQ  CX, $16
	JGE   load
	MOVL  $0xff, AX
	KMOVW AX, K1

load:
	VMOVUPS.Z (DI), K1, Z14
	VPXORD    Z31, Z14, Z0
	EXP(Z0, Z2, Z3, Z4, Z5, Z6, Z7, K5)
	KORTESTW  K5, K5
	JZ        near
	FAR(Z0, Z2, Z3, Z4, Z5, Z6, Z7, K5)

near:
	VADDPS    Z25, Z0, Z0
	VDIVPS    Z0, Z14, Z0
	VMOVUPS.Z (SI), K1, Z1
	VMULPS    Z1, Z0, Z0
	VMOVUPS   Z0, K1, (DI)
	ADDQ      $64, DI
	ADDQ      $64, SI
	SUBQ      $16, CX
	JG        loop
	VZEROUPPER
	RET
