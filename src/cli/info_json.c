/* SPDX-License-Identifier: Apache-2.0 */
/* The reference page as JSON. */
#include "info.h"

#include <jansson.h>

enum { BITS_MAX = 96, OPERANDS_MAX = 16, RELATED_MAX = 64, NAMES_MAX = 16 };

static json_t *layout_json(const info_page *page, unsigned form) {
    ez_op_bits bits[BITS_MAX];
    json_t *list = json_array();
    size_t n = ez_op_layout(page->op, page->base, form, bits, BITS_MAX);
    for (size_t i = 0; i < n && i < BITS_MAX; i++) {
        json_t *b = json_pack("{s:i, s:i}", "high", 32 * bits[i].dword + bits[i].high, "low",
                              32 * bits[i].dword + bits[i].low);
        if (bits[i].field) json_object_set_new(b, "field", json_string(bits[i].field));
        if (bits[i].fixed) json_object_set_new(b, "value", json_integer(bits[i].value));
        json_array_append_new(list, b);
    }
    return list;
}

static json_t *example_json(const info_page *page, const ez_target *target, unsigned form) {
    char text[EZ_TEXT_MAX], hex[2 * EZ_INST_MAX_BYTES + 1];
    if (!info_example(page, target, form, text, hex)) return json_null();
    return json_pack("{s:s, s:s, s:s}", "target", ez_target_name(target), "text", text, "bytes", hex);
}

static json_t *forms_json(const info_page *page) {
    ez_op_form forms[EZ_OP_FORMS_MAX];
    json_t *list = json_array();
    size_t n = ez_op_forms(page->op, page->base, forms, EZ_OP_FORMS_MAX);
    for (size_t i = 0; i < n; i++)
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:i, s:i, s:I, s:o, s:o}", "form", forms[i].name, "encoding",
                            forms[i].encoding, "opcode", (int)forms[i].opcode, "bits",
                            (int)(8 * forms[i].size), "identifier", (json_int_t)forms[i].identifier,
                            "layout", layout_json(page, forms[i].form), "example",
                            example_json(page, page->base, forms[i].form)));
    return list;
}

static json_t *operands_json(const info_page *page) {
    ez_op_operand operands[OPERANDS_MAX];
    ez_op_form form;
    json_t *list = json_array();
    if (!ez_op_forms(page->op, page->base, &form, 1)) return list;
    size_t n = ez_op_operands(page->op, page->base, form.form, operands, OPERANDS_MAX);
    for (size_t i = 0; i < n && i < OPERANDS_MAX; i++)
        json_array_append_new(
            list, json_pack("{s:s, s:b, s:b, s:s, s:s, s:i}", "field", operands[i].field, "read",
                            operands[i].read, "written", operands[i].written, "format",
                            operands[i].format, "kind", operands[i].kind, "bits",
                            (int)operands[i].bits));
    return list;
}

static json_t *properties_json(const info_page *page) {
    ez_op_properties p = ez_op_properties_on(page->op, page->base);
    json_t *marks = json_array();
    for (unsigned i = 0; ez_op_mark(page->op, page->base, i); i++)
        json_array_append_new(marks, json_string(ez_op_mark(page->op, page->base, i)));
    uint32_t ulp;
    bool known = info_fidelity(page->op, page->base, &ulp) != EZ_FIDELITY_UNSUPPORTED && ulp != EZ_ULP_UNKNOWN;
    return json_pack("{s:b, s:b, s:b, s:b, s:b, s:b, s:b, s:b, s:b, s:o, s:o}", "floating", p.floating,
                     "ieee", p.ieee, "denormals", p.floating, "round_mode", p.floating,
                     "exception_flags", p.floating, "saturation", p.clamp, "omod", p.omod,
                     "source_modifiers", p.source_modifiers, "halves", p.op_sel, "marks", marks,
                     "ulp", known ? json_integer(ulp) : json_null());
}

static json_t *target_json(const info_page *page, const ez_target *target) {
    ez_op_form forms[EZ_OP_FORMS_MAX];
    json_t *names = json_array();
    size_t n = ez_op_forms(page->op, target, forms, EZ_OP_FORMS_MAX);
    for (size_t i = 0; i < n; i++)
        json_array_append_new(names, json_string(forms[i].name));
    json_t *t = json_pack("{s:s, s:s, s:s, s:b}", "target", ez_target_name(target), "generation",
                          ez_target_generation(target), "architecture",
                          ez_target_architecture(target), "available", n != 0);
    json_object_set_new(t, "forms", names);
    if (!n) return t;
    json_object_set_new(t, "name", json_string(ez_op_name(page->op, target)));
    json_object_set_new(t, "encoding", json_string(forms[0].encoding));
    json_object_set_new(t, "opcode", json_integer(forms[0].opcode));
    json_object_set_new(t, "identifier", json_integer(forms[0].identifier));
    json_object_set_new(t, "compared", json_string(info_compared(page, target)));
    json_object_set_new(t, "executable", json_boolean(info_executable(page->op, target)));
    json_object_set_new(t, "example", example_json(page, target, forms[0].form));
    return t;
}

static json_t *page_json(const info_page *page) {
    const char *names[NAMES_MAX];
    unsigned related[RELATED_MAX];
    json_t *name_list = json_array(), *related_list = json_array(), *targets = json_array();
    size_t n = ez_op_names(page->op, names, NAMES_MAX);
    for (size_t i = 0; i < n && i < NAMES_MAX; i++)
        json_array_append_new(name_list, json_string(names[i]));
    n = ez_op_related(page->op, related, RELATED_MAX);
    for (size_t i = 0; i < n && i < RELATED_MAX; i++)
        json_array_append_new(related_list, json_string(ez_op_id(related[i])));
    for (size_t i = 0; i < ez_target_count(); i++)
        if (!page->only_base || ez_target_at(i) == page->base)
            json_array_append_new(targets, target_json(page, ez_target_at(i)));
    return json_pack("{s:s, s:s, s:o, s:s, s:s, s:s?, s:s, s:o, s:o, s:o, s:o, s:o}", "id",
                     ez_op_id(page->op), "name", ez_op_name(page->op, page->base), "names", name_list,
                     "category", ez_op_category(page->op), "about", ez_op_about(page->op),
                     "semantics", ez_op_note(page->op), "base", ez_target_name(page->base), "forms",
                     forms_json(page), "operands", operands_json(page), "properties",
                     properties_json(page), "targets", targets, "related", related_list);
}

int info_print_json(const info_page *pages, unsigned count) {
    json_t *list = json_array();
    for (unsigned i = 0; i < count; i++)
        json_array_append_new(list, page_json(&pages[i]));
    int failed = json_dumpf(list, stdout, JSON_INDENT(1));
    putchar('\n');
    json_decref(list);
    return failed ? CLI_INPUT : CLI_OK;
}
