/* SPDX-License-Identifier: Apache-2.0 */
/* The data and the address of image instructions: how many VGPRs, and which. */
#include "codec.h"

enum { VGPRS = 256 };

static bool has(const ez_inst *inst, unsigned flag) {
    return ez_row_has_on(inst->target, inst->op, flag);
}

/* Coordinates and derivatives by dim. Source: [RDNA1] 8.2.2 "Image Addressing", table of VGPRs; LLVM MIMGDim. */
static const struct {
    uint8_t coordinates, derivatives;
} dims[8] = {{1, 2}, {2, 4}, {3, 6}, {3, 4}, {2, 2}, {3, 4}, {3, 4}, {4, 4}};

/* The address VGPRs of an image without rays, for so many coordinates and derivatives. */
static unsigned words_for(const ez_inst *inst, unsigned coordinates, unsigned derivatives, bool a16) {
    unsigned words = has(inst, EZ_ROW_a_bias) + has(inst, EZ_ROW_a_compare) + has(inst, EZ_ROW_a_offset);
    unsigned parts = has(inst, EZ_ROW_a_one) ? 1 : coordinates + has(inst, EZ_ROW_a_lod);
    words += a16 ? (parts + 1) / 2 : parts;
    if (!has(inst, EZ_ROW_a_deriv) || !derivatives) return words;
    return words + (has(inst, EZ_ROW_a_g16) ? (derivatives / 2 + 1) / 2 * 2 : derivatives);
}

/* The fewest address VGPRs that llvm-mc has an instruction for. */
static unsigned least_words(const ez_inst *inst) {
    return words_for(inst, 1, 0, true) + has(inst, EZ_ROW_a_deriv);
}

static unsigned address_words(const ez_inst *inst) {
    if (!ez_has_field(inst, EZ_F_dim)) return least_words(inst);
    unsigned dim = ez_get(inst, EZ_F_dim);
    return words_for(inst, dims[dim].coordinates, dims[dim].derivatives, ez_get(inst, EZ_F_a16));
}

static bool compares_and_swaps(const ez_inst *inst) {
    return inst->op == EZ_OP_IMAGE_ATOMIC_CMPSWAP || inst->op == EZ_OP_IMAGE_ATOMIC_CMPSWAP_FLT;
}

static unsigned data_words(const ez_inst *inst) {
    unsigned count = has(inst, EZ_ROW_data4) ? 4 : (unsigned)__builtin_popcount(ez_get(inst, EZ_F_dmask));
    if (!count) count = 1;
    if (ez_get(inst, EZ_F_d16) && !ez_has(inst->target, EZ_HAS_unpacked_d16_vmem)) count = (count + 1) / 2;
    return count + ez_get(inst, EZ_F_tfe);
}

/* The fewest data VGPRs that llvm-mc has an instruction for. */
static unsigned least_data(const ez_inst *inst) {
    if (has(inst, EZ_ROW_data4) && inst->op == EZ_OP_IMAGE_MSAA_LOAD) return 4;
    return has(inst, EZ_ROW_data4) || compares_and_swaps(inst) ? 2 : 1;
}

/* Whether llvm-mc has an instruction for so many data VGPRs: atomics have one or two values, twice as many to compare and
 * exchange, and the status. */
static bool data_exists(const ez_inst *inst, unsigned words) {
    if (has(inst, EZ_ROW_data4)) return words != 3;
    if (!has(inst, EZ_ROW_atomic)) return true;
    return words >= least_data(inst) && words <= (compares_and_swaps(inst) ? 5u : 3u);
}

/* The most address VGPRs that llvm-mc has an instruction for. */
static unsigned most_words(const ez_inst *inst) {
    enum { VOLUME_COORDINATES = 3, VOLUME_DERIVATIVES = 6, LOAD_WORDS = 4 };
    return ez_has_field(inst, EZ_F_samp) && ez_inst_takes(inst, EZ_F_samp)
               ? words_for(inst, VOLUME_COORDINATES, VOLUME_DERIVATIVES, false)
               : LOAD_WORDS;
}

unsigned ez_image_address_most(const ez_inst *inst) { return most_words(inst); }

/* Where address VGPR n is named when each has a field of its own: behind the instruction (MIMG), or in it. */
static unsigned named_vgpr(const ez_inst *inst, unsigned n) {
    static const uint8_t fields[] = {EZ_F_vaddr, EZ_F_vaddr1, EZ_F_vaddr2, EZ_F_vaddr3, EZ_F_vaddr4};
    if (!n || ez_has_field(inst, EZ_F_vaddr1)) return ez_get(inst, fields[n < 5 ? n : 4]);
    unsigned dword = ez_inst_layout(inst)->dwords + (n - 1) / 4;
    return inst->word[dword] >> (n - 1) % 4 * 8 & 0xff;
}

static unsigned named_slots(const ez_inst *inst) {
    if (ez_has_field(inst, EZ_F_vaddr1)) return ez_has_field(inst, EZ_F_vaddr4) ? 5 : 4;
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
        sizes[n++] = 2, sizes[n++] = 2, sizes[n++] = 3, sizes[n++] = 3,
        sizes[n++] = 1 + (inst->op == EZ_OP_IMAGE_BVH_DUAL_INTERSECT_RAY);
        return n;
    }
    sizes[n++] = wide ? 2 : 1;
    sizes[n++] = 1, sizes[n++] = 3, sizes[n++] = 3;
    if (!ez_get(inst, EZ_F_a16)) sizes[n++] = 3;
    return n;
}

/* How many VGPRs data and address have. For what it has no instruction for, and for VGPRs beyond the last, llvm-mc prints the
 * one with the fewest data VGPRs: exact is false then. */
typedef struct image_sizes {
    unsigned data, words, slots; /* slots: names in a list, 0 of one run */
    bool exact;
} image_sizes;

/* Whether there are so many VGPRs from the first on. The fewest are not checked. */
static bool within(const ez_inst *inst, unsigned first, unsigned count, unsigned least) {
    return count == least || (first + count <= VGPRS &&
                              (count < 2 || !(first & 1) || !ez_has(inst->target, EZ_HAS_even_vgprs)));
}

static image_sizes sizes_of(const ez_inst *inst) {
    bool fields = ez_has_field(inst, EZ_F_vaddr1), list = fields || ez_get(inst, EZ_F_nsa);
    unsigned most = most_words(inst), slots = list ? named_slots(inst) : 0;
    image_sizes s = {
        .data = data_words(inst), .words = address_words(inst), .slots = slots < most ? slots : most};
    unsigned rest = s.words > s.slots ? s.words - s.slots + 1 : 1,
             last = list ? named_vgpr(inst, s.slots - 1) : 0;
    s.exact = data_exists(inst, s.data) && within(inst, ez_get(inst, EZ_F_vdata), s.data, least_data(inst));
    if (!ez_has_field(inst, EZ_F_dim)) { /* one number of address VGPRs for each instruction */
    } else if (!list) {                  /* runs of 4 and 8 exist in any case */
        s.exact &= (s.words <= most || s.words == 4 || s.words == 8) &&
                   within(inst, ez_get(inst, EZ_F_vaddr), s.words > 12 ? 16 : s.words, least_words(inst));
    } else {
        s.exact &= s.words <= most && (fields || s.words > 1);
        s.exact &= s.words <= s.slots || (last_takes_rest(inst) && within(inst, last, rest, 1));
    }
    if (s.exact) return s;
    s.data = least_data(inst);
    if (list) s.words = s.slots;
    else s.words = least_words(inst);
    return s;
}

/* The groups of rays, or a VGPR each. */
static bool list_of(const ez_inst *inst, const image_sizes *s, ez_image_address *a) {
    unsigned parts = s->words < s->slots ? s->words : s->slots;
    bool ray = has(inst, EZ_ROW_bvh);
    if (ray && ez_has(inst->target, EZ_HAS_null_is_124)) return a->parts <= named_slots(inst);
    if (ray) parts = a->words;
    if (parts > named_slots(inst) || parts > sizeof a->dwords) return false;
    a->parts = (uint8_t)parts;
    for (unsigned i = 0; i < parts; i++)
        a->dwords[i] = i + 1 < parts ? 1 : (uint8_t)(a->words - parts + 1);
    return true;
}

bool ez_image_address_of(const ez_inst *inst, ez_image_address *a) {
    bool fields = ez_has_field(inst, EZ_F_vaddr1), list = fields || ez_get(inst, EZ_F_nsa);
    image_sizes s = {0};
    *a = (ez_image_address){.list = list, .exact = true};
    if (has(inst, EZ_ROW_bvh)) {
        a->parts = (uint8_t)ray_parts(inst, a->dwords);
        for (unsigned i = 0; i < a->parts; i++)
            a->words = (uint8_t)(a->words + a->dwords[i]);
    } else {
        s = sizes_of(inst);
        if (list && !fields && most_words(inst) + 2 < 4 * ez_get(inst, EZ_F_nsa)) return false;
        a->words = (uint8_t)s.words;
        a->exact = s.exact;
    }
    if (!list) {
        a->parts = 1;
        a->reg[0] = (uint8_t)ez_get(inst, EZ_F_vaddr);
        a->dwords[0] = (uint8_t)(a->words > 12 ? 16 : a->words);
        return true;
    }
    if (!list_of(inst, &s, a)) return false;
    for (unsigned i = 0; i < a->parts; i++)
        a->reg[i] = (uint8_t)named_vgpr(inst, i);
    return true;
}

bool ez_image_data_exists(const ez_inst *inst, unsigned words) {
    bool sampled = ez_has_field(inst, EZ_F_samp) && ez_inst_takes(inst, EZ_F_samp);
    if (!words) /* written off: from GFX10 on, nothing is returned */
        return sampled && ez_has_field(inst, EZ_F_dim) && !has(inst, EZ_ROW_data4) && inst->op != EZ_OP_IMAGE_GET_LOD;
    return words <= 5 && words >= least_data(inst) && data_exists(inst, words);
}

/* Runs of 4 serve for 3, of 8 for 5 to 7, of 16 for more than 12. */
bool ez_image_run_exists(const ez_inst *inst, unsigned words) {
    unsigned least, most;
    ez_image_address_range(inst, &least, &most);
    if (ez_has_field(inst, EZ_F_vaddr1)) return words == 1 && least == 1;
    if (words == 16) return most > 12;
    if (words == 8 && most > 4 && least < 8) return true;
    if (words == 4 && most > 2 && least < 4) return true;
    return words >= least && words <= most && words < 13;
}

unsigned ez_image_address_range(const ez_inst *inst, unsigned *least, unsigned *most) {
    bool sampled = ez_has_field(inst, EZ_F_samp) && ez_inst_takes(inst, EZ_F_samp);
    *least = sampled ? least_words(inst) : 1;
    *most = most_words(inst);
    if (ez_has_field(inst, EZ_F_vaddr1)) return ez_has_field(inst, EZ_F_vaddr4) ? 5 : 4;
    return ez_has(inst->target, EZ_HAS_null_is_124) ? 5 : 13;
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
    o->kind = ez_get(inst, EZ_F_acc) ? EZ_OPERAND_AGPR : EZ_OPERAND_VGPR;
    o->reg = (uint16_t)ez_get(inst, o->field);
    o->code = (uint16_t)(EZ_CODE_VGPR + o->reg);
    o->dwords = (uint8_t)sizes_of(inst).data;
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
