/* SPDX-License-Identifier: Apache-2.0 */
/* A code object as llvm-objdump -d prints it. */
#include "dis.h"

enum { TEXT_WIDTH = 59 };

/* "// 000000001900: 7E000280": the address, and the dwords, or bytes where there are fewer. */
static void print_place(cli_out *out, uint64_t address, const uint8_t *b, uint64_t size) {
    char *start = cli_out_room(out, 32 + 9 * EZ_INST_MAX_BYTES / 4), *to = start;
    memcpy(to, "// ", 3);
    to = cli_put_HEX12(to + 3, address);
    *to++ = ':';
    uint64_t i = 0;
    for (; i + 4 <= size; i += 4) {
        *to++ = ' ';
        to = cli_put_hex8(to, ez_dword_at(b + i), CLI_HEX_UPPER);
    }
    out->used += (size_t)(to - start);
    for (; i < size; i++) {
        cli_out_char(out, ' ');
        cli_out_HEX(out, b[i], 2);
    }
}

/* The symbol without a type, if any, that stands in place of the distance to it, which is the last operand and cut off the
 * text here; *to_say is whether the address that the instruction jumps to is still to be said. */
static const char *name_target(const dis_view *v, const dis_code *c, dis_item *item, uint64_t *to,
                               bool *to_say) {
    if (!ez_inst_branch_target(&item->inst, c->address + item->at, to)) return "";
    const ez_symbol *symbol = dis_plain_symbol_at(v, c, *to);
    *to_say = !symbol && ez_inst_operand_count(&item->inst) == 1; /* llvm-objdump does not for s_call_b64 */
    if (!symbol) return "";
    while (item->length && item->text[item->length - 1] != ' ')
        item->length--;
    return symbol->name;
}

static void print_line(const dis_view *v, const dis_code *c, dis_item *item) {
    uint64_t to = 0;
    bool to_say = false, good = item->kind == DIS_INSTRUCTION;
    dis_place place;
    cli_out *out = v->out;
    const char *name = good ? name_target(v, c, item, &to, &to_say) : "";
    cli_out_char(out, '\t');
    dis_statement(v, item->text, item->length, good ? DIS_MNEMONIC : DIS_BAD);
    if (*name) cli_out_name(out, name);
    size_t length = item->length + strlen(name);
    if (length < TEXT_WIDTH) {
        memset(cli_out_room(out, TEXT_WIDTH), ' ', TEXT_WIDTH); /* all of them: that is quicker than to count */
        out->used += TEXT_WIDTH - length;
    }
    dis_paint(v, DIS_NOTE);
    print_place(out, c->address + item->at, c->bytes + item->at, item->size);
    if (to_say && dis_place_before(v, c, to, &place)) {
        cli_out_text(out, " <");
        cli_out_name(out, place.name);
        if (to != place.address) {
            cli_out_text(out, "+0x");
            cli_out_hex(out, to - place.address, 1);
        }
        cli_out_char(out, '>');
    }
    dis_paint(v, DIS_PLAIN);
    cli_out_char(out, '\n');
}

/* A variable among the code: its bytes in hexadecimal and as characters, 8 a line. */
static void print_data(const dis_view *v, const dis_code *c, const dis_block *b) {
    enum { PER_LINE = 8 };
    char address[24];
    for (uint64_t at = b->start; at < b->end; at += PER_LINE) {
        uint64_t n = b->end - at < PER_LINE ? b->end - at : PER_LINE;
        snprintf(address, sizeof address, "%8llx:", (unsigned long long)(c->address + at));
        cli_out_text(v->out, address);
        for (uint64_t i = 0; i < n; i++) {
            cli_out_char(v->out, ' ');
            cli_out_hex(v->out, c->bytes[at + i], 2);
        }
        cli_out_spaces(v->out, 3 * (PER_LINE - n) + 9);
        for (uint64_t i = 0; i < n; i++) {
            uint8_t byte = c->bytes[at + i];
            cli_out_char(v->out, byte >= ' ' && byte < 127 ? (char)byte : '.');
        }
        cli_out_char(v->out, '\n');
    }
}

static void print_block(const dis_view *v, const dis_code *c, const dis_block *b) {
    cli_out_char(v->out, '\n');
    dis_paint(v, DIS_LABEL);
    cli_out_hex(v->out, c->address + b->start, 16);
    cli_out_text(v->out, " <");
    cli_out_name(v->out, b->symbol ? b->symbol->name : c->name);
    cli_out_text(v->out, ">:");
    dis_paint(v, DIS_PLAIN);
    cli_out_char(v->out, '\n');
    if (b->data) {
        print_data(v, c, b);
        return;
    }
    dis_item item = {.at = b->start};
    while (dis_next_item(v, c, b->wave, b->end, c->size, &item))
        if (item.kind == DIS_ZEROS) cli_out_text(v->out, "\t\t...\n");
        else print_line(v, c, &item);
}

void dis_list(const dis_view *v) {
    dis_code code;
    for (size_t at = 0; dis_next_code(v, &at, &code);) {
        dis_block block = {0};
        for (bool first = true; dis_next_block(v, &code, &block); first = false) {
            if (first) {
                cli_out_text(v->out, "\nDisassembly of section ");
                cli_out_name(v->out, code.name);
                cli_out_text(v->out, ":\n");
            }
            print_block(v, &code, &block);
        }
    }
}
