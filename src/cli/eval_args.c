/* SPDX-License-Identifier: Apache-2.0 */
/* REG=VALUE words of `execz eval`. */
#include "eval.h"
#include "number.h"

#include <string.h>

unsigned eval_first_ttmp(const ez_target *target) {
    return ez_target_has_feature(target, "ttmp_16") ? 108 : 112;
}
unsigned eval_vgprs(const ez_target *target) {
    return ez_target_has_feature(target, "vgprs_1024") ? 1024 : 256;
}
unsigned eval_sgprs(const ez_target *target) {
    return ez_target_has_feature(target, "sgpr_106") ? 106 : 102;
}

/* Registers of the wave that have a name and no number. */
static const struct {
    const char *name;
    ez_wave_field field;
    const char *feature; /* without it the target lacks the field */
    unsigned bytes;
    uint64_t max;
} fields[] = {{"vcc", EZ_WAVE_VCC, NULL, 8, UINT64_MAX},
              {"exec", EZ_WAVE_EXEC, NULL, 8, UINT64_MAX},
              {"scc", EZ_WAVE_SCC, NULL, 4, 1},
              {"m0", EZ_WAVE_M0, NULL, 4, UINT32_MAX},
              {"mode", EZ_WAVE_MODE, NULL, 4, UINT32_MAX},
              {"ieee", EZ_WAVE_IEEE, "ieee_mode", 4, 1},
              {"dx10_clamp", EZ_WAVE_DX10_CLAMP, "dx10_clamp_mode", 4, 1},
              {"denorm16_64", EZ_WAVE_DENORM16_64, NULL, 4, 3},
              {"denorm32", EZ_WAVE_DENORM32, NULL, 4, 3},
              {"round16_64", EZ_WAVE_ROUND16_64, NULL, 4, 3},
              {"round32", EZ_WAVE_ROUND32, NULL, 4, 3}};

static const cli_type u32 = {"u32", 4, 'u'}, u64 = {"u64", 8, 'u'};

/* "0x7c01" as bits of `type`, or "f16:1.5" with a type of its own that is no wider. */
static bool value_of(const cli_type *type, const char *text, size_t length, uint64_t *bits) {
    const char *colon = memchr(text, ':', length);
    const cli_type *own = colon ? cli_type_find(text, (size_t)(colon - text)) : NULL;
    if (!colon) return cli_value(type, text, length, bits);
    if (!own || own->bytes > type->bytes) return false;
    size_t skip = (size_t)(colon + 1 - text);
    if (!cli_value(own, text + skip, length - skip, bits)) return false;
    if (own->kind == 'i' && own->bytes < 8) { /* sign-extended to the register */
        uint64_t sign = UINT64_C(1) << (8 * own->bytes - 1);
        *bits = (*bits ^ sign) - sign;
        if (type->bytes == 4) *bits &= UINT32_MAX;
    }
    return true;
}

static int bad_value(const char *word, const char *what) {
    return cli_error("%s: %s", word, what);
}

static int assign_field(ez_wave *wave, unsigned n, const char *word, const char *value) {
    uint64_t bits, lanes = ez_wave_lanes(wave) == 64 ? UINT64_MAX : UINT32_MAX;
    char message[120];
    bool mask = fields[n].field == EZ_WAVE_VCC || fields[n].field == EZ_WAVE_EXEC;
    if (fields[n].feature && !ez_target_has_feature(ez_wave_target(wave), fields[n].feature)) {
        snprintf(message, sizeof message, "%s has no %s bit in MODE", ez_target_name(ez_wave_target(wave)),
                 fields[n].name);
        return bad_value(word, message);
    }
    if (!value_of(fields[n].bytes == 8 ? &u64 : &u32, value, strlen(value), &bits)) {
        snprintf(message, sizeof message, "expected a number of at most %u bits", 8 * fields[n].bytes);
        return bad_value(word, message);
    }
    if (mask && *value == '-') bits &= lanes; /* -1: every lane */
    if (bits > fields[n].max || (mask && bits > lanes)) {
        snprintf(message, sizeof message, "expected a number of at most 0x%llx",
                 (unsigned long long)(mask ? lanes : fields[n].max));
        return bad_value(word, message);
    }
    if (!ez_wave_set(wave, fields[n].field, bits)) {
        snprintf(message, sizeof message, "%s has no such bits", ez_target_name(ez_wave_target(wave)));
        return bad_value(word, message);
    }
    return CLI_GO;
}

/* ---- numbered registers ---- */

typedef struct registers {
    char file; /* 'v', 'a', 's', 't' */
    unsigned first, count;
} registers;

static bool plain_number(const char **text, unsigned *n) {
    if (**text < '0' || **text > '9') return false;
    for (*n = 0; **text >= '0' && **text <= '9'; (*text)++)
        if ((*n = *n * 10 + (unsigned)(**text - '0')) > 9999) return false;
    return true;
}

/* "v5", "s[4:5]", "ttmp3", "a7": what stands before the = at `end`. */
static bool parse_registers(const char *text, const char *end, registers *r) {
    r->file = *text;
    if (!strncmp(text, "ttmp", 4)) text += 4;
    else if (*text == 'v' || *text == 's' || *text == 'a') text++;
    else return false;
    r->count = 1;
    if (*text != '[') return plain_number(&text, &r->first) && text == end;
    unsigned last;
    text++;
    if (!plain_number(&text, &r->first) || *text++ != ':' || !plain_number(&text, &last)) return false;
    if (*text++ != ']' || text != end || last < r->first || last - r->first > 1) return false;
    r->count = last - r->first + 1;
    return true;
}

static bool set_vector(ez_wave *wave, const registers *r, unsigned lane, uint64_t bits) {
    for (unsigned i = 0; i < r->count; i++) {
        uint32_t dword = (uint32_t)(bits >> (32 * i));
        if (!(r->file == 'v' ? ez_wave_set_vgpr(wave, r->first + i, lane, dword)
                             : ez_wave_set_agpr(wave, r->first + i, lane, dword)))
            return false;
    }
    return true;
}

static int no_register(ez_wave *wave, const char *word) {
    char message[64];
    snprintf(message, sizeof message, "%s has no such register", ez_target_name(ez_wave_target(wave)));
    return bad_value(word, message);
}

static int assign_vector(ez_wave *wave, unsigned lanes, const registers *r, const char *word,
                         const char *value) {
    uint64_t bits;
    bool list = strchr(value, ',') != NULL;
    for (unsigned lane = 0; lane < lanes; lane++) {
        size_t length = strcspn(value, ",");
        if (!value_of(r->count == 2 ? &u64 : &u32, value, length, &bits))
            return bad_value(word, r->count == 2 ? "expected numbers of at most 64 bits"
                                                 : "expected numbers of at most 32 bits");
        if (!set_vector(wave, r, lane, bits)) return no_register(wave, word);
        if (!list) continue; /* one value for all lanes */
        if (!value[length]) return CLI_GO;
        value += length + 1;
    }
    return list ? bad_value(word, "more values than lanes") : CLI_GO;
}

static int assign_scalar(ez_wave *wave, const registers *r, const char *word, const char *value) {
    uint64_t bits;
    unsigned ttmp = eval_first_ttmp(ez_wave_target(wave)), last = r->first + r->count - 1;
    bool exists = r->file == 't' ? ttmp + last < 124 : last < eval_sgprs(ez_wave_target(wave));
    if (!exists) return no_register(wave, word);
    if (!value_of(r->count == 2 ? &u64 : &u32, value, strlen(value), &bits))
        return bad_value(word, r->count == 2 ? "expected a number of at most 64 bits"
                                             : "expected a number of at most 32 bits");
    for (unsigned i = 0; i < r->count; i++)
        if (!ez_wave_set_sgpr(wave, (r->file == 't' ? ttmp : 0) + r->first + i,
                              (uint32_t)(bits >> (32 * i))))
            return no_register(wave, word);
    return CLI_GO;
}

int eval_assign(const cli_command *command, ez_wave *wave, unsigned lanes, const char *word) {
    registers r;
    const char *equals = strchr(word, '=');
    if (!equals || equals == word)
        return cli_usage(command, "expected REGISTER=VALUE, not '%s'", word);
    for (unsigned n = 0; n < sizeof fields / sizeof fields[0]; n++)
        if (strlen(fields[n].name) == (size_t)(equals - word) &&
            !strncmp(fields[n].name, word, (size_t)(equals - word)))
            return assign_field(wave, n, word, equals + 1);
    if (!parse_registers(word, equals, &r))
        return cli_usage(command,
                         "no register is called '%.*s'; there are v0, v[0:1], a0, s0, s[0:1], ttmp0, vcc, exec, "
                         "scc, m0, mode, and of mode ieee, dx10_clamp, denorm16_64, denorm32, round16_64, round32",
                         (int)(equals - word), word);
    if (r.file == 'v' || r.file == 'a') return assign_vector(wave, lanes, &r, word, equals + 1);
    return assign_scalar(wave, &r, word, equals + 1);
}
