// Macros that the kernels of both instruction sets share. SI points to the
// weights, DI to the activations or the result, BX counts columns.

// ARGS loads the arguments of a product:
// func(dst *float32, w *byte, rows int, x *float32, cols int)
#define ARGS \
	MOVQ dst+0(FP), DX;  \
	MOVQ w+8(FP), SI;    \
	MOVQ rows+16(FP), CX

// DECODEARGS loads the arguments of a decoder:
// func(dst *float32, src *byte, n int)
#define DECODEARGS \
	MOVQ dst+0(FP), DI;  \
	MOVQ src+8(FP), SI;  \
	MOVQ n+16(FP), BX;   \
	MOVQ $1, CX

// HALF loads a half to all lanes of y.
#define HALF(m, y, x) \
	VPBROADCASTW m, x; \
	VCVTPH2PS    x, y

// HALVES makes the table of all halves known, which spares the vector units
// a conversion and a broadcast for each block.
#define HALVES LEAQ ·halfTable(SB), R10

// AHEAD asks for the cache line two pages after offset at of p: the processor's
// own prefetchers stop where a page ends, which costs a third of the speed
// when weights come from main memory. It never faults.
#define AHEAD(p, at) PREFETCHT0 (8192+at)(p)

#define NOCONST

// MUL is the body of a product, DECODE that of a decoder.
#define MUL(const, type) \
	ARGS;       \
	const;      \
row:            \
	BEGIN;      \
loop:           \
	type(STEP); \
	JG   loop;  \
	END;        \
	JNZ  row;   \
	VZEROUPPER; \
	RET

#define DECODE(const, type) \
	DECODEARGS;  \
	const;       \
loop:            \
	type(STORE); \
	JG   loop;   \
	VZEROUPPER;  \
	RET
