/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel descriptor as the directives that make it. */
#include "execz/asm.h"
#include "kernel_directives.h"
#include "text.h"

/* SGPRs are counted in blocks of 8, with those that a kernel has besides its own. */
typedef struct sgprs {
    bool flat_scratch, xnack; /* reserved */
    unsigned own;
} sgprs;

static sgprs own_sgprs(const ez_target *target, const ez_kernel_descriptor *d, bool xnack) {
    unsigned total = 8 * (ez_descriptor_get(d, EZ_KD_GRANULATED_WAVEFRONT_SGPR_COUNT) + 1);
    unsigned most = ez_most_sgprs(target);
    sgprs s = {total > most && ez_kernel_allows(target, FLAT_BEFORE), xnack, 0};
    unsigned extra = ez_extra_sgprs(target, false, s.flat_scratch, xnack);
    if (ez_fixed_sgprs(target)) most -= extra;
    s.own = total > extra ? total - extra : 0;
    if (s.own > most) s.own = most;
    return s;
}

static uint32_t value_of(const ez_target *target, const ez_kernel_descriptor *d, const sgprs *s,
                         unsigned field) {
    bool wave32 =
        ez_target_has_feature(target, "wave32") && ez_descriptor_get(d, EZ_KD_ENABLE_WAVEFRONT_SIZE32);
    switch (field) {
    case GROUP: return d->group_segment_fixed_size;
    case PRIVATE: return d->private_segment_fixed_size;
    case KERNARG: return d->kernarg_size;
    case USER_SGPRS:
        return ez_descriptor_get(d, ez_target_has_feature(target, "user_sgprs_32") ? EZ_KD_USER_SGPR_COUNT_6
                                                                                   : EZ_KD_USER_SGPR_COUNT);
    case NEXT_VGPR:
        return (ez_descriptor_get(d, EZ_KD_GRANULATED_WORKITEM_VGPR_COUNT) + 1) *
               ez_vgpr_granule(target, wave32);
    case NEXT_SGPR: return s->own;
    case ACCUM: return 4 * (ez_descriptor_get(d, EZ_KD_ACCUM_OFFSET) + 1);
    case NAMED_BARRIERS: return ez_descriptor_get(d, EZ_KD_NAMED_BAR_CNT);
    case RESERVE_VCC: return 0;
    case RESERVE_FLAT: return s->flat_scratch;
    case RESERVE_XNACK: return s->xnack;
    case PREFETCH:
        return ez_descriptor_get(d, ez_target_has_feature(target, "inst_pref_255")
                                        ? EZ_KD_INST_PREF_SIZE
                                        : EZ_KD_INST_PREF_SIZE_GFX11);
    default: return ez_descriptor_get(d, (ez_descriptor_field)field);
    }
}

size_t ez_print_kernel(const ez_object *object, const ez_kernel *kernel, char *text, size_t room) {
    const ez_target *target = ez_object_target(object);
    const ez_kernel_descriptor *d = &kernel->descriptor;
    ez_setting xnack = ez_object_target_id(object)->xnack;
    sgprs s = own_sgprs(target, d, xnack == EZ_SETTING_ANY || xnack == EZ_SETTING_ON);
    ez_writer w = {.text = text, .room = room};
    for (unsigned i = 0; i < EZ_KERNEL_DIRECTIVES; i++) {
        const ez_kernel_directive *e = &ez_kernel_directives[i];
        if (!ez_kernel_allows(target, e->need)) continue;
        ez_write(&w, "\t.amdhsa_");
        ez_write(&w, e->name);
        ez_write_char(&w, ' ');
        ez_write_decimal(&w, value_of(target, d, &s, e->field));
        ez_write_char(&w, '\n');
    }
    if (room) text[w.length < room ? w.length : room - 1] = 0;
    return w.length;
}
