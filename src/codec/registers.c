/* SPDX-License-Identifier: Apache-2.0 */
/* Which registers an instruction reads and writes: those of its operands, and those that no operand names. */
#include "codec.h"

#include <string.h>

/* Registers without an operand, as bits. */
enum {
    EXEC = 1,
    VCC = 2,
    SCC = 4,
    M0 = 8,
    MODE = 16,
    FLAT_SCRATCH = 32,
    IMPLICIT = 6
};

static const struct {
    const char *name;
    const char *half; /* of a register as wide as the wave: its name in waves of 32 lanes */
    uint16_t dwords;
} implicit_registers[IMPLICIT] = {{"exec", "exec_lo", 2}, {"vcc", "vcc_lo", 2},    {"scc", NULL, 1},
                                  {"m0", NULL, 1},        {"mode", NULL, 1}, {"flat_scratch", NULL, 2}};

static bool has(const ez_inst *inst, unsigned flag) {
    return ez_row_has_on(inst->target, inst->op, flag);
}

typedef enum unit { SCALAR, SCALAR_MEMORY, VECTOR, LDS, FLAT, SCRATCH, OTHER_MEMORY } unit;

static unit unit_of(const ez_inst *inst) {
    switch (ez_inst_layout(inst)->encoding) {
    case EZ_ENC_SOP1:
    case EZ_ENC_SOP2:
    case EZ_ENC_SOPC:
    case EZ_ENC_SOPK:
    case EZ_ENC_SOPP: return SCALAR;
    case EZ_ENC_SMEM: return SCALAR_MEMORY;
    case EZ_ENC_DS:
    case EZ_ENC_VDS: return LDS;
    case EZ_ENC_FLAT:
    case EZ_ENC_VFLAT: return FLAT;
    case EZ_ENC_SCRATCH:
    case EZ_ENC_VSCRATCH: return SCRATCH;
    case EZ_ENC_GLOBAL:
    case EZ_ENC_VGLOBAL:
    case EZ_ENC_MUBUF:
    case EZ_ENC_MTBUF:
    case EZ_ENC_VBUFFER:
    case EZ_ENC_MIMG:
    case EZ_ENC_VIMAGE:
    case EZ_ENC_VSAMPLE:
    case EZ_ENC_EXP:
    case EZ_ENC_VEXPORT:
    case EZ_ENC_LDSDIR:
    case EZ_ENC_VDSDIR: return OTHER_MEMORY;
    default: return VECTOR;
    }
}

/* Whether MODE decides how an operand is read or rounded: one of a float type, but not of a matrix (docs/errata.md). */
static bool has_float(const ez_inst *inst) {
    const ez_row *row = &ez_rows[inst->op];
    if (row->dims[0]) return false;
    for (unsigned n = 0; n < row->noperands; n++)
        if (strchr(ez_type_names[ez_row_operands[row->operands + n].type], 'f')) return true; /* f32, pk_bf16 */
    return false;
}

static unsigned implicit_reads(const ez_inst *inst) {
    unit u = unit_of(inst);
    unsigned reads = 0;
    bool lanes = u > SCALAR_MEMORY && !has(inst, EZ_ROW_all_lanes) && !ez_rows[inst->op].dims[0];
    if (lanes || has(inst, EZ_ROW_read_exec)) reads |= EXEC;
    if (has(inst, EZ_ROW_read_vcc)) reads |= VCC;
    if (has(inst, EZ_ROW_reads_scc)) reads |= SCC;
    if (has(inst, EZ_ROW_read_mode)) reads |= MODE;
    if ((u == SCALAR || u == VECTOR) && has_float(inst) && !has(inst, EZ_ROW_any_mode)) reads |= MODE;
    if (u == FLAT || u == SCRATCH || has(inst, EZ_ROW_scratch)) reads |= FLAT_SCRATCH;
    bool memory = has(inst, EZ_ROW_load) || has(inst, EZ_ROW_store) || has(inst, EZ_ROW_atomic);
    bool limited = memory && (u == LDS || u == FLAT) && ez_has(inst->target, EZ_HAS_lds_m0_limit);
    bool to_lds = has(inst, EZ_ROW_ldsonly) || (has(inst, EZ_ROW_lds) && ez_get(inst, EZ_F_lds));
    if (limited || to_lds || has(inst, EZ_ROW_read_m0)) reads |= M0;
    return reads;
}

static unsigned implicit_writes(const ez_inst *inst) {
    unsigned writes = 0;
    if (has(inst, EZ_ROW_write_exec)) writes |= EXEC;
    if (has(inst, EZ_ROW_scc)) writes |= SCC;
    if (has(inst, EZ_ROW_write_m0)) writes |= M0;
    if (has(inst, EZ_ROW_write_mode)) writes |= MODE;
    return writes;
}

/* ---- the list ---- */

typedef struct list {
    ez_register_use *use;
    size_t count, room;
} list;

static void add(list *l, ez_register_use use) {
    if (l->count < l->room) l->use[l->count] = use;
    l->count++;
}

/* Whether the DPP control leaves out lanes, which keep the old result. Source: [Vega] 13.3.8. */
static bool leaves_lanes(const ez_inst *inst) {
    enum { ALL = 15 };
    if (!ez_has_field(inst, EZ_F_row_mask)) return false;
    return ez_get(inst, EZ_F_row_mask) != ALL || ez_get(inst, EZ_F_bank_mask) != ALL || !ez_get(inst, EZ_F_bound_ctrl);
}

/* Whether something of the VGPR that operand o writes is kept. */
static bool keeps_part(const ez_inst *inst, const ez_operand *o) {
    if (!o->written || o->kind != EZ_OPERAND_VGPR || unit_of(inst) != VECTOR) return false;
    bool sdwa = ez_has_field(inst, EZ_F_dst_sel) && ez_get(inst, EZ_F_dst_sel) != EZ_SDWA_DWORD;
    if (sdwa) return ez_get(inst, EZ_F_dst_unused) == EZ_SDWA_PRESERVE;
    if (inst->op == EZ_OP_WRITELANE_B32 || leaves_lanes(inst) || ez_writes_byte(inst)) return true;
    return o->bits == 16 && (o->half || ez_keeps_other_half(inst));
}

static void add_run(list *l, const ez_inst *inst, const ez_operand *o, unsigned reg, unsigned dwords) {
    add(l, (ez_register_use){.file = o->kind,
                             .reg = (uint16_t)reg,
                             .dwords = (uint16_t)dwords,
                             .read = o->read,
                             .written = o->written,
                             .partial = keeps_part(inst, o)});
}

/* The VGPRs of operand n as an image address; false: it is none. */
static bool add_address(list *l, const ez_inst *inst, unsigned n, const ez_operand *o) {
    ez_image_address a;
    const ez_row_operand *row = &ez_row_operands[ez_rows[inst->op].operands + n];
    if (ez_operand_class(inst, row, o->field) != EZ_C_iaddr || !ez_image_address_of(inst, &a)) return false;
    if (!ez_has_field(inst, EZ_F_dim)) a.dwords[0] = (uint8_t)ez_image_address_most(inst);
    for (unsigned part = 0; part < a.parts; part++)
        add_run(l, inst, o, a.reg[part], a.dwords[part]);
    return true;
}

/* s_cmov: where SCC is 0 the result stays what it was. */
static bool moves_if_scc(const ez_inst *inst) {
    return inst->op == EZ_OP_S_CMOV_B32 || inst->op == EZ_OP_S_CMOV_B64 || inst->op == EZ_OP_S_CMOVK_I32;
}

static void add_operands(list *l, const ez_inst *inst) {
    for (unsigned n = 0; n < ez_inst_operand_count(inst); n++) {
        ez_operand o = ez_inst_operand(inst, n);
        o.read |= o.written && moves_if_scc(inst);
        const char *name = NULL;
        switch (o.kind) {
        case EZ_OPERAND_VGPR:
            if (add_address(l, inst, n, &o)) break;
            add_run(l, inst, &o, o.reg, o.dwords);
            break;
        case EZ_OPERAND_AGPR:
        case EZ_OPERAND_SGPR:
        case EZ_OPERAND_TTMP: add_run(l, inst, &o, o.reg, o.dwords); break;
        case EZ_OPERAND_SPECIAL:
            if (ez_is_null(inst->target, o.code)) break;
            name = ez_operand_name(inst, &o);
            add(l, (ez_register_use){.file = EZ_OPERAND_SPECIAL,
                                     .reg = o.code,
                                     .dwords = o.dwords,
                                     .read = o.read,
                                     .written = o.written,
                                     .name = name});
            break;
        default: break;
        }
    }
}

/* Adds a register that no operand names, unless one does: v_cmpx has EXEC as its result in some forms. */
static void add_named(list *l, const char *name, unsigned dwords, bool read, bool written) {
    for (size_t i = 0; i < l->count && i < l->room; i++) {
        if (!l->use[i].name || strcmp(l->use[i].name, name)) continue;
        read &= !l->use[i].read;
        written &= !l->use[i].written;
    }
    if (read || written)
        add(l, (ez_register_use){.file = EZ_OPERAND_SPECIAL,
                                 .dwords = (uint16_t)dwords,
                                 .read = read,
                                 .written = written,
                                 .implicit = true,
                                 .name = name});
}

static void add_implicit(list *l, const ez_inst *inst, unsigned reads, unsigned writes) {
    for (unsigned i = 0; i < IMPLICIT; i++) {
        bool half = inst->wave == 32 && implicit_registers[i].half;
        add_named(l, half ? implicit_registers[i].half : implicit_registers[i].name,
                  half ? 1 : implicit_registers[i].dwords, reads >> i & 1, writes >> i & 1);
    }
}

size_t ez_inst_registers(const ez_inst *inst, ez_register_use *use, size_t room) {
    list l = {.use = use, .room = room};
    ez_inst second;
    unsigned reads = implicit_reads(inst), writes = implicit_writes(inst);
    add_operands(&l, inst);
    if (ez_inst_second(inst, &second)) {
        add_operands(&l, &second);
        reads |= implicit_reads(&second);
        writes |= implicit_writes(&second);
    }
    add_implicit(&l, inst, reads, writes);
    return l.count;
}
