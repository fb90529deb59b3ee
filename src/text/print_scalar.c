/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of SOPK, SOPP and SMEM in text: numbers, counters, messages, hardware registers.
 * Source of the spellings: LLVM "Syntax of AMDGPU Instruction Operands" and llvm-mc 22. */
#include "families.h"

/* ---- counters: bits of simm16 by a mask, the lowest bit of the count first ---- */

unsigned ez_gather_bits(unsigned value, unsigned mask) {
    unsigned count = 0, at = 0;
    for (unsigned bit = 0; bit < 16; bit++)
        if (mask >> bit & 1) count |= (value >> bit & 1) << at++;
    return count;
}

static void counter(ez_writer *w, const ez_isa_symbol *s, unsigned value, bool *first) {
    if (!*first) ez_write_char(w, ' ');
    *first = false;
    ez_write(w, s->name);
    ez_write_char(w, '(');
    ez_write_decimal(w, ez_gather_bits(value, s->code));
    ez_write_char(w, ')');
}

/* The counters that are not at their maximum; all of them when none is. */
static void counters(ez_writer *w, const ez_inst *inst, unsigned kind, unsigned value) {
    bool first = true;
    for (const ez_isa_symbol *s = NULL; (s = ez_symbol_next(inst->target, kind, s));)
        if ((value & s->code) != s->code) counter(w, s, value, &first);
    if (!first) return;
    for (const ez_isa_symbol *s = NULL; (s = ez_symbol_next(inst->target, kind, s));)
        counter(w, s, value, &first);
}

/* As a number when bits are clear that no counter has. */
static void dependencies(ez_writer *w, const ez_inst *inst, unsigned value) {
    unsigned named = 0;
    for (const ez_isa_symbol *s = NULL; (s = ez_symbol_next(inst->target, EZ_SYM_depctr, s));)
        named |= s->code;
    if (value & ~named & 0xffff) ez_write_hex(w, value);
    else counters(w, inst, EZ_SYM_depctr, value);
}

/* ---- s_delay_alu ---- */

static void delay_part(ez_writer *w, const ez_inst *inst, const char *part, unsigned kind,
                       unsigned value, bool *first) {
    const char *name = ez_symbol_name(inst->target, kind, value);
    if (!value) return;
    if (!*first) ez_write(w, " | ");
    *first = false;
    ez_write(w, part);
    ez_write_char(w, '(');
    if (name) {
        ez_write(w, name);
    } else {
        ez_write(w, "/* invalid ");
        ez_write(w, kind == EZ_SYM_instid ? "instid" : "instskip");
        ez_write(w, " value */");
    }
    ez_write_char(w, ')');
}

/* Source: [RDNA3] "S_DELAY_ALU": instid0 3:0, instskip 6:4, instid1 10:7. */
static void delay(ez_writer *w, const ez_inst *inst, unsigned value) {
    bool first = true;
    delay_part(w, inst, "instid0", EZ_SYM_instid, value & 15, &first);
    delay_part(w, inst, "instskip", EZ_SYM_instskip, value >> 4 & 7, &first);
    delay_part(w, inst, "instid1", EZ_SYM_instid, value >> 7 & 15, &first);
    if (first) ez_write_char(w, '0');
}

/* ---- hardware registers: id 5:0, offset 10:6, size - 1 15:11 ---- */

static void hardware_register(ez_writer *w, const ez_inst *inst, unsigned value) {
    unsigned id = value & 63, offset = value >> 6 & 31, size = (value >> 11 & 31) + 1;
    const char *name = ez_symbol_name(inst->target, EZ_SYM_hwreg, id);
    ez_write(w, "hwreg(");
    if (name) ez_write(w, name);
    else ez_write_decimal(w, id);
    if (offset || size != 32) {
        ez_write(w, ", ");
        ez_write_decimal(w, offset);
        ez_write(w, ", ");
        ez_write_decimal(w, size);
    }
    ez_write_char(w, ')');
}

/* ---- messages ---- */

/* Id, operation and stream of a message. Before GFX11 id 3:0, operation 6:4, stream 9:8; then id 7:0.
 * Source: [Vega] "S_SENDMSG", [RDNA3] "S_SENDMSG". */
ez_message ez_message_of(const ez_target *target, unsigned value) {
    bool wide = ez_has(target, EZ_HAS_null_is_124);
    ez_message m = {.id = value & (wide ? 0xff : 15), .wide = wide};
    m.gs = !wide && (m.id == 2 || m.id == 3);
    m.sys = !wide && m.id == 15;
    m.operation = wide ? 0 : value >> 4 & 7;
    m.stream = wide ? 0 : value >> 8 & 3;
    m.exact = value == (m.id | m.operation << 4 | m.stream << 8);
    return m;
}

const char *ez_message_operation(const ez_target *target, const ez_message *m) {
    const char *name = NULL;
    if (m->gs && (m->operation || m->id == 3))
        name = ez_symbol_name(target, EZ_SYM_gs_op, m->operation);
    if (m->sys) name = ez_symbol_name(target, EZ_SYM_sys_op, m->operation);
    return name;
}

static void message(ez_writer *w, const ez_inst *inst, unsigned value) {
    ez_message m = ez_message_of(inst->target, value);
    const char *name = ez_symbol_name(inst->target, EZ_SYM_msg, m.id);
    const char *operation = ez_message_operation(inst->target, &m);
    bool streams = m.gs && m.operation; /* GS_OP_NOP has none */
    bool good = name && (m.gs || m.sys ? operation != NULL : !m.operation) && (streams || !m.stream);
    if (!good && !m.exact) {
        ez_write_decimal(w, value);
        return;
    }
    ez_write(w, "sendmsg(");
    if (!good) {
        ez_write_decimal(w, m.id);
        ez_write(w, ", ");
        ez_write_decimal(w, m.operation);
        ez_write(w, ", ");
        ez_write_decimal(w, m.stream);
    } else {
        ez_write(w, name);
        if (operation) {
            ez_write(w, ", ");
            ez_write(w, operation);
        }
        if (streams) {
            ez_write(w, ", ");
            ez_write_decimal(w, m.stream);
        }
    }
    ez_write_char(w, ')');
}

/* ---- versions of the ISA: number 7:0, then bits; as llvm-mc prints an expression of them ---- */

static void version(ez_writer *w, const ez_inst *inst, unsigned value) {
    unsigned bits = value >> 13, number = value & 0xff, more = (unsigned)__builtin_popcount(bits);
    const char *name = ez_symbol_name(inst->target, EZ_SYM_version, number);
    if (value & 0x1f00) {
        ez_write_hex(w, value);
        return;
    }
    for (unsigned i = 1; i < more; i++)
        ez_write_char(w, '(');
    if (name) ez_write(w, name);
    else ez_write_decimal(w, number);
    for (unsigned bit = 0, done = 0; bit < 3; bit++) {
        if (!(bits >> bit & 1)) continue;
        ez_write_char(w, '|');
        ez_write(w, ez_symbol_name(inst->target, EZ_SYM_version, 0x2000u << bit));
        if (++done < more) ez_write_char(w, ')');
    }
}

/* ---- the rest ---- */

static void index_mode(ez_writer *w, const ez_inst *inst, unsigned value) {
    bool first = true;
    if (value > 15) {
        ez_write_hex(w, value);
        return;
    }
    ez_write(w, "gpr_idx(");
    for (const ez_isa_symbol *s = NULL; (s = ez_symbol_next(inst->target, EZ_SYM_gpr_idx, s));) {
        if (!(value & s->code)) continue;
        if (!first) ez_write_char(w, ',');
        first = false;
        ez_write(w, s->name);
    }
    ez_write_char(w, ')');
}

void ez_write_signed_hex(ez_writer *w, int64_t value) {
    if (value < 0) ez_write_char(w, '-');
    ez_write_hex(w, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* A register, a number, or both: "s5 offset:0x10". */
static void scalar_offset(ez_writer *w, const ez_inst *inst, const ez_operand *o) {
    ez_scalar_offset s = ez_scalar_offset_of(inst);
    if (s.has_register) ez_write_plain(w, inst, o);
    if (s.has_register && s.has_number) ez_write(w, " offset:");
    if (s.has_number) ez_write_signed_hex(w, s.number);
}

bool ez_print_scalar(ez_writer *w, const ez_inst *inst, unsigned cls, const ez_operand *o) {
    unsigned value = (unsigned)o->value;
    switch (cls) {
    case EZ_C_imm: case EZ_C_n5:
        if (value <= 64) ez_write_decimal(w, value);
        else ez_write_hex(w, value);
        return true;
    case EZ_C_hex: ez_write_hex(w, value); return true;
    case EZ_C_version: version(w, inst, value); return true;
    case EZ_C_xi: ez_write_signed_hex(w, (int64_t)o->value); return true;
    case EZ_C_label: ez_write_decimal(w, value & 0xffff); return true; /* without its sign, as llvm-mc */
    case EZ_C_i: ez_write_decimal(w, (int64_t)o->value); return true;
    case EZ_C_smoff: scalar_offset(w, inst, o); return true;
    case EZ_C_hwreg: hardware_register(w, inst, value); return true;
    case EZ_C_waitcnt: counters(w, inst, EZ_SYM_waitcnt, value); return true;
    case EZ_C_depctr: dependencies(w, inst, value); return true;
    case EZ_C_delay: delay(w, inst, value); return true;
    case EZ_C_sendmsg:
    case EZ_C_sendmsg_rtn: message(w, inst, value); return true;
    case EZ_C_gpr_idx: index_mode(w, inst, value); return true;
    default: return false;
    }
}
