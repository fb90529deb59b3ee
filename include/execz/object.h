/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECZ_OBJECT_H
#define EXECZ_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "execz/error.h"
#include "execz/target.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * AMD GPU code objects: what a compiler hands to a loader.
 *
 *     bytes of a file ── ez_bundle_open_memory ──▶ its code objects, one per target
 *     bytes of one code object ── ez_object_open_memory ──▶ segments, symbols, relocations, kernels
 *
 * The input may be hostile: every offset, size and count is checked when the handle is opened, so
 * that what the accessors return can be used without looking at it again. All integers are read
 * as little-endian whatever the host. Nothing here knows an instruction.
 *
 * Handles are immutable after opening: any number of threads may read one. Everything that an
 * accessor returns belongs to the handle and lives until it is closed.
 *
 * Source of the format: LLVM, "User Guide for AMDGPU Backend" (AMDGPUUsage), sections "ELF Code
 * Object", "Code Object Metadata", "Kernel Descriptor", and the System V ABI for ELF itself.
 */
typedef struct ez_object ez_object;
typedef struct ez_bundle ez_bundle;

/* ---- Target ids ------------------------------------------------------------------------------ */

/* How a code object was compiled with respect to one of the two optional features of a processor.
 * Code compiled for EZ_SETTING_ANY runs under either mode. */
typedef enum ez_setting {
    EZ_SETTING_UNSUPPORTED = 0, /* the processor has no such feature, or the text does not say */
    EZ_SETTING_ANY,             /* runs with the feature on or off */
    EZ_SETTING_OFF,             /* "xnack-" */
    EZ_SETTING_ON               /* "xnack+" */
} ez_setting;

#define EZ_PROCESSOR_NAME_MAX 31 /* bytes, without the NUL */

/* A target id: "gfx90a:sramecc+:xnack-". Source: AMDGPUUsage, "Target ID". */
typedef struct ez_target_id {
    char processor[EZ_PROCESSOR_NAME_MAX + 1]; /* "gfx90a", whether or not execz knows it */
    ez_setting sramecc;
    ez_setting xnack;
} ez_target_id;

/*
 * Reads a target id, with or without a triple before it: "gfx906", "gfx90a:xnack+",
 * "amdgcn-amd-amdhsa--gfx90a:xnack+", "hipv4-amdgcn-amd-amdhsa--gfx9-4-generic". Features that the
 * text does not name become EZ_SETTING_UNSUPPORTED, which ez_target_id_match() takes as ANY.
 * `length` is in bytes; the text needs no NUL. EZ_ERR_FORMAT when it is no target id.
 */
ez_status ez_target_id_parse(const char *text, size_t length, ez_target_id *id, ez_error *err);

/* Writes the id in canonical form ("gfx90a:sramecc+:xnack-", at most `size` bytes with the NUL, cut
 * if need be; 64 bytes always suffice) and returns `text`. */
char *ez_target_id_print(const ez_target_id *id, char *text, size_t size);

/*
 * Whether code compiled for `code` may run on `device`, and how well it fits: 0 when it may not,
 * otherwise higher is better. The processor must be the same, or `code` a generic processor that
 * covers it; a generic processor fits worse than the same one. A feature that `code` fixes (on or
 * off) must not contradict the device's setting; when the device leaves it open, ANY fits better
 * than OFF, and OFF better than ON. Source: AMDGPUUsage, "Target ID" and "Generic processors".
 */
unsigned ez_target_id_match(const ez_target_id *code, const ez_target_id *device);

/* ---- Opening code objects -------------------------------------------------------------------- */

/*
 * Reads the code object in bytes[0..size), an ELF file for the AMD GPU: a loadable one (ET_DYN) or
 * a relocatable one (ET_REL, ".o"), code object version 2 to 6.
 *
 * The bytes are borrowed, not copied: they must stay unchanged until ez_object_close(). They need
 * no alignment. Memory taken is proportional to the number of symbols, relocations and metadata
 * entries, whatever sizes the file claims.
 *
 * On failure *object is NULL and *err (which may be NULL) says what is wrong at which byte offset:
 *   EZ_ERR_FORMAT       truncated or inconsistent file, wrong machine, broken metadata, a kernel
 *                       descriptor that no loader could honour
 *   EZ_ERR_UNSUPPORTED  well-formed, but a kind of file or a target that execz does not know
 *   EZ_ERR_NOMEM, EZ_ERR_ARGUMENT
 */
ez_status ez_object_open_memory(const void *bytes, size_t size, ez_object **object, ez_error *err);

/* The same without kernels, for a file whose descriptors no loader could honour but whose code is to be read:
 * ez_object_kernels() has none. */
ez_status ez_object_open_code_memory(const void *bytes, size_t size, ez_object **object, ez_error *err);

/* Releases everything. NULL is allowed. */
void ez_object_close(ez_object *object);

unsigned ez_object_version(const ez_object *object);        /* code object version, 2 to 6 */
bool ez_object_is_relocatable(const ez_object *object);     /* ET_REL: addresses are in sections */
const ez_target *ez_object_target(const ez_object *object); /* never NULL */
const ez_target_id *ez_object_target_id(const ez_object *object);
/* Version of the generic processor that the code needs; 0 when the target is not generic. */
unsigned ez_object_generic_version(const ez_object *object);

/* Content of the metadata note beside the kernels. `amdhsa.target` is NULL where the note has none
 * (before version 4), the version {0, 0} where there is no note. Printf formats are kept as
 * written, "ID:N:S[0]:...:S[N-1]:FORMAT". */
const char *ez_object_metadata_target(const ez_object *object);
void ez_object_metadata_version(const ez_object *object, unsigned version[2]);
const char *const *ez_object_printf_formats(const ez_object *object, size_t *count);

/* ---- Segments and sections ------------------------------------------------------------------- */

enum { EZ_SEGMENT_EXECUTE = 1, EZ_SEGMENT_WRITE = 2, EZ_SEGMENT_READ = 4 };

/* One PT_LOAD program header, in file order. `memory_size` >= `file_size`; the rest is zero. The
 * file part lies inside the file and address + memory_size does not wrap. */
typedef struct ez_segment {
    uint64_t address;     /* relative to where the object is loaded, bytes */
    uint64_t memory_size; /* bytes */
    uint64_t file_offset; /* bytes from the start of the object */
    uint64_t file_size;   /* bytes */
    uint64_t alignment;   /* bytes; a power of two, or 0 */
    uint32_t flags;       /* EZ_SEGMENT_... */
    const uint8_t *bytes; /* [file_size] */
} ez_segment;

/* One section header. Index 0 is the empty one of ELF, so that symbols' indices fit. */
typedef struct ez_section {
    const char *name;
    uint32_t type;    /* SHT_... */
    uint64_t flags;   /* SHF_... */
    uint64_t address; /* 0 in a relocatable object */
    uint64_t file_offset;
    uint64_t size;        /* bytes */
    uint64_t alignment;   /* bytes; as the file has it, which may be no power of two */
    const uint8_t *bytes; /* [size]; NULL when the section has no bytes in the file */
} ez_section;

const ez_segment *ez_object_segments(const ez_object *object, size_t *count);
const ez_section *ez_object_sections(const ez_object *object, size_t *count);

/* The `size` bytes at `address` as the file has them, before relocation; NULL when they are not
 * all in the file part of one segment. Of a relocatable object always NULL: use the sections. */
const uint8_t *ez_object_bytes_at(const ez_object *object, uint64_t address, uint64_t size);

/* A place in the source. `file` is cut off where it is longer, never NULL. */
typedef struct ez_source_line {
    char file[512];
    unsigned line, column; /* from 1 on; column 0: unknown */
} ez_source_line;

/* Where the code at `address` (relative to where the object is loaded, as ez_fault_report.code_offset) came from, by the
 * object's DWARF line tables. False, and nothing written: they say nothing of it, there are none, the object is
 * relocatable, or execz was built without libdw. Reads the tables anew each time: for reports, not for loops. */
bool ez_object_source_line(const ez_object *object, uint64_t address, ez_source_line *line);

/* ---- Symbols and relocations ----------------------------------------------------------------- */

typedef enum ez_symbol_type {
    EZ_SYMBOL_NONE = 0,
    EZ_SYMBOL_OBJECT,            /* STT_OBJECT: a variable */
    EZ_SYMBOL_FUNCTION,          /* STT_FUNC */
    EZ_SYMBOL_KERNEL_DESCRIPTOR, /* STT_OBJECT NAME.kd */
    EZ_SYMBOL_KERNEL_CODE,       /* STT_AMDGPU_HSA_KERNEL: amd_kernel_code_t of version 2 */
    EZ_SYMBOL_SECTION,
    EZ_SYMBOL_FILE,
    EZ_SYMBOL_OTHER
} ez_symbol_type;

enum { EZ_SECTION_UNDEFINED = 0, EZ_SECTION_LDS = 0xff00, EZ_SECTION_ABSOLUTE = 0xfff1 };

typedef struct ez_symbol {
    const char *name; /* "" for none, never NULL */
    uint64_t value;   /* an address; in a relocatable object an offset into `section` */
    uint64_t size;    /* bytes */
    ez_symbol_type type;
    uint32_t section; /* index into ez_object_sections(), or an EZ_SECTION_... */
    uint8_t binding;  /* STB_LOCAL 0, STB_GLOBAL 1, STB_WEAK 2 */
} ez_symbol;

/* All symbols of .symtab, or where that has been stripped of .dynsym, without the empty first. */
const ez_symbol *ez_object_symbols(const ez_object *object, size_t *count);
/* The first defined symbol of that name, or NULL. */
const ez_symbol *ez_object_find_symbol(const ez_object *object, const char *name);

/* Relocation types. Source: AMDGPUUsage, "Relocation Records". */
enum {
    EZ_R_AMDGPU_NONE = 0,
    EZ_R_AMDGPU_ABS32_LO = 1,
    EZ_R_AMDGPU_ABS32_HI = 2,
    EZ_R_AMDGPU_ABS64 = 3,
    EZ_R_AMDGPU_REL32 = 4,
    EZ_R_AMDGPU_REL64 = 5,
    EZ_R_AMDGPU_ABS32 = 6,
    EZ_R_AMDGPU_GOTPCREL = 7,
    EZ_R_AMDGPU_GOTPCREL32_LO = 8,
    EZ_R_AMDGPU_GOTPCREL32_HI = 9,
    EZ_R_AMDGPU_REL32_LO = 10,
    EZ_R_AMDGPU_REL32_HI = 11,
    EZ_R_AMDGPU_RELATIVE64 = 13,
    EZ_R_AMDGPU_REL16 = 14
};

typedef struct ez_relocation {
    uint64_t offset;         /* an address; in a relocatable object an offset into `section` */
    uint32_t section;        /* the section to be patched; 0 in a loadable object */
    uint32_t type;           /* EZ_R_AMDGPU_... or unknown */
    const ez_symbol *symbol; /* NULL: none */
    int64_t addend;
} ez_relocation;

/* All relocations, in file order: the dynamic ones of a loadable object, the static ones of a
 * relocatable object. The place that each patches lies inside the object. */
const ez_relocation *ez_object_relocations(const ez_object *object, size_t *count);

/* "R_AMDGPU_ABS64", or NULL for a type that does not exist. */
const char *ez_relocation_name(uint32_t type);

/*
 * What a loader writes for a relocation: the low `*width` bytes (0, 2, 4 or 8) of `*value`,
 * little-endian, at `place`. `symbol_address` is where the symbol is in memory (ignored for
 * RELATIVE64), `place` where the patched bytes are, `base` the address that the object's address 0
 * is loaded at. EZ_ERR_UNSUPPORTED for types that need a GOT and for unknown ones; EZ_ERR_FORMAT
 * when the value does not fit. The error's offset is that of the relocation.
 */
ez_status ez_relocation_resolve(const ez_relocation *relocation, uint64_t symbol_address,
                                uint64_t place, uint64_t base, uint64_t *value, unsigned *width,
                                ez_error *err);

/* ---- Kernel descriptors ---------------------------------------------------------------------- */

/*
 * The 64 bytes that the command processor reads at dispatch, as raw words (reserved bytes are
 * zero, which is checked). Of a version 2 object, the same facts out of amd_kernel_code_t.
 * Source: AMDGPUUsage, "Kernel Descriptor".
 */
typedef struct ez_kernel_descriptor {
    uint32_t group_segment_fixed_size;     /* LDS, bytes per workgroup */
    uint32_t private_segment_fixed_size;   /* scratch, bytes per work-item */
    uint32_t kernarg_size;                 /* bytes; old compilers leave it 0 */
    int64_t kernel_code_entry_byte_offset; /* from the descriptor */
    uint32_t compute_pgm_rsrc1;
    uint32_t compute_pgm_rsrc2;
    uint32_t compute_pgm_rsrc3;
    uint16_t kernel_code_properties;
    uint16_t kernarg_preload;
} ez_kernel_descriptor;

/*
 * Every bit field: F(name, word, first bit, bits), named as in AMDGPUUsage. Where one bit has
 * another meaning on some generations it is listed under each name (dx10 clamp and round robin;
 * IEEE and disable perf): the caller knows which one the target has. Counts are granulated, raw.
 */
#define EZ_DESCRIPTOR_FIELDS(F)                                                                    \
    F(GRANULATED_WORKITEM_VGPR_COUNT, RSRC1, 0, 6)                                                 \
    F(GRANULATED_WAVEFRONT_SGPR_COUNT, RSRC1, 6, 4) /* up to GFX9 */                               \
    F(PRIORITY, RSRC1, 10, 2)                                                                      \
    F(FLOAT_ROUND_MODE_32, RSRC1, 12, 2)                                                           \
    F(FLOAT_ROUND_MODE_16_64, RSRC1, 14, 2)                                                        \
    F(FLOAT_DENORM_MODE_32, RSRC1, 16, 2)                                                          \
    F(FLOAT_DENORM_MODE_16_64, RSRC1, 18, 2)                                                       \
    F(PRIV, RSRC1, 20, 1)                                                                          \
    F(ENABLE_DX10_CLAMP, RSRC1, 21, 1) /* up to GFX11 */                                           \
    F(ENABLE_WG_RR_EN, RSRC1, 21, 1)   /* GFX12 */                                                 \
    F(DEBUG_MODE, RSRC1, 22, 1)                                                                    \
    F(ENABLE_IEEE_MODE, RSRC1, 23, 1) /* up to GFX11 */                                            \
    F(DISABLE_PERF, RSRC1, 23, 1)     /* GFX12 */                                                  \
    F(BULKY, RSRC1, 24, 1)                                                                         \
    F(CDBG_USER, RSRC1, 25, 1)                                                                     \
    F(FP16_OVFL, RSRC1, 26, 1)          /* GFX9 on */                                              \
    F(FLAT_SCRATCH_IS_NV, RSRC1, 27, 1) /* GFX1250 */                                              \
    F(WGP_MODE, RSRC1, 29, 1)           /* GFX10 on */                                             \
    F(MEM_ORDERED, RSRC1, 30, 1)        /* GFX10 on */                                             \
    F(FWD_PROGRESS, RSRC1, 31, 1)       /* GFX10 on */                                             \
    F(ENABLE_PRIVATE_SEGMENT, RSRC2, 0, 1)                                                         \
    F(USER_SGPR_COUNT, RSRC2, 1, 5)                                                                \
    F(USER_SGPR_COUNT_6, RSRC2, 1, 6)     /* USER_SGPR_COUNT of GFX1250 */                         \
    F(ENABLE_TRAP_HANDLER, RSRC2, 6, 1)   /* up to GFX11 */                                        \
    F(ENABLE_DYNAMIC_VGPR_6, RSRC2, 6, 1) /* ENABLE_DYNAMIC_VGPR of GFX1200 and GFX1201 */         \
    F(ENABLE_SGPR_WORKGROUP_ID_X, RSRC2, 7, 1)                                                     \
    F(ENABLE_SGPR_WORKGROUP_ID_Y, RSRC2, 8, 1)                                                     \
    F(ENABLE_SGPR_WORKGROUP_ID_Z, RSRC2, 9, 1)                                                     \
    F(ENABLE_SGPR_WORKGROUP_INFO, RSRC2, 10, 1)                                                    \
    F(ENABLE_VGPR_WORKITEM_ID, RSRC2, 11, 2) /* 0: x, 1: x and y, 2: x, y and z */                 \
    F(ENABLE_EXCEPTION_ADDRESS_WATCH, RSRC2, 13, 1)                                                \
    F(ENABLE_EXCEPTION_MEMORY, RSRC2, 14, 1)                                                       \
    F(GRANULATED_LDS_SIZE, RSRC2, 15, 9)                                                           \
    F(ENABLE_EXCEPTION_IEEE_754_FP_INVALID_OPERATION, RSRC2, 24, 1)                                \
    F(ENABLE_EXCEPTION_FP_DENORMAL_SOURCE, RSRC2, 25, 1)                                           \
    F(ENABLE_EXCEPTION_IEEE_754_FP_DIVISION_BY_ZERO, RSRC2, 26, 1)                                 \
    F(ENABLE_EXCEPTION_IEEE_754_FP_OVERFLOW, RSRC2, 27, 1)                                         \
    F(ENABLE_EXCEPTION_IEEE_754_FP_UNDERFLOW, RSRC2, 28, 1)                                        \
    F(ENABLE_EXCEPTION_IEEE_754_FP_INEXACT, RSRC2, 29, 1)                                          \
    F(ENABLE_EXCEPTION_INT_DIVIDE_BY_ZERO, RSRC2, 30, 1)                                           \
    F(ACCUM_OFFSET, RSRC3, 0, 6)          /* GFX90A, GFX942, GFX950: AGPRs from 4 * (n + 1) */     \
    F(TG_SPLIT, RSRC3, 16, 1)             /* GFX90A, GFX942, GFX950 */                             \
    F(SHARED_VGPR_COUNT, RSRC3, 0, 4)     /* GFX10, GFX11 */                                       \
    F(INST_PREF_SIZE_GFX11, RSRC3, 4, 6)  /* GFX11 */                                              \
    F(TRAP_ON_START, RSRC3, 10, 1)        /* GFX11 */                                              \
    F(TRAP_ON_END, RSRC3, 11, 1)          /* GFX11 */                                              \
    F(INST_PREF_SIZE, RSRC3, 4, 8)        /* GFX12 */                                              \
    F(GLG_EN, RSRC3, 13, 1)               /* GFX12 */                                              \
    F(NAMED_BAR_CNT, RSRC3, 14, 3)        /* GFX1250 */                                            \
    F(ENABLE_DYNAMIC_VGPR, RSRC3, 17, 1)  /* GFX1250 */                                            \
    F(TCP_SPLIT, RSRC3, 18, 3)            /* GFX1250 */                                            \
    F(ENABLE_DIDT_THROTTLE, RSRC3, 21, 1) /* GFX1250 */                                            \
    F(IMAGE_OP, RSRC3, 31, 1)             /* GFX11 on */                                           \
    F(ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER, PROPERTIES, 0, 1)                                        \
    F(ENABLE_SGPR_DISPATCH_PTR, PROPERTIES, 1, 1)                                                  \
    F(ENABLE_SGPR_QUEUE_PTR, PROPERTIES, 2, 1)                                                     \
    F(ENABLE_SGPR_KERNARG_SEGMENT_PTR, PROPERTIES, 3, 1)                                           \
    F(ENABLE_SGPR_DISPATCH_ID, PROPERTIES, 4, 1)                                                   \
    F(ENABLE_SGPR_FLAT_SCRATCH_INIT, PROPERTIES, 5, 1)                                             \
    F(ENABLE_SGPR_PRIVATE_SEGMENT_SIZE, PROPERTIES, 6, 1)                                          \
    F(ENABLE_WAVEFRONT_SIZE32, PROPERTIES, 10, 1) /* GFX10 on */                                   \
    F(USES_DYNAMIC_STACK, PROPERTIES, 11, 1)                                                       \
    F(KERNARG_PRELOAD_SPEC_LENGTH, PRELOAD, 0, 7) /* SGPRs */                                      \
    F(KERNARG_PRELOAD_SPEC_OFFSET, PRELOAD, 7, 9) /* dwords */

#define EZ_DESCRIPTOR_ENUM(name, word, first, bits) EZ_KD_##name,
typedef enum ez_descriptor_field {
    EZ_DESCRIPTOR_FIELDS(EZ_DESCRIPTOR_ENUM) EZ_KD_COUNT
} ez_descriptor_field;
#undef EZ_DESCRIPTOR_ENUM

/* The value of a field, shifted down: ez_descriptor_get(&kernel->descriptor, EZ_KD_PRIORITY). */
uint32_t ez_descriptor_get(const ez_kernel_descriptor *descriptor, ez_descriptor_field field);
/* "FLOAT_ROUND_MODE_32"; NULL from EZ_KD_COUNT on. */
const char *ez_descriptor_field_name(ez_descriptor_field field);
/* Whether the target's descriptors have the field: one of the names of its bits. */
bool ez_descriptor_has(const ez_target *target, ez_descriptor_field field);

/* ---- Kernels --------------------------------------------------------------------------------- */

/* What the loader or runtime puts into an argument, E(name, version 3 to 6 name, version 2 name).
 * Source: AMDGPUUsage, "Code Object V3 Metadata", ".value_kind". */
#define EZ_VALUE_KINDS(E)                                                                          \
    E(BY_VALUE, "by_value", "ByValue")                                                             \
    E(GLOBAL_BUFFER, "global_buffer", "GlobalBuffer")                                              \
    E(DYNAMIC_SHARED_POINTER, "dynamic_shared_pointer", "DynamicSharedPointer")                    \
    E(SAMPLER, "sampler", "Sampler")                                                               \
    E(IMAGE, "image", "Image")                                                                     \
    E(PIPE, "pipe", "Pipe")                                                                        \
    E(QUEUE, "queue", "Queue")                                                                     \
    E(HIDDEN_NONE, "hidden_none", "HiddenNone")                                                    \
    E(HIDDEN_GLOBAL_OFFSET_X, "hidden_global_offset_x", "HiddenGlobalOffsetX")                     \
    E(HIDDEN_GLOBAL_OFFSET_Y, "hidden_global_offset_y", "HiddenGlobalOffsetY")                     \
    E(HIDDEN_GLOBAL_OFFSET_Z, "hidden_global_offset_z", "HiddenGlobalOffsetZ")                     \
    E(HIDDEN_PRINTF_BUFFER, "hidden_printf_buffer", "HiddenPrintfBuffer")                          \
    E(HIDDEN_HOSTCALL_BUFFER, "hidden_hostcall_buffer", "HiddenHostcallBuffer")                    \
    E(HIDDEN_DEFAULT_QUEUE, "hidden_default_queue", "HiddenDefaultQueue")                          \
    E(HIDDEN_COMPLETION_ACTION, "hidden_completion_action", "HiddenCompletionAction")              \
    E(HIDDEN_MULTIGRID_SYNC_ARG, "hidden_multigrid_sync_arg", "HiddenMultiGridSyncArg")            \
    E(HIDDEN_BLOCK_COUNT_X, "hidden_block_count_x", "")                                            \
    E(HIDDEN_BLOCK_COUNT_Y, "hidden_block_count_y", "")                                            \
    E(HIDDEN_BLOCK_COUNT_Z, "hidden_block_count_z", "")                                            \
    E(HIDDEN_GROUP_SIZE_X, "hidden_group_size_x", "")                                              \
    E(HIDDEN_GROUP_SIZE_Y, "hidden_group_size_y", "")                                              \
    E(HIDDEN_GROUP_SIZE_Z, "hidden_group_size_z", "")                                              \
    E(HIDDEN_REMAINDER_X, "hidden_remainder_x", "")                                                \
    E(HIDDEN_REMAINDER_Y, "hidden_remainder_y", "")                                                \
    E(HIDDEN_REMAINDER_Z, "hidden_remainder_z", "")                                                \
    E(HIDDEN_GRID_DIMS, "hidden_grid_dims", "")                                                    \
    E(HIDDEN_HEAP_V1, "hidden_heap_v1", "")                                                        \
    E(HIDDEN_DYNAMIC_LDS_SIZE, "hidden_dynamic_lds_size", "")                                      \
    E(HIDDEN_PRIVATE_BASE, "hidden_private_base", "")                                              \
    E(HIDDEN_SHARED_BASE, "hidden_shared_base", "")                                                \
    E(HIDDEN_QUEUE_PTR, "hidden_queue_ptr", "")

#define EZ_VALUE_KIND_ENUM(name, v3, v2) EZ_VALUE_##name,
typedef enum ez_value_kind {
    EZ_VALUE_UNKNOWN = 0, /* a kind that is none of these: value_kind_name has it */
    EZ_VALUE_KINDS(EZ_VALUE_KIND_ENUM) EZ_VALUE_KIND_COUNT
} ez_value_kind;
#undef EZ_VALUE_KIND_ENUM

/* Whether the runtime fills the argument and the caller does not. */
static inline bool ez_value_kind_is_hidden(ez_value_kind kind) {
    return kind >= EZ_VALUE_HIDDEN_NONE;
}

typedef enum ez_address_space {
    EZ_SPACE_NONE = 0, /* not a pointer */
    EZ_SPACE_PRIVATE,
    EZ_SPACE_GLOBAL,
    EZ_SPACE_CONSTANT,
    EZ_SPACE_LOCAL,
    EZ_SPACE_GENERIC,
    EZ_SPACE_REGION
} ez_address_space;

typedef enum ez_access {
    EZ_ACCESS_DEFAULT = 0,
    EZ_ACCESS_READ_ONLY,
    EZ_ACCESS_WRITE_ONLY,
    EZ_ACCESS_READ_WRITE
} ez_access;

typedef struct ez_kernel_arg {
    const char *name;            /* NULL: the compiler did not keep it */
    const char *type_name;       /* "half*"; NULL */
    const char *value_kind_name; /* as written in the metadata */
    ez_value_kind value_kind;
    uint32_t offset; /* bytes from the start of the kernarg segment */
    uint32_t size;   /* bytes; offset + size is within the segment */
    uint32_t pointee_align;
    ez_address_space address_space;
    ez_access access;        /* as declared */
    ez_access actual_access; /* as the compiler found */
    bool is_const, is_restrict, is_volatile, is_pipe;
} ez_kernel_arg;

/* What the metadata note says of a kernel. Numbers that the note does not have are 0. */
typedef struct ez_kernel_metadata {
    const char *name;   /* as in the source */
    const char *symbol; /* "k.kd"; "k@kd" in version 2 */
    const char *language;
    uint32_t language_version[2];
    const ez_kernel_arg *args; /* [arg_count], in order, hidden ones included */
    uint32_t arg_count;
    uint32_t kernarg_segment_size;  /* bytes, hidden arguments included */
    uint32_t kernarg_segment_align; /* bytes */
    uint32_t group_segment_fixed_size;
    uint32_t private_segment_fixed_size;
    uint32_t wavefront_size; /* lanes */
    uint32_t sgpr_count, vgpr_count, agpr_count;
    uint32_t sgpr_spill_count, vgpr_spill_count;
    uint32_t max_flat_workgroup_size; /* work-items */
    uint32_t reqd_workgroup_size[3];  /* {x, y, z} work-items; {0, 0, 0}: any */
    uint32_t workgroup_size_hint[3];
    uint32_t max_num_workgroups[3];
    uint32_t cluster_dims[3];
    const char *vec_type_hint;
    const char *device_enqueue_symbol;
    const char *kind; /* "normal", "init", "fini"; NULL: normal */
    bool uses_dynamic_stack;
    bool uniform_work_group_size;
    bool workgroup_processor_mode;
} ez_kernel_metadata;

typedef struct ez_kernel {
    const char *name; /* link name: the descriptor symbol without ".kd" */
    const ez_symbol *descriptor_symbol;
    uint64_t descriptor_address; /* in a relocatable object an offset into its section */
    uint64_t entry_address;      /* the first instruction; likewise */
    uint32_t entry_section;      /* of a relocatable object; otherwise 0 */
    ez_kernel_descriptor descriptor;
    const ez_kernel_metadata *metadata; /* NULL: a hand-written kernel without any */
} ez_kernel;

/* All kernels in symbol order. An object may have none (device variables only). */
const ez_kernel *ez_object_kernels(const ez_object *object, size_t *count);

/*
 * The kernel of that link name, or failing that, of that source name. NULL for `name` means the
 * only kernel. EZ_ERR_NOT_FOUND, with the names that there are, when no kernel or not just one
 * fits; *kernel is then NULL.
 */
ez_status ez_object_find_kernel(const ez_object *object, const char *name, const ez_kernel **kernel,
                                ez_error *err);

/* ---- Bundles: files that hold several code objects ------------------------------------------- */

/* One code object in a container. */
typedef struct ez_bundle_entry {
    const char *id;      /* "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-"; "" for a bare code object */
    ez_target_id target; /* from the id, or from the code object's own header */
    const void *bytes;   /* [size], for ez_object_open_memory(); not yet checked */
    size_t size;
    size_t group; /* which of several concatenated bundles (translation units), from 0 */
} ez_bundle_entry;

enum { EZ_BUNDLE_ANY_GROUP = -1 };

/*
 * Finds the code objects in bytes[0..size), which may be
 *   - a bare AMD GPU code object (then the only entry);
 *   - one or more concatenated clang offload bundles ("__CLANG_OFFLOAD_BUNDLE__"), plain or
 *     compressed ("CCOB" versions 1 to 3, zstd or zlib), with zero padding between;
 *   - a host program, shared library or object file (ELF64, little-endian, any machine) with such
 *     bundles in its section .hip_fatbin.
 * Entries for the host and empty entries are left out. The bytes are borrowed until
 * ez_bundle_close(); what was compressed is expanded into memory of the handle. (The header's
 * hash is not checked; the compressors' own checksums are.)
 *
 * Errors: EZ_ERR_FORMAT (with offset), EZ_ERR_UNSUPPORTED, EZ_ERR_NOT_FOUND (a host file without
 * device code), EZ_ERR_NOMEM, EZ_ERR_LIMIT (an expansion that is absurd for its input).
 * Source: clang documentation, "Clang Offload Bundler".
 */
ez_status ez_bundle_open_memory(const void *bytes, size_t size, ez_bundle **bundle, ez_error *err);
void ez_bundle_close(ez_bundle *bundle); /* NULL is allowed */

const ez_bundle_entry *ez_bundle_entries(const ez_bundle *bundle, size_t *count);
size_t ez_bundle_group_count(const ez_bundle *bundle);

/*
 * The entry that fits `target` ("gfx90a", "gfx90a:xnack-") best by ez_target_id_match(), in one
 * group or in all; the first of equals. EZ_ERR_NOT_FOUND, with the targets that there are.
 */
ez_status ez_bundle_select(const ez_bundle *bundle, int group, const char *target,
                           const ez_bundle_entry **entry, ez_error *err);

#ifdef __cplusplus
}
#endif
#endif
