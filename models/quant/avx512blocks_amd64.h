// Macros of the AVX-512 kernels for formats with blocks of 32, and for floats.
// DECODER(p, a, b) decodes the block of size bytes at p into a and b.

#define MULBLOCKS(const, decoder, size) \
	ARGS;                \
	const;               \
row:                         \
	BEGIN;               \
loop:                        \
	decoder(SI, Z4, Z5); \
	ADDQ $size, SI;      \
	STEP;                \
	JG   loop;           \
	END;                 \
	JNZ  row;            \
	VZEROUPPER;          \
	RET

#define PANELBLOCKS(const, decoder, size) \
	PANELARGS;           \
	const;               \
loop:                        \
	decoder(SI, Z4, Z5); \
	ADDQ $size, SI;      \
	STORE;               \
	JG   loop;           \
	VZEROUPPER;          \
	RET

// With four vectors, rows go in pairs, so that what is loaded of a vector
// serves both. The first row of a pair has its sums in Z16 to Z23 as a single
// one has, the second in Z24 to Z31.

// BOTH multiplies the activations at x and 64 bytes on by the weights of both
// rows, in Z4 and Z5, and in Z10 and Z11.
#define BOTH(x, x64, a, b, c, d) \
	VMOVUPS x, Z0;       \
	VMOVUPS x64, Z1;     \
	VMULPS  Z0, Z4, Z2;  \
	VMULPS  Z1, Z5, Z3;  \
	VMULPS  Z0, Z10, Z6; \
	VMULPS  Z1, Z11, Z7; \
	VADDPS  Z2, a, a;    \
	VADDPS  Z3, b, b;    \
	VADDPS  Z6, c, c;    \
	VADDPS  Z7, d, d

#define STEP8 \
	BOTH((DI), 64(DI), Z16, Z17, Z24, Z25);                     \
	BOTH((DI)(R9*1), 64(DI)(R9*1), Z18, Z19, Z26, Z27);         \
	BOTH((DI)(R9*2), 64(DI)(R9*2), Z20, Z21, Z28, Z29);         \
	BOTH((DI)(R8*1), 64(DI)(R8*1), Z22, Z23, Z30, Z31);         \
	ADDQ $128, DI;                                              \
	SUBQ $32, BX

#define BEGIN8 \
	BEGIN4;                 \
	VPXORD Z24, Z24, Z24;   \
	VPXORD Z25, Z25, Z25;   \
	VPXORD Z26, Z26, Z26;   \
	VPXORD Z27, Z27, Z27;   \
	VPXORD Z28, Z28, Z28;   \
	VPXORD Z29, Z29, Z29;   \
	VPXORD Z30, Z30, Z30;   \
	VPXORD Z31, Z31, Z31

// END8 ends a pair of rows.
#define END8 \
	FOUR(Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23, Z4); \
	FOUR(Z24, Z25, Z26, Z27, Z28, Z29, Z30, Z31, Z5); \
	VUNPCKLPD     Z5, Z4, Z0;           \
	VUNPCKHPD     Z5, Z4, Z1;           \
	VADDPS        Z1, Z0, Z0;           \
	VMOVSHDUP     Z0, Z1;               \
	VADDPS        Z1, Z0, Z0;           \
	MOVQ          dstRow+48(FP), BX;    \
	PUT4;                               \
	ADDQ          BX, DX;               \
	VUNPCKHPD     Z0, Z0, Z0;           \
	PUT4;                               \
	ADDQ          BX, DX;               \
	SUBQ          $2, CX

// MUL4BLOCKS is the body of a product with four vectors. The blocks of a pair
// are decoded to Z8, Z9, Z12 and Z13 while those before them are multiplied,
// since they take long to become ready: the first ones of a pair at the end
// of the pair before. SI and R13 point to the next blocks of the two rows, R12
// is the length of a row.
#define MUL4BLOCKS(const, decoder, size) \
	ARGS;                      \
	MOVQ  stride+32(FP), R9;   \
	LEAQ  (R9)(R9*2), R8;      \
	const;                     \
	FOURCONST;                 \
	MOVQ  cols+40(FP), R12;    \
	SHRQ  $5, R12;             \
	IMULQ $size, R12;          \
	CMPQ  CX, $2;              \
	JLT   last;                \
	LEAQ  (SI)(R12*1), R13;    \
	decoder(SI, Z8, Z9);       \
	decoder(R13, Z12, Z13);    \
	ADDQ  $size, SI;           \
	ADDQ  $size, R13;          \
pair:                              \
	BEGIN8;                    \
block:                             \
	VMOVAPS Z8, Z4;            \
	VMOVAPS Z9, Z5;            \
	VMOVAPS Z12, Z10;          \
	VMOVAPS Z13, Z11;          \
	CMPQ  BX, $32;             \
	JEQ   turn;                \
decode:                            \
	decoder(SI, Z8, Z9);       \
	decoder(R13, Z12, Z13);    \
	ADDQ  $size, SI;           \
	ADDQ  $size, R13;          \
step:                              \
	STEP8;                     \
	JG    block;               \
	END8;                      \
	CMPQ  CX, $2;              \
	JGE   pair;                \
last:                              \
	TESTQ CX, CX;              \
	JZ    done;                \
	BEGIN4;                    \
lastBlock:                         \
	decoder(SI, Z4, Z5);       \
	ADDQ  $size, SI;           \
	STEP4;                     \
	JG    lastBlock;           \
	END4;                      \
done:                              \
	VZEROUPPER;                \
	RET;                       \
turn:                              \
	MOVQ  R13, SI;             \
	ADDQ  R12, R13;            \
	CMPQ  CX, $4;              \
	JGE   decode;              \
	JMP   step
