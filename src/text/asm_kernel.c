/* SPDX-License-Identifier: Apache-2.0 */
/*
 * .amdhsa_kernel: the 64 bytes that describe a kernel. Its values may be expressions whose symbols come later, so the
 * bytes are filled in at the end. Source: AMDGPUUsage, "Kernel Descriptor" and ".amdhsa_kernel".
 */
#include "assembler.h"
#include "kernel_directives.h"

typedef struct entry {
    ez_term term;
    asm_place place;
    bool given;
} entry;

struct asm_kernel {
    asm_kernel *next;
    asm_section *section;
    size_t fragment;
    uint64_t offset; /* in the section's bytes */
    asm_place end;   /* of the directives, for errors about all of them */
    unsigned implied_sgprs;
    entry entries[ENTRY_COUNT];
};

static bool has(const ez_asm *as, const char *feature) { return ez_target_has_feature(as->target, feature); }

/* ---- reading ---- */

static unsigned field_bits(const ez_asm *as, unsigned field) {
    switch (field) {
    case GROUP: case PRIVATE: case KERNARG: case NEXT_VGPR: case NEXT_SGPR: case ACCUM: return 32;
    case USER_SGPRS: return has(as, "user_sgprs_32") ? 6 : 5;
    case NAMED_BARRIERS: return ez_kernel_places[EZ_KD_NAMED_BAR_CNT].bits; /* llvm-mc writes larger ones over other fields */
    case RESERVE_VCC: case RESERVE_FLAT: case RESERVE_XNACK: return 1;
    case PREFETCH: return has(as, "inst_pref_255") ? 8 : 6;
    default: return ez_kernel_places[field].bits;
    }
}

/* One directive of a kernel; c stands behind its name. */
static bool kernel_entry(ez_asm *as, ez_cursor *c, asm_kernel *k, unsigned n, uint64_t *seen) {
    uint64_t number;
    entry e = {.given = true};
    const char *at = as->statement;
    ez_read_blank(c);
    e.place = ez_asm_here(as, c->at);
    if (n < EZ_KERNEL_DIRECTIVES && *seen >> n & 1) return ez_asm_fail(as, c->at, ".amdhsa_ directives cannot be repeated");
    if (!ez_asm_expression(as, c, &e.term)) return false;
    if (n == EZ_KERNEL_DIRECTIVES)
        return ez_asm_fail(as, at, "unknown .amdhsa_kernel directive: expected .amdhsa_... or .end_amdhsa_kernel");
    *seen |= UINT64_C(1) << n;
    unsigned field = ez_kernel_directives[n].field, condition = ez_kernel_directives[n].need;
    bool known = ez_asm_absolute(as, &e.term, &number);
    if (known) e.term = (ez_term){.value = number};
    if (condition != ANY && has(as, ez_kernel_needs[condition].feature) != ez_kernel_needs[condition].wanted) {
        if (condition == WGP) return ez_asm_fail(as, at, "directive unsupported on %s", ez_target_name(as->target));
        return ez_asm_fail(as, at, "%s", ez_kernel_needs[condition].message);
    }
    unsigned bits = field == USER_SGPRS ? 32 : field_bits(as, field); /* their number is checked at the end */
    if (known && bits < 64 && number >> bits) return ez_asm_fail(as, e.place.at, "value out of range");
    if (known && field == EZ_KD_KERNARG_PRELOAD_SPEC_LENGTH && number > (has(as, "user_sgprs_32") ? 32 : 16))
        return ez_asm_fail(as, e.place.at, "value out of range: more than there are user SGPRs");
    if (field == RESERVE_XNACK && known && number != (as->xnack == EZ_SETTING_ANY || as->xnack == EZ_SETTING_ON))
        return ez_asm_fail(as, at, ".amdhsa_reserve_xnack_mask does not match target id");
    if (ez_kernel_directives[n].user_sgprs || field == EZ_KD_KERNARG_PRELOAD_SPEC_LENGTH || field == USER_SGPRS) {
        if (!known) return ez_asm_fail(as, at, "directive should have resolvable expression");
        k->implied_sgprs += field == EZ_KD_KERNARG_PRELOAD_SPEC_LENGTH ? (unsigned)number
                            : number && field != USER_SGPRS           ? ez_kernel_directives[n].user_sgprs
                                                                      : 0;
    }
    k->entries[field] = e;
    return ez_asm_at_end(c) || ez_asm_fail(as, c->at, "expected newline");
}

static bool given(const asm_kernel *k, unsigned field) { return k->entries[field].given; }

/* A value that is known already; 0 when it is not. */
static uint64_t known(ez_asm *as, const asm_kernel *k, unsigned field) {
    uint64_t number;
    return ez_asm_absolute(as, &k->entries[field].term, &number) ? number : 0;
}

static bool check_accum(ez_asm *as, asm_kernel *k, const char *end) {
    uint64_t offset, vgprs;
    if (!given(k, ACCUM)) return ez_asm_fail(as, end, ".amdhsa_accum_offset directive is required");
    if (!ez_asm_absolute(as, &k->entries[ACCUM].term, &offset)) return true;
    if (offset < 4 || offset > 256 || offset % 4)
        return ez_asm_fail(as, end, "accum_offset should be in range [4..256] in increments of 4");
    if (!ez_asm_absolute(as, &k->entries[NEXT_VGPR].term, &vgprs)) return true;
    if (offset > ((vgprs > 1 ? vgprs : 1) + 3) / 4 * 4)
        return ez_asm_fail(as, end, "accum_offset exceeds total VGPR allocation");
    return true;
}

/* Registers are counted in blocks. Source: AMDGPUUsage, GRANULATED_WORKITEM_VGPR_COUNT and
 * GRANULATED_WAVEFRONT_SGPR_COUNT. */
enum { VGPRS, SGPRS, VCC, FLAT_SCRATCH, XNACK, SHARED_VGPRS, REGISTER_NUMBERS };

typedef struct register_blocks {
    uint64_t vgprs, sgprs;
} register_blocks;

static bool xnack_by_default(const ez_asm *as) { return as->xnack == EZ_SETTING_ANY || as->xnack == EZ_SETTING_ON; }

static bool count_blocks(ez_asm *as, const asm_kernel *k, const uint64_t *numbers, bool wave32, register_blocks *out) {
    const ez_target *target = as->target;
    unsigned granule = ez_vgpr_granule(target, wave32), fixed = ez_fixed_sgprs(target);
    uint64_t sgprs = numbers[SGPRS], most = ez_most_sgprs(target);
    out->vgprs = ((numbers[VGPRS] > 1 ? numbers[VGPRS] : 1) + granule - 1) / granule - 1;
    if (!has(as, "wave32")) { /* from there on SGPRs are given whole */
        unsigned extra = ez_extra_sgprs(target, numbers[VCC], numbers[FLAT_SCRATCH], numbers[XNACK]);
        if (sgprs > most || (fixed && sgprs + extra > most))
            return ez_asm_fail_at(as, k->entries[NEXT_SGPR].place, "value out of range");
        sgprs = fixed ? fixed : sgprs + extra;
        out->sgprs = ((sgprs > 1 ? sgprs : 1) + 7) / 8 - 1;
    }
    if (out->vgprs > 63) return ez_asm_fail_at(as, k->entries[NEXT_VGPR].place, "value out of range");
    if (numbers[SHARED_VGPRS] * 2 + out->vgprs > 63)
        return ez_asm_fail_at(as, k->end, "shared_vgpr_count*2 + compute_pgm_rsrc1.GRANULATED_WORKITEM_VGPR_COUNT cannot "
                                       "exceed 63");
    return true;
}

/* What can be said of the registers before all symbols are known. */
static bool check_registers(ez_asm *as, const asm_kernel *k, bool wave32) {
    static const unsigned fields[REGISTER_NUMBERS] = {NEXT_VGPR, NEXT_SGPR, RESERVE_VCC, RESERVE_FLAT, RESERVE_XNACK,
                                                      EZ_KD_SHARED_VGPR_COUNT};
    uint64_t numbers[REGISTER_NUMBERS] = {0, 0, 1, 1, xnack_by_default(as), 0};
    register_blocks blocks;
    for (unsigned i = 0; i < REGISTER_NUMBERS; i++)
        if (k->entries[fields[i]].given && !ez_asm_absolute(as, &k->entries[fields[i]].term, &numbers[i])) return true;
    return count_blocks(as, k, numbers, wave32, &blocks);
}

/* What llvm-mc says at .end_amdhsa_kernel. */
static bool check_kernel(ez_asm *as, asm_kernel *k, const char *end) {
    if (!given(k, NEXT_VGPR)) return ez_asm_fail(as, end, ".amdhsa_next_free_vgpr directive is required");
    if (!given(k, NEXT_SGPR)) return ez_asm_fail(as, end, ".amdhsa_next_free_sgpr directive is required");
    bool wave32 = given(k, EZ_KD_ENABLE_WAVEFRONT_SIZE32) ? known(as, k, EZ_KD_ENABLE_WAVEFRONT_SIZE32) != 0
                                                          : as->wave == 32;
    if (!check_registers(as, k, wave32)) return false;
    uint64_t user = given(k, USER_SGPRS) ? known(as, k, USER_SGPRS) : k->implied_sgprs;
    if (user < k->implied_sgprs)
        return ez_asm_fail(as, end, "amdgpu_user_sgpr_count smaller than than implied by enabled user SGPRs");
    if (user >> field_bits(as, USER_SGPRS)) return ez_asm_fail(as, end, "too many user SGPRs enabled");
    uint64_t length = known(as, k, EZ_KD_KERNARG_PRELOAD_SPEC_LENGTH);
    uint64_t offset = known(as, k, EZ_KD_KERNARG_PRELOAD_SPEC_OFFSET), size = known(as, k, KERNARG);
    if (length && size && size < (length + offset) * 4)
        return ez_asm_fail(as, end, "Kernarg preload length + offset is larger than the kernarg segment size");
    k->entries[USER_SGPRS] = (entry){.given = true, .term = {.value = user}};
    if (has(as, "tg_split") && !check_accum(as, k, end)) return false;
    if (known(as, k, EZ_KD_SHARED_VGPR_COUNT) && given(k, EZ_KD_ENABLE_WAVEFRONT_SIZE32) && wave32)
        return ez_asm_fail(as, end, "shared_vgpr_count directive not valid on wavefront size 32");
    return true;
}

/* The lines up to .end_amdhsa_kernel. */
static bool read_entries(ez_asm *as, ez_cursor *c, asm_kernel *k, const char **end) {
    const char *limit = as->source->end, *at = ez_asm_next_line(as, c->end);
    uint64_t seen = 0;
    bool good = true;
    while (at < limit) {
        const char *stop = ez_asm_statement_end(at, limit);
        ez_cursor line = {at, at, stop, &as->error, &as->names};
        at = ez_asm_next_line(as, stop);
        c->at = c->end = stop;
        if (ez_read_blank(&line)) continue;
        const char *name = line.at;
        size_t length = ez_read_name(&line), prefix = strlen(".amdhsa_");
        line.at += length;
        as->statement = name;
        if (length == 18 && !memcmp(name, ".end_amdhsa_kernel", 18)) {
            *end = line.at;
            return good;
        }
        unsigned n = 0;
        while (n < EZ_KERNEL_DIRECTIVES && (length <= prefix || memcmp(name, ".amdhsa_", prefix) ||
                                  strlen(ez_kernel_directives[n].name) != length - prefix ||
                                  memcmp(ez_kernel_directives[n].name, name + prefix, length - prefix)))
            n++;
        good &= kernel_entry(as, &line, k, n, &seen);
    }
    return ez_asm_fail(as, limit, "expected .amdhsa_ directive or .end_amdhsa_kernel");
}

/* Symbols come into the object in the order of the descriptor's words. */
static void use_symbols(ez_asm *as, const asm_kernel *k, const ez_term *code) {
    static const uint8_t order[] = {ACCUM, EZ_KD_TG_SPLIT, EZ_KD_SHARED_VGPR_COUNT, PREFETCH, NAMED_BARRIERS, NEXT_VGPR,
                                    NEXT_SGPR, RESERVE_VCC, RESERVE_FLAT};
    for (unsigned field = GROUP; field <= KERNARG; field++)
        ez_asm_use(as, &k->entries[field].term);
    ez_asm_use(as, code);
    for (size_t i = 0; i < sizeof order; i++)
        ez_asm_use(as, &k->entries[order[i]].term);
    for (unsigned field = 0; field < ENTRY_COUNT; field++)
        ez_asm_use(as, &k->entries[field].term);
}

bool ez_asm_kernel_directive(ez_asm *as, ez_cursor *c) {
    const char *name, *end = NULL;
    size_t length;
    if (ez_asm_at_end(c)) return ez_asm_fail(as, as->statement, "expected the name of a kernel");
    if (!ez_asm_name(as, c, &name, &length)) return false;
    if (!ez_asm_at_end(c)) return ez_asm_fail(as, c->at, "expected newline");
    asm_kernel *k = ez_asm_alloc(as, 1, sizeof *k);
    if (!read_entries(as, c, k, &end)) return false;
    k->end = ez_asm_here(as, end);
    if (!check_kernel(as, k, end)) return false;
    asm_symbol *kernel = ez_asm_symbol_of(as, name, length);
    char *descriptor_name = ez_asm_alloc(as, length + 4, 1);
    memcpy(descriptor_name, name, length);
    memcpy(descriptor_name + length, ".kd", 3);
    asm_symbol *descriptor = ez_asm_symbol_of(as, descriptor_name, length + 3);
    descriptor->binding = kernel->binding != ASM_UNBOUND       ? kernel->binding
                          : kernel->kind == ASM_UNDEFINED ? STB_GLOBAL
                                                          : STB_LOCAL;
    descriptor->visibility = kernel->visibility;
    descriptor->type = STT_OBJECT;
    descriptor->has_size = true;
    descriptor->size = (ez_term){.value = DESCRIPTOR_BYTES};
    if (kernel->visibility == STV_DEFAULT) kernel->visibility = STV_PROTECTED;
    if (as->section->type == SHT_NOBITS)
        return ez_asm_fail(as, as->statement, "a kernel descriptor cannot be in section '%s'", as->section->name);
    if (!ez_asm_label(as, name, descriptor_name, length + 3)) return false;
    k->section = as->section;
    k->offset = as->section->size;
    k->fragment = as->section->fragment_count - 1;
    ez_asm_list(as, DESCRIPTOR_BYTES, 4);
    ez_asm_emit(as, NULL, DESCRIPTOR_BYTES);
    /* the code's distance from the descriptor */
    ez_node *distance = ez_asm_alloc(as, 1, sizeof *distance);
    *distance = (ez_node){.kind = ASM_NODE_SYMBOL, .what = ASM_REL64, .symbol = kernel};
    ez_term code = {.node = distance}, here = ez_asm_reference(as, descriptor), entry_offset;
    use_symbols(as, k, &code);
    as->names.combine(as, EZ_OPERATOR_SUBTRACT, NULL, &code, &here, &entry_offset);
    ez_asm_add_fixup(as, ASM_FIX_DATA, k->offset + IN_ENTRY, 8, &entry_offset, name);
    *as->kernels_end = k;
    as->kernels_end = &k->next;
    c->at = c->end;
    return true;
}

/* ---- filling in ---- */

typedef struct filling {
    ez_asm *as;
    const asm_kernel *k;
    uint8_t *bytes;
} filling;

static void put_bits(const filling *f, ez_kernel_place p, uint64_t value) {
    for (unsigned bit = 0; bit < p.bits; bit++) {
        unsigned at = p.at * 8u + p.first + bit;
        f->bytes[at / 8] = (uint8_t)((f->bytes[at / 8] & ~(1u << at % 8)) | (unsigned)(value >> bit & 1) << at % 8);
    }
}

/* A value, or what it is when the text does not say; reports one that is not known or too large. */
static uint64_t value_of(const filling *f, unsigned field, uint64_t otherwise) {
    const entry *e = &f->k->entries[field];
    asm_value v;
    if (!e->given) return otherwise;
    const char *wrong = ez_asm_evaluate(f->as, &e->term, &v);
    if (wrong || v.add || v.subtract) {
        ez_asm_fail_at(f->as, e->place, "%s", wrong ? wrong : "expected an absolute expression");
        return 0;
    }
    if (v.constant >> field_bits(f->as, field)) {
        ez_asm_fail_at(f->as, e->place, "value out of range");
        return 0;
    }
    return v.constant;
}

static void put_field(const filling *f, unsigned field, uint64_t otherwise) {
    put_bits(f, ez_kernel_places[field], value_of(f, field, otherwise));
}

static void put_registers(const filling *f, bool wave32) {
    uint64_t numbers[REGISTER_NUMBERS] = {
        value_of(f, NEXT_VGPR, 0), value_of(f, NEXT_SGPR, 0), value_of(f, RESERVE_VCC, 1),
        value_of(f, RESERVE_FLAT, 1), value_of(f, RESERVE_XNACK, xnack_by_default(f->as)),
        value_of(f, EZ_KD_SHARED_VGPR_COUNT, 0)};
    register_blocks blocks;
    if (!count_blocks(f->as, f->k, numbers, wave32, &blocks)) return;
    put_bits(f, ez_kernel_places[EZ_KD_GRANULATED_WORKITEM_VGPR_COUNT], blocks.vgprs);
    if (!has(f->as, "wave32")) put_bits(f, ez_kernel_places[EZ_KD_GRANULATED_WAVEFRONT_SGPR_COUNT], blocks.sgprs);
}

/* What the target has by default, and what the text says. */
static void put_fields(const filling *f) {
    ez_asm *as = f->as;
    bool gfx10 = has(as, "wave32"), gfx12 = has(as, "round_robin");
    for (unsigned n = 0; n < EZ_KERNEL_DIRECTIVES; n++) {
        unsigned field = ez_kernel_directives[n].field;
        if (field >= EZ_KD_COUNT) continue;
        uint64_t otherwise = 0;
        switch (field) {
        case EZ_KD_FLOAT_DENORM_MODE_16_64: otherwise = 3; break; /* denormals are kept */
        case EZ_KD_ENABLE_DX10_CLAMP: case EZ_KD_ENABLE_IEEE_MODE: otherwise = !gfx12; break;
        case EZ_KD_ENABLE_SGPR_WORKGROUP_ID_X: otherwise = 1; break;
        case EZ_KD_ENABLE_WAVEFRONT_SIZE32: otherwise = gfx10 && as->wave == 32; break;
        case EZ_KD_WGP_MODE: otherwise = has(as, "wgp_mode"); break;
        case EZ_KD_MEM_ORDERED: case EZ_KD_FWD_PROGRESS: otherwise = gfx10; break;
        default: break;
        }
        if (!f->k->entries[field].given && !otherwise) continue; /* another field may have these bits */
        put_field(f, field, otherwise);
    }
}

static void fill_kernel(ez_asm *as, const asm_kernel *k) {
    const asm_fragment *fragment = &k->section->fragments[k->fragment];
    filling f = {as, k, k->section->image + fragment->address + k->offset - fragment->start};
    const ez_kernel_place whole[] = {{IN_GROUP, 0, 32}, {IN_PRIVATE, 0, 32}, {IN_KERNARG, 0, 32}};
    for (unsigned i = 0; i < 3; i++)
        put_bits(&f, whole[i], value_of(&f, GROUP + i, 0));
    put_fields(&f);
    unsigned user = has(as, "user_sgprs_32") ? EZ_KD_USER_SGPR_COUNT_6 : EZ_KD_USER_SGPR_COUNT;
    put_bits(&f, ez_kernel_places[user], value_of(&f, USER_SGPRS, 0));
    put_registers(&f, has(as, "wave32") && value_of(&f, EZ_KD_ENABLE_WAVEFRONT_SIZE32, as->wave == 32));
    if (has(as, "tg_split")) {
        uint64_t offset = value_of(&f, ACCUM, 4);
        if (offset < 4 || offset > 256 || offset % 4)
            ez_asm_fail_at(as, k->end, "accum_offset should be in range [4..256] in increments of 4");
        put_bits(&f, ez_kernel_places[EZ_KD_ACCUM_OFFSET], offset / 4 - 1);
    }
    if (has(as, "named_barriers")) put_bits(&f, ez_kernel_places[EZ_KD_NAMED_BAR_CNT], value_of(&f, NAMED_BARRIERS, 0));
    if (has(as, "inst_pref_size"))
        put_bits(&f, ez_kernel_places[has(as, "inst_pref_255") ? EZ_KD_INST_PREF_SIZE : EZ_KD_INST_PREF_SIZE_GFX11],
                 value_of(&f, PREFETCH, 0));
}

void ez_asm_fill_kernels(ez_asm *as) {
    for (const asm_kernel *k = as->kernels; k; k = k->next)
        fill_kernel(as, k);
}
