/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECZ_TARGET_H
#define EXECZ_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A target is one GPU instruction set by the name that LLVM gives it: "gfx90a", "gfx1100",
 * "gfx11-generic". Targets are constant data of the library: nothing to create, free or lock.
 */
typedef struct ez_target ez_target;

/* The target of that name (exact, lower case), or NULL. */
const ez_target *ez_target_find(const char *name);

/* The target whose ELF header carries this EF_AMDGPU_MACH value (e_flags & 0xff), or NULL.
 * Source: LLVM AMDGPUUsage, "AMDGPU ELF Header e_flags". */
const ez_target *ez_target_by_elf_mach(unsigned mach);

/* All targets in order of generation: index 0 to ez_target_count() - 1; NULL beyond. */
size_t ez_target_count(void);
const ez_target *ez_target_at(size_t index);

/* All strings are static. */
const char *ez_target_name(const ez_target *target);         /* "gfx942" */
const char *ez_target_generation(const ez_target *target);   /* "GFX9" */
const char *ez_target_architecture(const ez_target *target); /* "CDNA 3" */
const char *ez_target_products(const ez_target *target);     /* "MI300A, MI300X"; of a generic target those that it covers */
unsigned ez_target_elf_mach(const ez_target *target);        /* EF_AMDGPU_MACH, 0x4c for gfx942 */
bool ez_target_is_generic(const ez_target *target);          /* gfx9-generic and the like */
/* Whether code for a generic target runs on `target` too. Source: LLVM AMDGPUUsage, "Generic Processor". */
bool ez_target_covers(const ez_target *generic, const ez_target *target);

/* Lanes of a wave when nothing else is said: 64 up to GFX9, 32 from GFX10 on (as llvm-mc). */
unsigned ez_target_default_wave(const ez_target *target);
/* Whether waves of this many lanes (32 or 64) exist on the target. */
bool ez_target_has_wave(const ez_target *target, unsigned lanes);

/* The most local data share (LDS) of a workgroup, in bytes. */
unsigned ez_target_lds_bytes(const ez_target *target);

/* The product that stands for a target where a program asks what it runs on. */
typedef struct ez_board {
    const char *product;         /* "AMD Instinct MI210" */
    unsigned pci_id;             /* of vendor 1002; 0: not announced */
    unsigned compute_units, shader_engines;
    unsigned simds, waves;       /* of a compute unit */
    unsigned clock, memory_clock; /* MHz */
    unsigned memory_bits;        /* width of the bus */
    unsigned l2_kib, memory_gib;
} ez_board;

/* NULL for a generic target, which is no product. */
const ez_board *ez_target_board(const ez_target *target);

/* Whether the target has the feature of that name, such as "sdwa" or "dpp8"; false for unknown
 * names. The names with their meaning: ez_feature_name(), ez_feature_about(). */
bool ez_target_has_feature(const ez_target *target, const char *feature);
size_t ez_feature_count(void);
const char *ez_feature_name(size_t index);  /* NULL beyond the end */
const char *ez_feature_about(size_t index); /* one sentence */

#ifdef __cplusplus
}
#endif
#endif
