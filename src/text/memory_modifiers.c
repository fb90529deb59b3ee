/* SPDX-License-Identifier: Apache-2.0 */
/* The modifiers of memory instructions, in the order in which they stand in the text. */
#include "families.h"

#include <string.h>

static bool row_has(const ez_inst *inst, unsigned flag) {
    return ez_row_has_on(inst->target, inst->op, flag);
}

static void write_name(ez_writer *w, const char *name) {
    ez_write_char(w, ' ');
    ez_write(w, name);
}

static void write_value(ez_writer *w, const char *name, int64_t value) {
    write_name(w, name);
    ez_write_char(w, ':');
    ez_write_decimal(w, value);
}

/* name:N into a field, signed when the field's class is; the number must fit. */
static ez_status set_number(ez_inst *inst, unsigned field, const ez_item *item, ez_error *err) {
    ez_field_position p = ez_inst_layout(inst)->field[field];
    int64_t span = INT64_C(1) << p.width, low = p.cls == EZ_C_mi || p.cls == EZ_C_i ? -span / 2 : 0;
    if (item->word || item->count != 1)
        return ez_fail_at(err, EZ_ERR_SYNTAX, item->word ? item->columns[0] : item->column, "expected %.*s:NUMBER",
                          (int)item->name_length, item->name);
    if (item->values[0] < low || item->values[0] >= low + span)
        return ez_fail_at(err, EZ_ERR_ENCODE, item->column, "expected a %u-bit %ssigned %.*s: %lld to %lld",
                          p.width, low ? "" : "un", (int)item->name_length, item->name, (long long)low,
                          (long long)(low + span - 1));
    ez_set(inst, field, (uint32_t)(item->values[0] & (span - 1)));
    return EZ_OK;
}

#define TAKES(field)                                                                                         \
    static bool field##_taken(const ez_inst *inst, ez_text_flags flags) {                                    \
        (void)flags;                                                                                         \
        return ez_inst_takes(inst, EZ_F_##field);                                                            \
    }

/* A field of one bit: in the text its name, or nothing. */
#define NAMED(field)                                                                                         \
    TAKES(field)                                                                                             \
    static void field##_print(const ez_inst *inst, ez_writer *w) {                                           \
        if (ez_get(inst, EZ_F_##field)) write_name(w, #field);                                               \
    }                                                                                                        \
    static bool field##_is(const ez_item *item) {                                                            \
        return ez_item_is_flag(item, #field);                                                                \
    }

#define FLAG(field)                                                                                          \
    NAMED(field)                                                                                             \
    static ez_status field##_set(ez_inst *inst, const ez_item *item, ez_error *err) {                        \
        (void)err;                                                                                           \
        ez_set(inst, EZ_F_##field, ez_item_is(item, #field));                                                \
        return EZ_OK;                                                                                        \
    }

FLAG(unorm)
FLAG(glc)
FLAG(slc)
FLAG(dlc)
FLAG(scc)
FLAG(sc0)
FLAG(nt)
FLAG(sc1)
FLAG(nv)
FLAG(scale_offset)
FLAG(r128)
FLAG(a16)
FLAG(lwe)
FLAG(da)
FLAG(d16)

/* Parts of the instruction, so that there is no nooffen. */
static ez_status set_part(ez_inst *inst, unsigned field, const char *name, const ez_item *item, ez_error *err) {
    if (!ez_item_is(item, name))
        return ez_fail_at(err, EZ_ERR_ENCODE, item->column, "invalid operand for instruction: expected %s or nothing", name);
    ez_set(inst, field, 1);
    return EZ_OK;
}

#define PART(field)                                                                                          \
    NAMED(field)                                                                                             \
    static ez_status field##_set(ez_inst *inst, const ez_item *item, ez_error *err) {                        \
        return set_part(inst, EZ_F_##field, #field, item, err);                                              \
    }

PART(idxen)
PART(offen)

/* tfe: of buffers a part of the instruction, so that there is no notfe. */
NAMED(tfe)

static ez_status tfe_set(ez_inst *inst, const ez_item *item, ez_error *err) {
    if (!ez_has_field(inst, EZ_F_dmask)) return set_part(inst, EZ_F_tfe, "tfe", item, err);
    ez_set(inst, EZ_F_tfe, ez_item_is(item, "tfe"));
    return EZ_OK;
}

/* lds, a choice behind the cache policy, or a part of the instruction before it. */
static bool lds_taken(const ez_inst *inst, ez_text_flags flags) {
    (void)flags;
    return ez_inst_takes(inst, EZ_F_lds) && !row_has(inst, EZ_ROW_ldsonly);
}

static bool ldsonly_taken(const ez_inst *inst, ez_text_flags flags) {
    (void)flags;
    return ez_inst_takes(inst, EZ_F_lds) && row_has(inst, EZ_ROW_ldsonly);
}

static void lds_print(const ez_inst *inst, ez_writer *w) {
    if (ez_get(inst, EZ_F_lds)) write_name(w, "lds");
}

static bool lds_is(const ez_item *item) {
    return !item->colon && ez_item_is(item, "lds");
}

static ez_status lds_set(ez_inst *inst, const ez_item *item, ez_error *err) {
    (void)item, (void)err;
    ez_set(inst, EZ_F_lds, 1);
    return EZ_OK;
}

/* gds. Where the bit is not there, or without effect, the text has no word for it, and takes its absence alone. */
static bool gds_exists(const ez_inst *inst) {
    bool idle = ez_inst_layout(inst)->field[EZ_F_gds].cls == EZ_C_mgws && !row_has(inst, EZ_ROW_gds);
    return ez_inst_takes(inst, EZ_F_gds) && !idle;
}

static bool gds_taken(const ez_inst *inst, ez_text_flags flags) {
    unsigned encoding = ez_inst_layout(inst)->encoding;
    (void)flags;
    return (encoding == EZ_ENC_DS || encoding == EZ_ENC_VDS) && !row_has(inst, EZ_ROW_nogds);
}

static void gds_print(const ez_inst *inst, ez_writer *w) {
    if (gds_exists(inst) && ez_get(inst, EZ_F_gds)) write_name(w, "gds");
}

static bool gds_is(const ez_item *item) {
    return ez_item_is_flag(item, "gds");
}

static ez_status gds_set(ez_inst *inst, const ez_item *item, ez_error *err) {
    bool set = ez_item_is(item, "gds");
    if (set && !gds_exists(inst))
        return ez_fail_at(err, EZ_ERR_ENCODE, item->column, "gds modifier is not supported on this GPU (%s)", inst->target->name);
    ez_set(inst, EZ_F_gds, set);
    return EZ_OK;
}

/* ---- offsets ---- */

static bool offset_taken(const ez_inst *inst, ez_text_flags flags) {
    (void)flags;
    return ez_inst_takes(inst, EZ_F_offset) && !row_has(inst, EZ_ROW_offset2);
}

enum { SWIZZLE_QUAD = 0x8000, SWIZZLE_ROTATE = 0xc000, SWIZZLE_FFT = 0xe000 };

/* The pattern of ds_swizzle. Source: [GCN3] "DS_SWIZZLE_B32", [Vega] "Swizzle patterns": bit 15: a permutation of four lanes;
 * else and-mask 4:0, or-mask 9:5, xor-mask 14:10; from GFX9 on 0xc000 rotates and 0xe000 is an FFT. */
static void swizzle_print(const ez_inst *inst, ez_writer *w, unsigned v) {
    unsigned and_mask = v & 31, or_mask = v >> 5 & 31, xor_mask = v >> 10 & 31;
    bool modern = ez_symbol_name(inst->target, EZ_SYM_swizzle, 5) != NULL;
    ez_write(w, " offset:");
    if (modern && v >= SWIZZLE_FFT) {
        ez_write(w, "swizzle(FFT,");
        ez_write_decimal(w, v & 31);
        ez_write_char(w, ')');
    } else if (modern && v >= SWIZZLE_ROTATE) {
        ez_write(w, "swizzle(ROTATE,");
        ez_write_decimal(w, v >> 10 & 1);
        ez_write_char(w, ',');
        ez_write_decimal(w, v >> 5 & 31);
        ez_write_char(w, ')');
    } else if ((v & 0xff00) == SWIZZLE_QUAD) {
        ez_write(w, "swizzle(QUAD_PERM");
        for (int i = 0; i < 4; i++) {
            ez_write_char(w, ',');
            ez_write_decimal(w, v >> (2 * i) & 3);
        }
        ez_write_char(w, ')');
    } else if (v & 0x8000) {
        ez_write_decimal(w, v);
    } else if (and_mask == 31 && !or_mask && xor_mask && !(xor_mask & (xor_mask - 1))) {
        ez_write(w, "swizzle(SWAP,");
        ez_write_decimal(w, xor_mask);
        ez_write_char(w, ')');
    } else if (and_mask == 31 && !or_mask && xor_mask && !(xor_mask & (xor_mask + 1))) {
        ez_write(w, "swizzle(REVERSE,");
        ez_write_decimal(w, xor_mask + 1);
        ez_write_char(w, ')');
    } else {
        unsigned group = 32 - and_mask;
        bool broadcast = and_mask < 31 && !(group & (group - 1)) && or_mask < group && !xor_mask;
        ez_write(w, broadcast ? "swizzle(BROADCAST," : "swizzle(BITMASK_PERM,\"");
        if (broadcast) {
            ez_write_decimal(w, group);
            ez_write_char(w, ',');
            ez_write_decimal(w, or_mask);
        } else {
            for (unsigned bit = 16; bit; bit >>= 1) /* what becomes of each bit: 0, 1, itself, inverted */
                ez_write_char(w, !(and_mask & bit) ? (((or_mask ^ xor_mask) & bit) ? '1' : '0')
                                 : or_mask & bit   ? ((xor_mask & bit) ? '0' : '1')
                                 : xor_mask & bit  ? 'i'
                                                   : 'p');
            ez_write_char(w, '"');
        }
        ez_write_char(w, ')');
    }
}

static void offset_print(const ez_inst *inst, ez_writer *w) {
    unsigned cls = ez_inst_layout(inst)->field[EZ_F_offset].cls;
    int64_t value = cls == EZ_C_mi ? ez_signed_field(inst, EZ_F_offset) : (int64_t)ez_get(inst, EZ_F_offset);
    if (cls != EZ_C_m && cls != EZ_C_mi) return; /* an operand of its own */
    if (!value) return;
    if (row_has(inst, EZ_ROW_swizzle)) swizzle_print(inst, w, (unsigned)value);
    else write_value(w, "offset", value);
}

static bool offset_is(const ez_item *item) {
    return item->colon && ez_item_is(item, "offset");
}

static ez_status offset_set(ez_inst *inst, const ez_item *item, ez_error *err) {
    unsigned encoding = ez_inst_layout(inst)->encoding,
             width = ez_inst_layout(inst)->field[EZ_F_offset].width;
    if (item->word) return ez_set_swizzle(inst, item, err);
    if (row_has(inst, EZ_ROW_swizzle) && item->count == 1 && (item->values[0] < 0 || item->values[0] >> width))
        return ez_fail_at(err, EZ_ERR_ENCODE, item->columns[0], "expected a %u-bit offset or swizzle(...)", width);
    if (encoding == EZ_ENC_FLAT && !ez_has(inst->target, EZ_HAS_flat_offset)) {
        if (item->count == 1 && !item->values[0]) return EZ_OK;
        return ez_fail_at(err, EZ_ERR_ENCODE, item->column, "flat offset modifier is not supported on this GPU (%s)",
                          inst->target->name);
    }
    /* the top bit of FLAT's offset is GLOBAL's sign, not taken in text; [Vega] 9.5, [RDNA1] 9.4 */
    if (encoding == EZ_ENC_FLAT && item->count == 1 && item->values[0] >> (width - 1))
        return ez_fail_at(err, EZ_ERR_ENCODE, item->column, "expected a %u-bit unsigned offset", width - 1);
    return set_number(inst, EZ_F_offset, item, err);
}

#define OFFSET_PART(field)                                                                                   \
    static bool field##_taken(const ez_inst *inst, ez_text_flags flags) {                                    \
        (void)flags;                                                                                         \
        return row_has(inst, EZ_ROW_offset2) && ez_inst_takes(inst, EZ_F_##field);                           \
    }                                                                                                        \
    static void field##_print(const ez_inst *inst, ez_writer *w) {                                           \
        if (ez_get(inst, EZ_F_##field)) write_value(w, #field, ez_get(inst, EZ_F_##field));                  \
    }                                                                                                        \
    static bool field##_is(const ez_item *item) {                                                            \
        return item->colon && ez_item_is(item, #field);                                                      \
    }                                                                                                        \
    static ez_status field##_set(ez_inst *inst, const ez_item *item, ez_error *err) {                        \
        return set_number(inst, EZ_F_##field, item, err);                                                    \
    }
OFFSET_PART(offset0)
OFFSET_PART(offset1)

/* ---- names ---- */

/* name:NAME, with or without a prefix, or name:NUMBER. */
static ez_status set_symbol(ez_inst *inst, unsigned field, unsigned kind, const char *prefix,
                            const ez_item *item, ez_error *err) {
    const ez_isa_symbol *found = NULL;
    if (item->word) found = ez_symbol_find(inst->target, kind, item->word, item->word_length);
    bool short_names = kind == EZ_SYM_dim; /* dim:2D */
    for (const ez_isa_symbol *s = NULL; item->word && !found && short_names && (s = ez_symbol_next(inst->target, kind, s));)
        if (!strncmp(s->name, prefix, strlen(prefix)) &&
            strlen(s->name) == strlen(prefix) + item->word_length &&
            !memcmp(s->name + strlen(prefix), item->word, item->word_length))
            found = s;
    if (found) {
        if (ez_set(inst, field, found->code)) return EZ_OK;
    } else if (!item->word && kind != EZ_SYM_dim && !set_number(inst, field, item, err)) {
        return EZ_OK;
    }
    return ez_fail_at(err, EZ_ERR_SYNTAX, item->columns[0] - item->bracket, "invalid %.*s value: expected %s...",
                      (int)item->name_length, item->name, prefix);
}

TAKES(dim)
static void dim_print(const ez_inst *inst, ez_writer *w) {
    ez_write(w, " dim:");
    ez_write(w, ez_symbol_name(inst->target, EZ_SYM_dim, ez_get(inst, EZ_F_dim)));
}
static bool dim_is(const ez_item *item) {
    return item->colon && ez_item_is(item, "dim");
}
static ez_status dim_set(ez_inst *inst, const ez_item *item, ez_error *err) {
    return set_symbol(inst, EZ_F_dim, EZ_SYM_dim, "SQ_RSRC_IMG_", item, err);
}

TAKES(dmask)
static void dmask_print(const ez_inst *inst, ez_writer *w) {
    if (!ez_get(inst, EZ_F_dmask)) return;
    ez_write(w, " dmask:");
    ez_write_hex(w, ez_get(inst, EZ_F_dmask));
}
static bool dmask_is(const ez_item *item) {
    return item->colon && ez_item_is(item, "dmask");
}
static ez_status dmask_set(ez_inst *inst, const ez_item *item, ez_error *err) {
    return set_number(inst, EZ_F_dmask, item, err);
}

TAKES(scope)
static void scope_print(const ez_inst *inst, ez_writer *w) {
    unsigned scope = ez_get(inst, EZ_F_scope);
    if (!scope) return;
    ez_write(w, " scope:");
    ez_write(w, ez_symbol_name(inst->target, EZ_SYM_scope, scope));
}
static bool scope_is(const ez_item *item) {
    return item->colon && ez_item_is(item, "scope");
}
static ez_status scope_set(ez_inst *inst, const ez_item *item, ez_error *err) {
    return set_symbol(inst, EZ_F_scope, EZ_SYM_scope, "SCOPE_", item, err);
}

/* ---- temporal hints: [RDNA4] 4.1.2 "Temporal hints" ---- */

enum { TH_RETURN = 1, TH_NT = 2, TH_CASCADE = 4, SCOPE_DEV = 2 };

/* Those of atomics are bits: return the old value, non-temporal, cascade (for device scope and above). */
static void atomic_hint(ez_writer *w, unsigned th, unsigned scope) {
    ez_write(w, "TH_ATOMIC_");
    if (th & TH_CASCADE && scope >= SCOPE_DEV) {
        ez_write(w, th & TH_NT ? "CASCADE_NT" : "CASCADE_RT");
    } else if (th & TH_CASCADE) {
        ez_write_hex(w, th);
    } else {
        if (th & TH_NT) ez_write(w, "NT");
        if (th & TH_NT && th & TH_RETURN) ez_write_char(w, '_');
        if (th & TH_RETURN) ez_write(w, "RETURN");
    }
}

TAKES(th)
static void th_print(const ez_inst *inst, ez_writer *w) {
    unsigned th = ez_get(inst, EZ_F_th), scope = ez_get(inst, EZ_F_scope);
    bool store = row_has(inst, EZ_ROW_store);
    if (!th) return;
    ez_write(w, " th:");
    if (row_has(inst, EZ_ROW_atomic)) {
        atomic_hint(w, th, scope);
        return;
    }
    const char *name = ez_symbol_name(inst->target, store ? EZ_SYM_th_store : EZ_SYM_th_load, th);
    if (th == EZ_TH_LAST_USE && scope == EZ_SCOPE_SYS) name = store ? "TH_STORE_BYPASS" : "TH_LOAD_BYPASS";
    if (name) ez_write(w, name);
    else ez_write_hex(w, th);
}

static bool th_is(const ez_item *item) {
    return item->colon && ez_item_is(item, "th");
}

static bool word_is(const ez_item *item, const char *prefix, const char *rest) {
    size_t n = strlen(prefix);
    return item->word_length == n + strlen(rest) && !memcmp(item->word, prefix, n) &&
           !memcmp(item->word + n, rest, strlen(rest));
}

ez_hint_kind ez_hint_kind_of(const ez_inst *inst) {
    return row_has(inst, EZ_ROW_atomic) ? EZ_HINT_ATOMIC : row_has(inst, EZ_ROW_store) ? EZ_HINT_STORE : EZ_HINT_LOAD;
}

bool ez_memory_hint(const ez_target *target, const ez_item *item, ez_hint *hint) {
    static const struct {
        const char *name;
        uint8_t th;
    } atomics[] = {{"RT", 0},        {"RETURN", 1},     {"RT_RETURN", 1}, {"NT", 2},
                   {"NT_RETURN", 3}, {"CASCADE_RT", 4}, {"CASCADE_NT", 6}};
    *hint = (ez_hint){.kind = EZ_HINT_ATOMIC};
    if (!item->word) return false;
    for (unsigned i = 0; i < sizeof atomics / sizeof atomics[0]; i++)
        if (word_is(item, "TH_ATOMIC_", atomics[i].name)) {
            hint->value = atomics[i].th;
            return true;
        }
    for (int store = 0; store < 2; store++) {
        const ez_isa_symbol *s;
        hint->kind = store ? EZ_HINT_STORE : EZ_HINT_LOAD;
        hint->bypass = word_is(item, store ? "TH_STORE_" : "TH_LOAD_", "BYPASS");
        hint->value = EZ_TH_LAST_USE;
        if (hint->bypass) return true;
        s = ez_symbol_find(target, store ? EZ_SYM_th_store : EZ_SYM_th_load, item->word, item->word_length);
        if (!s) continue;
        hint->value = s->code;
        return true;
    }
    return false;
}

/* A hint that says nothing may be that of any kind of instruction. Source: behaviour of llvm-mc 22. */
static ez_status th_set(ez_inst *inst, const ez_item *item, ez_error *err) {
    static const char *const kinds[] = {"LOAD", "STORE", "ATOMIC"};
    const char *kind = kinds[ez_hint_kind_of(inst)];
    ez_hint hint;
    if (!item->word)
        return ez_fail_at(err, EZ_ERR_SYNTAX, item->columns[0], "expected an identifier: TH_%s_...", kind);
    if (!ez_memory_hint(inst->target, item, &hint))
        return ez_fail_at(err, EZ_ERR_SYNTAX, item->columns[0], "invalid th value: expected TH_%s_...", kind);
    if (hint.value && hint.kind != ez_hint_kind_of(inst))
        return ez_fail_at(err, EZ_ERR_ENCODE, item->column, "invalid th value: expected TH_%s_...", kind);
    ez_set(inst, EZ_F_th, hint.value);
    return EZ_OK;
}

/* ---- formats of typed buffers ---- */

enum { FORMAT_DEFAULT = 1 /* of dfmt and of format; nfmt has 0 */ };

static bool format_taken(const ez_inst *inst, ez_text_flags flags) {
    (void)flags;
    return ez_inst_takes(inst, EZ_F_format) || ez_inst_takes(inst, EZ_F_dfmt);
}

static void format_print(const ez_inst *inst, ez_writer *w) {
    if (ez_has_field(inst, EZ_F_format)) {
        unsigned format = ez_get(inst, EZ_F_format);
        const char *name = ez_symbol_name(inst->target, EZ_SYM_ufmt, format);
        if (format == FORMAT_DEFAULT) return;
        if (!name) {
            write_value(w, "format", format);
            return;
        }
        ez_write(w, " format:[");
        ez_write(w, name);
        ez_write_char(w, ']');
        return;
    }
    unsigned dfmt = ez_get(inst, EZ_F_dfmt), nfmt = ez_get(inst, EZ_F_nfmt);
    bool data = dfmt != FORMAT_DEFAULT, number = nfmt != 0;
    if (!data && !number) return;
    ez_write(w, " format:[");
    if (data) ez_write(w, ez_symbol_name(inst->target, EZ_SYM_dfmt, dfmt));
    if (data && number) ez_write_char(w, ',');
    if (number) ez_write(w, ez_symbol_name(inst->target, EZ_SYM_nfmt, nfmt));
    ez_write_char(w, ']');
}

static bool format_is(const ez_item *item) {
    return item->colon && ez_item_is(item, "format");
}

/* ---- the list ---- */

#define MODIFIER(name)                                                                                       \
    { EZ_F_##name, name##_taken, name##_print, name##_is, name##_set, false, 0 }

const ez_modifier ez_memory_modifiers[] = {
    {EZ_F_op, format_taken, format_print, format_is, ez_set_format, false, 0},
    MODIFIER(dmask),
    MODIFIER(dim),
    MODIFIER(unorm),
    MODIFIER(idxen),
    MODIFIER(offen),
    MODIFIER(offset),
    MODIFIER(offset0),
    MODIFIER(offset1),
    {EZ_F_lds, ldsonly_taken, lds_print, lds_is, lds_set, false, 0},
    /* the cache policy, of which each word may stand at any place among them */
    MODIFIER(glc),
    MODIFIER(sc0),
    MODIFIER(slc),
    MODIFIER(nt),
    MODIFIER(dlc),
    MODIFIER(scc),
    MODIFIER(sc1),
    MODIFIER(scale_offset),
    MODIFIER(th),
    MODIFIER(scope),
    MODIFIER(nv),
    MODIFIER(r128),
    MODIFIER(a16),
    MODIFIER(tfe),
    MODIFIER(lwe),
    MODIFIER(da),
    MODIFIER(d16),
    MODIFIER(lds),
    MODIFIER(gds),
    {0},
};
