/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory instructions. Each is an address form (the step function: global, flat, scratch, buffer, ds)
 * and an operation on each lane's bytes (load, store, atomic; semantics/memory_ops.def). The step
 * finds the host pointer of every active lane first, and with it every fault; then the operation runs.
 */
#ifndef EZ_EXEC_MEMORY_H
#define EZ_EXEC_MEMORY_H

#include <string.h>

#include "access.h"
#include "step.h"

typedef enum ez_memory_kind { EZ_MEM_LOAD, EZ_MEM_STORE, EZ_MEM_ATOMIC } ez_memory_kind;

/* The lanes of one access, ready for the operation. */
typedef struct ez_access_lanes {
    uint8_t *p[EZ_MAX_LANES]; /* the first byte of each active lane */
    uint64_t active;          /* lanes that access memory */
    uint64_t nothing;         /* lanes whose access is out of range: they load 0 and store nothing */
    uint32_t stride;          /* from a dword of a lane to its next, in bytes: 4 but in swizzled memory */
    unsigned lanes;           /* of the wave: the distance of rows */
    uint32_t *d;              /* rows of the result; NULL: none is wanted */
    const uint32_t *s, *s2;   /* rows of the data, and of the second data */
    bool local;               /* memory that no other thread sees: plain operations will do */
    bool flush32;             /* atomics that add f32 flush denormals */
    bool by_rows;             /* set by a step that calls ez_access_run(): then p[] may be left out ... */
    uint8_t shape;            /* ... and the access is done as a whole: ez_shape, EZ_SHAPE_ANY where p[] is filled */
    uint8_t *start;           /* the first byte of lane 0, or of the lowest one where shape is EZ_SHAPE_NEAR */
    const uint32_t *offsets;  /* with EZ_SHAPE_NEAR: of the lanes, and that of the lowest one */
    uint32_t lowest;
    const ez_target *target;
    const ez_wave *wave;
    /* Lanes whose bytes do not lie together are copied here and, unless loaded, back. */
    uint8_t bounce[EZ_MAX_LANES][16];
} ez_access_lanes;

typedef void ez_memory_run(ez_access_lanes *a);

/* What an operation does to memory. */
typedef struct ez_memory_op {
    uint8_t kind;   /* ez_memory_kind */
    uint8_t bytes;  /* of each lane in memory: 1, 2, 4, 8, 12, 16 */
    uint8_t dwords; /* rows of the data or result that one access takes */
    ez_memory_run *run;
} ez_memory_op;

/* Where the parts of a memory instruction are; made by its prepare function, kept in s->imm[1].
 * imm[0] is the instruction's offset in bytes, imm[2] the operation. */
typedef struct ez_memory_operands {
    uint8_t address, base, data, data2, soffset; /* index of the source place, or EZ_NO_PLACE */
    uint8_t old;                                 /* 1: the data are in dst[0] */
    uint8_t returns;                             /* 1: the result goes to dst[0] */
} ez_memory_operands;
enum { EZ_NO_PLACE = 0xff };

static inline ez_memory_operands ez_memory_operands_of(const ez_step *s) {
    ez_memory_operands o;
    memcpy(&o, &s->imm[1], sizeof o);
    return o;
}
static inline const ez_memory_op *ez_memory_op_of(const ez_step *s) {
    return (const ez_memory_op *)(uintptr_t)s->imm[2];
}
static inline uint32_t *ez_place_rows(ez_wave *w, const ez_place *p) { return w->vgpr + p->index; }
static inline const ez_place *ez_source_place(const ez_step *s, uint8_t index) {
    return index == EZ_NO_PLACE || s->src[index].kind == EZ_PLACE_NONE ? NULL : &s->src[index];
}

/* Sets imm[0] to imm[2]; refuses what is not done (tfe, gds, some uses of lds). */
bool ez_prepare_memory(ez_step *s, const ez_memory_op *op);
bool ez_prepare_smem_atomic(ez_step *s, const ez_memory_op *op);

/* Begins an access: data and result rows, all active lanes. */
void ez_access_begin(const ez_wave *w, const ez_step *s, ez_access_lanes *a);

/* Pointers for lanes at those device addresses. False after a fault. */
bool ez_access_global(ez_wave *w, const ez_step *s, const uint64_t *address, uint64_t lanes,
                      ez_access_lanes *a);
/* The same for all active lanes at a base plus an offset each. */
bool ez_access_global_row(ez_wave *w, const ez_step *s, const uint32_t *row, uint64_t base, bool is_signed, ez_access_lanes *a);
bool ez_access_lds_row(ez_wave *w, const ez_step *s, const uint32_t *row, uint64_t base, ez_access_lanes *a);
/* Pointers for lanes at offsets into the workgroup's LDS. */
bool ez_access_lds(ez_wave *w, const ez_step *s, const uint64_t *offset, uint64_t lanes,
                   uint32_t bytes, ez_access_lanes *a);
/* Pointers for lanes at offsets into their scratch; all lanes at once, since they share the stride. */
bool ez_access_scratch(ez_wave *w, const ez_step *s, const uint64_t *offset, uint64_t lanes,
                       bool bounce, ez_access_lanes *a);
/*
 * The common case of a stack: all lanes at one offset, whole dwords. Then a dword of all lanes is one
 * row in memory and is copied as such. False: not this case, nothing has been done.
 */
bool ez_scratch_rows(ez_wave *w, const ez_step *s, uint64_t offset);
/* The same for accesses without bounced lanes. */
void ez_access_do(const ez_wave *w, const ez_memory_op *op, ez_access_lanes *a);
/* Runs the operation; bounced lanes are written back to scratch. */
void ez_access_run(ez_wave *w, const ez_step *s, ez_access_lanes *a, const uint64_t *offset,
                   uint64_t bounced);

/* What the SIMD level of the wave's program has for accesses. */
static inline const ez_access_functions *ez_access_level(const ez_wave *w) { return w->access; }

/* The first lane of a set that is not empty. */
static inline unsigned ez_first_lane(uint64_t lanes) { return (unsigned)__builtin_ctzll(lanes); }

/* What a load that transposes does with the lanes' bytes; imm[3] is the size of an element in bits. */
void ez_transpose(ez_wave *w, const ez_step *s, const ez_access_lanes *a);

/* Writes what a load has given, rows of `value`, to LDS at M0 + offset + lane * size. */
void ez_store_to_lds(ez_wave *w, const ez_step *s, ez_access_lanes *a, const uint32_t *value);

ez_step_fn ez_step_global, ez_step_flat, ez_step_scratch, ez_step_buffer, ez_step_ds,
    ez_step_ds_2addr, ez_step_addtid, ez_step_global_block, ez_step_scratch_block, ez_step_load_lds,
    ez_step_buffer_lds, ez_step_buffer_store_lds, ez_step_scratch_lds, ez_step_async_load, ez_step_async_store;
/* ez_step.flags: of loads from buffers and images that a further VGPR tells whether pages were missing, which they never are;
 * scale_offset. */
enum { EZ_STEP_TFE = 1, EZ_STEP_SCALED = 2 };
void ez_report_residency(ez_wave *w, const ez_step *s);

ez_step_fn ez_step_buffer_typed;
ez_prepare_fn ez_prepare_typed_x, ez_prepare_typed_xy, ez_prepare_typed_xyz, ez_prepare_typed_xyzw, ez_prepare_typed_d16_x,
    ez_prepare_typed_d16_xy, ez_prepare_typed_d16_xyz, ez_prepare_typed_d16_xyzw, ez_prepare_typed_d16_hi_x;

ez_step_fn ez_step_image_load, ez_step_image_store, ez_step_image_atomic, ez_step_image_resinfo, ez_step_image_sample,
    ez_step_image_load_raw, ez_step_image_store_raw;
ez_prepare_fn ez_prepare_image;
bool ez_prepare_image_atomic(ez_step *s, const ez_memory_op *op);

ez_step_fn ez_step_tensor_load, ez_step_tensor_store, ez_step_ds_barrier;
ez_prepare_fn ez_prepare_ds_barrier;
/* `by` waves or lanes arrive at the barrier at an address of LDS; *before: its old state, unless NULL. False after a fault. */
bool ez_lds_barrier_arrive(ez_wave *w, const ez_step *s, unsigned lane, uint64_t address, uint64_t by, uint64_t *before);

ez_step_fn ez_step_smem_load, ez_step_smem_store, ez_step_smem_atomic, ez_step_smem_time,
    ez_step_memory_nothing;
ez_step_fn ez_step_ds_permute, ez_step_ds_bpermute, ez_step_ds_swizzle, ez_step_ds_append,
    ez_step_ds_addtid, ez_step_ds_src2, ez_step_ds_direct, ez_step_ds_transpose, ez_step_global_transpose;
ez_prepare_fn ez_prepare_smem_load, ez_prepare_smem_load_u8, ez_prepare_smem_load_i8,
    ez_prepare_smem_load_u16, ez_prepare_smem_load_i16, ez_prepare_smem_scratch_load, ez_prepare_smem_scratch_store, ez_prepare_smem_store, ez_prepare_smem_time,
    ez_prepare_memory_nothing, ez_prepare_ds_lanes, ez_prepare_ds_append, ez_prepare_transpose;
/* Of DS instructions with two offsets: the same with imm[3], the unit of the offsets in bytes. */
ez_prepare_fn ez_prepare_2addr_LOAD_B32, ez_prepare_2addr_LOAD_B64, ez_prepare_2addr_STORE_B32,
    ez_prepare_2addr_STORE_B64, ez_prepare_2addr_SWAP_B32, ez_prepare_2addr_SWAP_B64;

/* ez_prepare_LOAD_U8 and so on, one for each operation. */
#define LOAD(name, bytes, dwords, ...) ez_prepare_fn ez_prepare_##name;
#define STORE(name, bytes, dwords, ...) ez_prepare_fn ez_prepare_##name;
#define ATOMIC(name, type, dwords, ...) ez_prepare_fn ez_prepare_##name;
#include "semantics/memory_ops.def"
#undef LOAD
#undef STORE
#undef ATOMIC

#endif
