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
	MOVQ n+16(FP), BX

// HALF loads a half to all lanes of y.
#define HALF(m, y, x) \
	VPBROADCASTW m, x; \
	VCVTPH2PS    x, y

// SUBS45 unpacks the sub-scales and offsets of a Q4_K or Q5_K block to the
// stack, eight of d*scale and then eight of dmin*offset.
#define SUBS45 \
	MOVL         4(SI), AX;        \
	MOVL         8(SI), R10;       \
	MOVL         12(SI), R11;      \
	MOVL         R11, R12;         \
	ANDL         $0x0f0f0f0f, R12; \
	MOVL         AX, R13;          \
	SHRL         $2, R13;          \
	ANDL         $0x30303030, R13; \
	ORL          R13, R12;         \
	ANDL         $0x3f3f3f3f, AX;  \
	SHLQ         $32, R12;         \
	ORQ          R12, AX;          \
	SHRL         $4, R11;          \
	ANDL         $0x0f0f0f0f, R11; \
	MOVL         R10, R13;         \
	SHRL         $2, R13;          \
	ANDL         $0x30303030, R13; \
	ORL          R13, R11;         \
	ANDL         $0x3f3f3f3f, R10; \
	SHLQ         $32, R11;         \
	ORQ          R11, R10;         \
	VMOVQ        AX, X8;           \
	VPMOVZXBD    X8, Y8;           \
	VCVTDQ2PS    Y8, Y8;           \
	VMOVQ        R10, X9;          \
	VPMOVZXBD    X9, Y9;           \
	VCVTDQ2PS    Y9, Y9;           \
	HALF((SI), Y10, X10);          \
	HALF(2(SI), Y11, X11);         \
	VMULPS       Y10, Y8, Y8;      \
	VMULPS       Y11, Y9, Y9;      \
	VMOVUPS      Y8, 0(SP);        \
	VMOVUPS      Y9, 32(SP)

// AHEAD asks for the cache line at offset at two pages on: the processor's
// own prefetchers stop where a page ends, which costs a third of the speed
// when weights come from main memory. It never faults.
#define AHEAD(at) PREFETCHT0 (8192+at)(SI)

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
