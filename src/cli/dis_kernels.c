/* SPDX-License-Identifier: Apache-2.0 */
/* What descriptors and metadata say of the kernels, as comments. */
#include "dis.h"

static void print_number(cli_out *out, const char *before, uint64_t value) {
    cli_out_text(out, before);
    cli_out_decimal(out, value);
}

static void print_argument(cli_out *out, const ez_kernel_arg *a, unsigned n) {
    const char *const names[] = {a->type_name, a->name};
    print_number(out, ";   argument ", n);
    cli_out_text(out, ": ");
    for (int i = 0; i < 2; i++)
        if (names[i]) {
            cli_out_name(out, names[i]);
            cli_out_char(out, ' ');
        }
    cli_out_char(out, '(');
    cli_out_name(out, a->value_kind_name);
    print_number(out, ", ", a->size);
    print_number(out, " bytes at ", a->offset);
    cli_out_text(out, ")\n");
}

static void print_kernel(const dis_view *v, const ez_kernel *k) {
    const ez_kernel_metadata *m = k->metadata;
    cli_out *out = v->out;
    cli_out_text(out, "; kernel ");
    cli_out_name(out, k->name);
    cli_out_text(out, ": entry 0x");
    cli_out_hex(out, k->entry_address, 1);
    cli_out_text(out, ", descriptor 0x");
    cli_out_hex(out, k->descriptor_address, 1);
    print_number(out, ", wave", dis_kernel_lanes(v, k));
    print_number(out, ", LDS ", k->descriptor.group_segment_fixed_size);
    print_number(out, ", scratch ", k->descriptor.private_segment_fixed_size);
    print_number(out, ", kernarg ", k->descriptor.kernarg_size);
    cli_out_text(out, " bytes");
    if (m) {
        print_number(out, ", ", m->sgpr_count);
        print_number(out, " SGPRs, ", m->vgpr_count);
        cli_out_text(out, " VGPRs");
        if (m->agpr_count) {
            print_number(out, ", ", m->agpr_count);
            cli_out_text(out, " AGPRs");
        }
    }
    cli_out_char(out, '\n');
    for (unsigned i = 0, n = 0; m && i < m->arg_count; i++)
        if (!ez_value_kind_is_hidden(m->args[i].value_kind)) print_argument(out, &m->args[i], n++);
}

void dis_kernels(const dis_view *v) {
    char id[64];
    size_t count;
    const ez_kernel *kernels = ez_object_kernels(v->object, &count);
    print_number(v->out, "; code object V", ez_object_version(v->object));
    cli_out_text(v->out, ", ");
    cli_out_text(v->out, ez_target_id_print(ez_object_target_id(v->object), id, sizeof id));
    if (ez_object_is_relocatable(v->object)) cli_out_text(v->out, ", relocatable");
    cli_out_char(v->out, '\n');
    for (size_t i = 0; i < count; i++)
        if (!v->only || v->only == &kernels[i]) print_kernel(v, &kernels[i]);
}
