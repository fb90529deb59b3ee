/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes, parameters and exports: operands with a text of their own. Source: LLVM "Syntax of AMDGPU
 * Instruction Operands", attr, param, tgt. */
#include "text.h"

#include <string.h>

/* ---- export targets ---- */

/* Names by code; those that end in a number go on for `count` codes. A feature says where they exist. */
static const struct {
    const char *name;
    uint8_t first, count, feature;
    bool lacking; /* exist where the feature is missing */
} targets[] = {
    {"mrtz", 8, 0, EZ_HAS_COUNT, false},
    {"null", 9, 0, EZ_HAS_null_is_124, true},
    {"prim", 20, 0, EZ_HAS_null_sgpr, false},
    {"mrt", 0, 8, EZ_HAS_COUNT, false},
    {"pos", 12, 4, EZ_HAS_COUNT, false},
    {"pos", 16, 1, EZ_HAS_null_sgpr, false},
    {"dual_src_blend", 21, 2, EZ_HAS_null_is_124, false},
    {"param", 32, 32, EZ_HAS_null_is_124, true},
};
enum { TARGETS = sizeof targets / sizeof targets[0], POS4 = 16, POS0 = 12 };

static bool target_here(const ez_target *t, unsigned i) {
    return targets[i].feature == EZ_HAS_COUNT || ez_has(t, targets[i].feature) != targets[i].lacking;
}

static void print_target(ez_writer *w, const ez_inst *inst, unsigned code) {
    for (unsigned i = 0; i < TARGETS; i++) {
        unsigned count = targets[i].count ? targets[i].count : 1;
        if (code < targets[i].first || code >= targets[i].first + count || !target_here(inst->target, i))
            continue;
        ez_write(w, targets[i].name);
        if (targets[i].count) ez_write_decimal(w, code == POS4 ? POS4 - POS0 : code - targets[i].first);
        return;
    }
    ez_write(w, "invalid_target_");
    ez_write_decimal(w, code);
}

/* The number in text[0..n), at most 99; -1 when it is none. */
static int small_number(const char *text, size_t n) {
    int value = 0;
    if (!n || n > 2 || (n == 2 && text[0] == '0')) return -1;
    for (size_t i = 0; i < n; i++) {
        if (text[i] < '0' || text[i] > '9') return -1;
        value = 10 * value + text[i] - '0';
    }
    return value;
}

/* The code of a name on a GPU; NULL: on any. */
static int target_code(const ez_target *t, const char *name, size_t length) {
    for (unsigned i = 0; i < TARGETS; i++) {
        size_t n = strlen(targets[i].name);
        if (length < n || memcmp(name, targets[i].name, n) || (t && !target_here(t, i))) continue;
        if (!targets[i].count && length == n) return targets[i].first;
        int number = targets[i].count ? small_number(name + n, length - n) : -1;
        if (targets[i].first == POS4) number -= POS4 - POS0;
        if (number >= 0 && number < targets[i].count) return targets[i].first + number;
    }
    return -1;
}

/* ---- printing ---- */

bool ez_print_interp(ez_writer *w, const ez_inst *inst, unsigned cls, const ez_operand *o) {
    static const char *const params[] = {"p10", "p20", "p0"};
    switch (cls) {
    case EZ_C_attr:
        ez_write(w, "attr");
        ez_write_decimal(w, (int64_t)o->value);
        ez_write_char(w, '.');
        ez_write_char(w, "xyzw"[ez_get(inst, EZ_F_attrchan)]);
        return true;
    case EZ_C_pparam:
        if (o->value < 3) {
            ez_write(w, params[o->value]);
        } else {
            ez_write(w, "invalid_param_");
            ez_write_decimal(w, (int64_t)o->value);
        }
        return true;
    case EZ_C_exptgt: print_target(w, inst, (unsigned)o->value); return true;
    default: return false;
    }
}

/* ---- parsing ---- */

#define REFUSE(column, ...) return ez_fail_at(&a->error, EZ_ERR_ENCODE, column, __VA_ARGS__)

enum { ATTRIBUTE_LAST = 32 };

/* attr0.x */
static ez_status put_attribute(ez_attempt *a, const ez_item *item) {
    const char *name = item->name, *channel;
    size_t n = item->name_length;
    if (item->kind != EZ_ITEM_WORD || n < 7 || memcmp(name, "attr", 4) || name[n - 2] != '.' ||
        !(channel = strchr("xyzw", name[n - 1])))
        REFUSE(item->inner_column, "invalid operand for instruction: expected an attribute such as attr0.x");
    size_t zeros = 0; /* leading ones */
    while (zeros < n - 7 && name[4 + zeros] == '0') zeros++;
    int number = small_number(name + 4 + zeros, n - 6 - zeros);
    if (number < 0 || number > ATTRIBUTE_LAST || !ez_set(&a->inst, EZ_F_attr, (uint32_t)number))
        REFUSE(item->inner_column, "out of bounds interpolation attribute number");
    ez_set(&a->inst, EZ_F_attrchan, (uint32_t)(channel - "xyzw"));
    return EZ_OK;
}

static ez_status put_parameter(ez_attempt *a, unsigned field, const ez_item *item) {
    static const char *const params[] = {"p10", "p20", "p0"};
    for (unsigned i = 0; i < 3 && item->kind == EZ_ITEM_WORD; i++)
        if (item->name_length == strlen(params[i]) &&
            !memcmp(item->name, params[i], item->name_length)) {
            ez_set(&a->inst, field, i);
            return EZ_OK;
        }
    REFUSE(item->inner_column, "invalid operand for instruction: expected p10, p20 or p0");
}

static ez_status put_target(ez_attempt *a, const ez_item *item) {
    int code = item->kind == EZ_ITEM_WORD ? target_code(a->inst.target, item->name, item->name_length) : -1;
    if (code < 0) REFUSE(item->inner_column, "invalid exp target: expected one such as mrt0, mrtz, pos0");
    ez_set(&a->inst, EZ_F_tgt, (uint32_t)code);
    return EZ_OK;
}

ez_status ez_check_export_target(const ez_parser *p) {
    const ez_item *item = &p->items[0];
    if (!p->count || item->kind != EZ_ITEM_WORD || target_code(p->target, item->name, item->name_length) >= 0 ||
        target_code(NULL, item->name, item->name_length) < 0)
        return EZ_OK;
    return ez_fail_at(p->err, EZ_ERR_ENCODE, item->column, "exp target is not supported on this GPU (%s): %.*s", p->target->name,
                      (int)item->name_length, item->name);
}

static unsigned export_index(unsigned field) {
    return field == EZ_F_vsrc0 ? 0 : field == EZ_F_vsrc1 ? 1 : field == EZ_F_vsrc2 ? 2 : 3;
}

static ez_status put_exported(ez_attempt *a, unsigned field, const ez_item *item) {
    if (item->kind == EZ_ITEM_OFF) return EZ_OK;
    if (item->kind != EZ_ITEM_VGPR || item->dwords != 1 || item->half)
        REFUSE(item->inner_column, "invalid operand for instruction: expected a VGPR or off");
    ez_set(&a->inst, field, item->code);
    ez_set(&a->inst, EZ_F_en, ez_get(&a->inst, EZ_F_en) | 1u << export_index(field));
    return EZ_OK;
}

ez_status ez_put_interp(ez_attempt *a, unsigned cls, const ez_operand *o, unsigned at) {
    const ez_item *item = &a->items[at];
    switch (cls) {
    case EZ_C_attr: return put_attribute(a, item);
    case EZ_C_pparam: return put_parameter(a, o->field, item);
    case EZ_C_exptgt: return put_target(a, item);
    case EZ_C_vexp: return put_exported(a, o->field, item);
    default: return EZ_ERR_NOT_FOUND;
    }
}

/* With compr the four operands are two VGPRs, each written twice: the first and the third count, as for llvm-mc. */
ez_status ez_finish_export(ez_attempt *a) {
    ez_inst *inst = &a->inst;
    if (!ez_has_field(inst, EZ_F_en) || !ez_get(inst, EZ_F_compr)) return EZ_OK;
    unsigned en = ez_get(inst, EZ_F_en), third = ez_get(inst, EZ_F_vsrc2);
    ez_set(inst, EZ_F_en, (en & 1 ? 3 : 0) | (en & 4 ? 12 : 0));
    ez_set(inst, EZ_F_vsrc1, third);
    ez_set(inst, EZ_F_vsrc2, 0);
    ez_set(inst, EZ_F_vsrc3, 0);
    return EZ_OK;
}
