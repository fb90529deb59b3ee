/* SPDX-License-Identifier: Apache-2.0 */
/* The data and the address of image instructions: how many VGPRs, and which. */
#include "codec.h"

static bool has(const ez_inst *inst, unsigned flag) {
    return ez_row_has_on(inst->target, inst->op, flag);
}

/* Coordinates and derivatives by dim. Source: [RDNA1] 8.2.2 "Image Addressing", table of VGPRs; LLVM MIMGDim. */
static const struct {
    uint8_t coordinates, derivatives;
} dims[8] = {{1, 2}, {2, 4}, {3, 6}, {3, 4}, {2, 2}, {3, 4}, {3, 4}, {4, 4}};

static unsigned address_words(const ez_inst *inst) {
    unsigned words = has(inst, EZ_ROW_a_bias) + has(inst, EZ_ROW_a_compare) + has(inst, EZ_ROW_a_offset);
    if (!ez_has_field(inst, EZ_F_dim)) return 1 + words + has(inst, EZ_ROW_a_deriv);
    unsigned dim = ez_get(inst, EZ_F_dim), d = dims[dim].derivatives;
    bool a16 = ez_get(inst, EZ_F_a16);
    unsigned parts = has(inst, EZ_ROW_a_one) ? 1 : dims[dim].coordinates + has(inst, EZ_ROW_a_lod);
    words += a16 ? (parts + 1) / 2 : parts;
    if (has(inst, EZ_ROW_a_deriv)) words += has(inst, EZ_ROW_a_g16) ? (d / 2 + 1) / 2 * 2 : d;
    return words;
}

/* An atomic has one value of 32 or 64 bits, or two of them to compare and exchange. llvm-mc prints another dmask as
 * if it were the smaller. */
static bool atomic_mask(const ez_inst *inst) {
    unsigned count = (unsigned)__builtin_popcount(ez_get(inst, EZ_F_dmask));
    bool swap = inst->op == EZ_OP_IMAGE_ATOMIC_CMPSWAP || inst->op == EZ_OP_IMAGE_ATOMIC_CMPSWAP_FLT;
    return !has(inst, EZ_ROW_atomic) || count == 1u + swap || count == 2u + 2 * swap;
}

/* Where address VGPR n is named when each has a field of its own: behind the instruction (MIMG), or in it. */
static unsigned named_vgpr(const ez_inst *inst, unsigned n) {
    static const uint8_t fields[] = {EZ_F_vaddr, EZ_F_vaddr1, EZ_F_vaddr2, EZ_F_vaddr3, EZ_F_vaddr4};
    if (!n || ez_has_field(inst, EZ_F_vaddr1)) return ez_get(inst, fields[n < 5 ? n : 4]);
    unsigned dword = ez_inst_layout(inst)->dwords + (n - 1) / 4;
    return inst->word[dword] >> (n - 1) % 4 * 8 & 0xff;
}

static unsigned named_slots(const ez_inst *inst) {
    if (ez_has_field(inst, EZ_F_vaddr1))
        return ez_has_field(inst, EZ_F_vaddr4) ? 5 : 4;
    return 1 + 4 * ez_get(inst, EZ_F_nsa);
}

/* Whether the last of the names stands for all VGPRs that remain. */
static bool last_takes_rest(const ez_inst *inst) {
    return !ez_has_field(inst, EZ_F_vaddr4) && ez_has(inst->target, EZ_HAS_null_is_124);
}

/* Rays: node pointer, extent, origin, direction, inverse direction (with a16 the last two in one).
 * Source: [RDNA2] 8.2.10, [RDNA3] 7.11; groups as llvm-mc 22 writes them. */
static unsigned ray_parts(const ez_inst *inst, uint8_t *sizes) {
    unsigned n = 0;
    bool wide = inst->op != EZ_OP_IMAGE_BVH_INTERSECT_RAY;
    if (has(inst, EZ_ROW_nomod)) { /* two nodes, eight boxes */
        sizes[n++] = 2, sizes[n++] = 2, sizes[n++] = 3, sizes[n++] = 3, sizes[n++] = 1 + (inst->op == EZ_OP_IMAGE_BVH_DUAL_INTERSECT_RAY);
        return n;
    }
    sizes[n++] = wide ? 2 : 1;
    sizes[n++] = 1, sizes[n++] = 3, sizes[n++] = 3;
    if (!ez_get(inst, EZ_F_a16)) sizes[n++] = 3;
    return n;
}

bool ez_image_address_of(const ez_inst *inst, ez_image_address *a) {
    bool fields = ez_has_field(inst, EZ_F_vaddr1), list = fields || ez_get(inst, EZ_F_nsa);
    bool ray = has(inst, EZ_ROW_bvh), groups = ray && ez_has(inst->target, EZ_HAS_null_is_124);
    unsigned words = ray ? 0 : atomic_mask(inst) ? address_words(inst) : 1, slots = named_slots(inst);
    *a = (ez_image_address){.list = list};
    if (ray) {
        uint8_t sizes[5];
        unsigned n = ray_parts(inst, sizes);
        for (unsigned i = 0; i < n; i++) {
            words += sizes[i];
            a->dwords[i] = sizes[i];
        }
        a->parts = (uint8_t)n;
    }
    if (!list) {
        a->parts = 1;
        a->reg[0] = (uint8_t)ez_get(inst, EZ_F_vaddr);
        a->dwords[0] = (uint8_t)(words > 12 ? 16 : words);
    } else if (groups) {
        if (a->parts > slots) return false;
    } else {
        bool rest = last_takes_rest(inst) && words > slots;
        if (words > slots && !rest) return false;
        a->parts = (uint8_t)(rest ? slots : words);
        for (unsigned i = 0; i < a->parts; i++)
            a->dwords[i] = 1;
        if (rest) a->dwords[slots - 1] = (uint8_t)(words - slots + 1);
    }
    if (list && !fields && ez_get(inst, EZ_F_nsa) != (a->parts + 2u) / 4) return false; /* as few dwords as can be */
    for (unsigned i = 0; list && i < a->parts; i++)
        a->reg[i] = (uint8_t)named_vgpr(inst, i);
    a->words = (uint8_t)words;
    return true;
}

void ez_image_name_vgpr(ez_inst *inst, unsigned n, unsigned reg) {
    static const uint8_t fields[] = {EZ_F_vaddr, EZ_F_vaddr1, EZ_F_vaddr2, EZ_F_vaddr3, EZ_F_vaddr4};
    if (!n || ez_has_field(inst, EZ_F_vaddr1)) {
        ez_set(inst, fields[n < 5 ? n : 4], reg);
        return;
    }
    uint32_t *word = &inst->word[ez_inst_layout(inst)->dwords + (n - 1) / 4];
    unsigned shift = (n - 1) % 4 * 8;
    *word = (*word & ~(0xffu << shift)) | reg << shift;
}

static void image_data(const ez_inst *inst, ez_operand *o) {
    unsigned count = (unsigned)__builtin_popcount(ez_get(inst, EZ_F_dmask));
    if (has(inst, EZ_ROW_data4)) count = 4;
    if (!atomic_mask(inst))
        count = 1 + (inst->op == EZ_OP_IMAGE_ATOMIC_CMPSWAP || inst->op == EZ_OP_IMAGE_ATOMIC_CMPSWAP_FLT);
    if (!count) count = 1;
    if (ez_get(inst, EZ_F_d16) && !ez_has(inst->target, EZ_HAS_unpacked_d16_vmem))
        count = (count + 1) / 2;
    if (ez_get(inst, EZ_F_tfe)) count++;
    o->kind = ez_get(inst, EZ_F_acc) ? EZ_OPERAND_AGPR : EZ_OPERAND_VGPR;
    o->reg = (uint16_t)ez_get(inst, o->field);
    o->code = (uint16_t)(EZ_CODE_VGPR + o->reg);
    o->dwords = (uint8_t)count;
    if (has(inst, EZ_ROW_atomic)) o->written = ez_inst_returns(inst);
}

bool ez_image_operand(const ez_inst *inst, unsigned cls, ez_operand *o) {
    if (cls == EZ_C_idata) {
        image_data(inst, o);
        return true;
    }
    ez_image_address a;
    bool good = ez_image_address_of(inst, &a);
    o->kind = good ? EZ_OPERAND_VGPR : EZ_OPERAND_INVALID;
    o->reg = a.reg[0];
    o->code = (uint16_t)(EZ_CODE_VGPR + o->reg);
    o->dwords = a.words;
    return true;
}
