/* SPDX-License-Identifier: Apache-2.0 */
/* The directives between .amdhsa_kernel and .end_amdhsa_kernel, for those who read them and those who write them. */
#ifndef EZ_KERNEL_DIRECTIVES_H
#define EZ_KERNEL_DIRECTIVES_H

#include <stdbool.h>
#include <stdint.h>

#include "execz/object.h"

/* Where the words of a descriptor are, in bytes. */
enum {
    IN_GROUP = 0,
    IN_PRIVATE = 4,
    IN_KERNARG = 8,
    IN_ENTRY = 16,
    IN_RSRC3 = 44,
    IN_RSRC1 = 48,
    IN_RSRC2 = 52,
    IN_PROPERTIES = 56,
    IN_PRELOAD = 58,
    DESCRIPTOR_BYTES = 64
};

typedef struct ez_kernel_place {
    uint8_t at, first, bits; /* byte of the word; bits of it */
} ez_kernel_place;
extern const ez_kernel_place ez_kernel_places[EZ_KD_COUNT];

/* Directives that are no bit field, or more than one. */
typedef enum ez_kernel_special {
    GROUP = EZ_KD_COUNT,
    PRIVATE,
    KERNARG,
    USER_SGPRS,
    NEXT_VGPR,
    NEXT_SGPR,
    ACCUM,
    NAMED_BARRIERS,
    RESERVE_VCC,
    RESERVE_FLAT,
    RESERVE_XNACK,
    PREFETCH,
    ENTRY_COUNT
} ez_kernel_special;

/* What a directive asks of the target; the message when that is not so. */
typedef enum ez_kernel_need {
    ANY,
    FLAT_BEFORE,
    FLAT_BY_HARDWARE,
    GFX9,
    GFX10,
    GFX10_OR_11,
    GFX11,
    GFX12,
    BEFORE_GFX12,
    GFX90A,
    GFX1250,
    PRELOAD,
    WGP
} ez_kernel_need;

typedef struct ez_kernel_condition {
    const char *feature;
    bool wanted;
    const char *message;
} ez_kernel_condition;
extern const ez_kernel_condition ez_kernel_needs[];

typedef struct ez_kernel_directive {
    const char *name;   /* behind .amdhsa_ */
    uint8_t field;      /* ez_descriptor_field or ez_kernel_special */
    uint8_t need;       /* ez_kernel_need */
    uint8_t user_sgprs; /* that it makes the kernel have */
} ez_kernel_directive;
enum { EZ_KERNEL_DIRECTIVES = 50 };
extern const ez_kernel_directive
    ez_kernel_directives[EZ_KERNEL_DIRECTIVES]; /* in the order of llvm-objdump */

static inline bool ez_kernel_allows(const ez_target *target, unsigned need) {
    return need == ANY ||
           ez_target_has_feature(target, ez_kernel_needs[need].feature) == ez_kernel_needs[need].wanted;
}

/* VGPRs are given in blocks of so many. */
unsigned ez_vgpr_granule(const ez_target *target, bool wave32);
/* SGPRs that a kernel has besides its own. */
unsigned ez_extra_sgprs(const ez_target *target, bool vcc, bool flat_scratch, bool xnack);
/* The most SGPRs of its own; and what it always gets where that is fixed, or 0. */
unsigned ez_most_sgprs(const ez_target *target);
unsigned ez_fixed_sgprs(const ez_target *target);

#endif
