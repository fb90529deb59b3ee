/* SPDX-License-Identifier: Apache-2.0 */
/* A code object as JSON. Written as it goes: a code object may hold millions of instructions. */
#include "dis.h"

/* ,"KEY": */
static void key(cli_out *out, const char *name) {
    cli_out_text(out, ",\"");
    cli_out_text(out, name);
    cli_out_text(out, "\":");
}

static void number(cli_out *out, const char *name, uint64_t value) {
    key(out, name);
    cli_out_decimal(out, value);
}

static void string(cli_out *out, const char *name, const char *value) {
    key(out, name);
    if (value) cli_out_json(out, value);
    else cli_out_text(out, "null");
}

static void boolean(cli_out *out, const char *name, bool value) {
    key(out, name);
    cli_out_text(out, value ? "true" : "false");
}

/* ---- kernels ---- */

static void argument(cli_out *out, const ez_kernel_arg *a) {
    cli_out_text(out, "{\"kind\":");
    cli_out_json(out, a->value_kind_name);
    number(out, "offset", a->offset);
    number(out, "size", a->size);
    if (a->name) string(out, "name", a->name);
    if (a->type_name) string(out, "type", a->type_name);
    cli_out_char(out, '}');
}

static void metadata(cli_out *out, const ez_kernel_metadata *m) {
    number(out, "sgprs", m->sgpr_count);
    number(out, "vgprs", m->vgpr_count);
    number(out, "agprs", m->agpr_count);
    number(out, "max_flat_workgroup_size", m->max_flat_workgroup_size);
    key(out, "arguments");
    cli_out_char(out, '[');
    for (uint32_t i = 0; i < m->arg_count; i++) {
        if (i) cli_out_char(out, ',');
        argument(out, &m->args[i]);
    }
    cli_out_char(out, ']');
}

static void kernel(const dis_view *v, const ez_kernel *k) {
    cli_out *out = v->out;
    const ez_kernel_descriptor *d = &k->descriptor;
    cli_out_text(out, "{\"name\":");
    cli_out_json(out, k->name);
    number(out, "entry", k->entry_address);
    number(out, "descriptor", k->descriptor_address);
    number(out, "wave", dis_kernel_lanes(v, k));
    number(out, "group_segment_fixed_size", d->group_segment_fixed_size);
    number(out, "private_segment_fixed_size", d->private_segment_fixed_size);
    number(out, "kernarg_size", d->kernarg_size);
    key(out, "fields");
    for (unsigned f = 0, n = 0; f < EZ_KD_COUNT; f++) {
        if (!ez_descriptor_has(ez_object_target(v->object), (ez_descriptor_field)f)) continue;
        cli_out_char(out, n++ ? ',' : '{');
        cli_out_json(out, ez_descriptor_field_name((ez_descriptor_field)f));
        cli_out_char(out, ':');
        cli_out_decimal(out, ez_descriptor_get(d, (ez_descriptor_field)f));
    }
    cli_out_char(out, '}');
    if (k->metadata) metadata(out, k->metadata);
    cli_out_char(out, '}');
}

/* ---- code ---- */

static void bytes(cli_out *out, const uint8_t *b, uint64_t size) {
    key(out, "bytes");
    cli_out_char(out, '"');
    for (uint64_t i = 0; i < size; i++)
        cli_out_hex(out, b[i], 2);
    cli_out_char(out, '"');
}

typedef bool register_test(const ez_register_use *use);
static bool is_read(const ez_register_use *use) { return use->read; }
static bool is_written(const ez_register_use *use) { return use->written; }
static bool is_partial(const ez_register_use *use) { return use->partial; }
static bool is_implicit(const ez_register_use *use) { return use->implicit; }

static void registers(cli_out *out, const char *name, const ez_register_use *use, size_t count, register_test *test) {
    char text[32];
    bool first = true;
    key(out, name);
    cli_out_char(out, '[');
    for (size_t i = 0; i < count; i++) {
        if (!test(&use[i])) continue;
        if (!first) cli_out_char(out, ',');
        first = false;
        ez_print_register(&use[i], text, sizeof text);
        cli_out_json(out, text);
    }
    cli_out_char(out, ']');
}

static bool any(const ez_register_use *use, size_t count, register_test *test) {
    for (size_t i = 0; i < count; i++)
        if (test(&use[i])) return true;
    return false;
}

static void instruction(cli_out *out, const ez_inst *inst) {
    ez_register_use use[EZ_INST_MAX_REGISTERS];
    size_t count = ez_inst_registers(inst, use, EZ_INST_MAX_REGISTERS);
    string(out, "name", ez_inst_name(inst));
    string(out, "category", ez_op_category(inst->op));
    string(out, "encoding", ez_inst_encoding(inst));
    registers(out, "reads", use, count, is_read);
    registers(out, "writes", use, count, is_written);
    if (any(use, count, is_partial)) registers(out, "partial", use, count, is_partial);
    registers(out, "implicit", use, count, is_implicit);
}

static void item(const dis_view *v, const dis_code *c, const dis_item *it) {
    uint64_t to;
    cli_out *out = v->out;
    cli_out_text(out, "{\"address\":");
    cli_out_decimal(out, c->address + it->at);
    if (it->kind == DIS_ZEROS) {
        number(out, "zeros", it->size);
    } else {
        bytes(out, c->bytes + it->at, it->size);
        string(out, "text", it->text);
        boolean(out, "instruction", it->kind == DIS_INSTRUCTION);
        if (it->kind == DIS_INSTRUCTION) instruction(out, &it->inst);
        if (it->kind == DIS_INSTRUCTION && ez_inst_branch_target(&it->inst, c->address + it->at, &to))
            number(out, "target", to);
    }
    cli_out_char(out, '}');
}

static void block(const dis_view *v, const dis_code *c, const dis_block *b) {
    cli_out *out = v->out;
    cli_out_text(out, "{\"names\":[");
    for (size_t i = b->first; i < b->last; i++) {
        if (i > b->first) cli_out_char(out, ',');
        cli_out_json(out, v->symbols[i]->name);
    }
    cli_out_char(out, ']');
    number(out, "address", c->address + b->start);
    number(out, "size", b->end - b->start);
    number(out, "wave", b->wave);
    if (b->data) {
        bytes(out, c->bytes + b->start, b->end - b->start);
    } else {
        key(out, "code");
        cli_out_char(out, '[');
        dis_item it = {.at = b->start};
        for (bool first = true; dis_next_item(v, c, b->wave, b->end, c->size, &it); first = false) {
            cli_out_text(out, first ? "\n" : ",\n");
            item(v, c, &it);
        }
        cli_out_char(out, ']');
    }
    cli_out_char(out, '}');
}

static void sections(const dis_view *v) {
    dis_code code;
    size_t at = 0;
    for (bool first = true; dis_next_code(v, &at, &code); first = false) {
        cli_out_text(v->out, first ? "\n{\"name\":" : ",\n{\"name\":");
        cli_out_json(v->out, code.name);
        number(v->out, "address", code.address);
        number(v->out, "size", code.size);
        key(v->out, "blocks");
        cli_out_char(v->out, '[');
        dis_block b = {0};
        for (bool one = true; dis_next_block(v, &code, &b); one = false) {
            cli_out_text(v->out, one ? "\n" : ",\n");
            block(v, &code, &b);
        }
        cli_out_text(v->out, "]}");
    }
}

void dis_json(const dis_view *v) {
    char id[64];
    size_t count;
    const ez_kernel *kernels = ez_object_kernels(v->object, &count);
    cli_out_text(v->out, "{\"file\":");
    cli_out_json(v->out, v->path);
    string(v->out, "entry", v->entry->id);
    number(v->out, "group", v->entry->group);
    string(v->out, "target", ez_target_id_print(ez_object_target_id(v->object), id, sizeof id));
    number(v->out, "version", ez_object_version(v->object));
    boolean(v->out, "relocatable", ez_object_is_relocatable(v->object));
    key(v->out, "kernels");
    cli_out_char(v->out, '[');
    for (size_t i = 0, n = 0; i < count; i++) {
        if (v->only && v->only != &kernels[i]) continue;
        cli_out_text(v->out, n++ ? ",\n" : "\n");
        kernel(v, &kernels[i]);
    }
    cli_out_char(v->out, ']');
    key(v->out, "sections");
    cli_out_char(v->out, '[');
    sections(v);
    cli_out_text(v->out, "]}");
}
