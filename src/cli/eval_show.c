/* SPDX-License-Identifier: Apache-2.0 */
/* What `execz eval` shows: the registers that changed. */
#include "eval.h"
#include "number.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SCALARS = 128 };

struct eval_state {
    uint32_t scalar[SCALARS]; /* by operand code */
    uint64_t scc, m0, mode;
    unsigned vgprs, agprs, lanes;
    uint32_t vector[]; /* [vgprs + agprs][lanes] */
};

static uint32_t read_vector(const ez_wave *wave, unsigned vgprs, unsigned row, unsigned lane) {
    return row < vgprs ? ez_wave_vgpr(wave, row, lane) : ez_wave_agpr(wave, row - vgprs, lane);
}

eval_state *eval_save(const ez_wave *wave) {
    unsigned lanes = ez_wave_lanes(wave), vgprs = eval_vgprs(ez_wave_target(wave));
    unsigned agprs = ez_target_has_feature(ez_wave_target(wave), "agprs") ? 256 : 0;
    eval_state *s = malloc(sizeof *s + (size_t)(vgprs + agprs) * lanes * sizeof s->vector[0]);
    if (!s) return NULL;
    s->vgprs = vgprs;
    s->agprs = agprs;
    s->lanes = lanes;
    s->scc = ez_wave_get(wave, EZ_WAVE_SCC);
    s->m0 = ez_wave_get(wave, EZ_WAVE_M0);
    s->mode = ez_wave_get(wave, EZ_WAVE_MODE);
    for (unsigned code = 0; code < SCALARS; code++)
        s->scalar[code] = ez_wave_sgpr(wave, code);
    for (unsigned row = 0; row < vgprs + agprs; row++)
        for (unsigned lane = 0; lane < lanes; lane++)
            s->vector[row * lanes + lane] = read_vector(wave, vgprs, row, lane);
    return s;
}

/* ---- the changed registers, each in turn ---- */

typedef struct shower {
    const ez_wave *wave;
    const eval_state *before;
    unsigned lanes;
    void (*vector)(struct shower *s, const char *name, unsigned row);
    void (*scalar)(struct shower *s, const char *name, uint64_t old, uint64_t now, unsigned bytes);
    bool any;
} shower;

static bool vector_changed(const shower *s, unsigned row) {
    for (unsigned lane = 0; lane < s->before->lanes; lane++)
        if (read_vector(s->wave, s->before->vgprs, row, lane) !=
            s->before->vector[row * s->before->lanes + lane])
            return true;
    return false;
}

static void scalar(shower *s, const char *name, uint64_t old, uint64_t now, unsigned bytes) {
    if (old != now) s->scalar(s, name, old, now, bytes);
}

static void numbered_scalar(shower *s, unsigned code, const char *file, unsigned number) {
    char name[24];
    snprintf(name, sizeof name, "%s%u", file, number);
    scalar(s, name, s->before->scalar[code], ez_wave_sgpr(s->wave, code), 4);
}

static uint64_t pair(const uint32_t *scalars, unsigned code) {
    return scalars[code] | (uint64_t)scalars[code + 1] << 32;
}

static uint64_t pair_now(const ez_wave *wave, unsigned code) {
    return ez_wave_sgpr(wave, code) | (uint64_t)ez_wave_sgpr(wave, code + 1) << 32;
}

static void show_all(shower *s) {
    const eval_state *b = s->before;
    const ez_target *target = ez_wave_target(s->wave);
    unsigned sgprs = eval_sgprs(target), ttmp = eval_first_ttmp(target);
    char name[24];
    for (unsigned row = 0; row < b->vgprs + b->agprs; row++) {
        if (!vector_changed(s, row)) continue;
        bool agpr = row >= b->vgprs;
        snprintf(name, sizeof name, "%c%u", agpr ? 'a' : 'v', agpr ? row - b->vgprs : row);
        s->vector(s, name, row);
    }
    for (unsigned code = 0; code < sgprs; code++)
        numbered_scalar(s, code, "s", code);
    if (ez_target_has_feature(target, "flat_scratch_sgpr"))
        scalar(s, "flat_scratch", pair(b->scalar, 102), pair_now(s->wave, 102), 8);
    if (ez_target_has_feature(target, "xnack_sgpr"))
        scalar(s, "xnack_mask", pair(b->scalar, 104), pair_now(s->wave, 104), 8);
    scalar(s, "vcc", pair(b->scalar, EVAL_VCC), pair_now(s->wave, EVAL_VCC), 8);
    for (unsigned code = ttmp; code < 124; code++)
        numbered_scalar(s, code, "ttmp", code - ttmp);
    scalar(s, "exec", pair(b->scalar, EVAL_EXEC), pair_now(s->wave, EVAL_EXEC), 8);
    scalar(s, "scc", b->scc, ez_wave_get(s->wave, EZ_WAVE_SCC), 0);
    scalar(s, "m0", b->m0, ez_wave_get(s->wave, EZ_WAVE_M0), 4);
    scalar(s, "mode", b->mode, ez_wave_get(s->wave, EZ_WAVE_MODE), 4);
}

/* ---- as a table ---- */

static void text_lanes(shower *s, const char *name, unsigned row, unsigned from, unsigned to) {
    const eval_state *b = s->before;
    uint32_t old = b->vector[row * b->lanes + from];
    uint32_t now = read_vector(s->wave, b->vgprs, row, from);
    char lanes[40], f32[40], f16[40];
    if (from == to) snprintf(lanes, sizeof lanes, "lane %u", from);
    else snprintf(lanes, sizeof lanes, "lanes %u-%u", from, to);
    cli_value_text(cli_type_find("f32", 3), now, f32, sizeof f32);
    cli_value_text(cli_type_find("f16", 3), now & 0xffff, f16, sizeof f16);
    printf("%-7s %-12s 0x%08x -> 0x%08x  i32 %d  f32 %s  f16 %s\n", name, lanes, old, now,
           (int)(int32_t)now, f32, f16);
}

/* Lanes in a row with the same old and new value are one line. */
static void text_vector(shower *s, const char *name, unsigned row) {
    const eval_state *b = s->before;
    for (unsigned from = 0, to; from < b->lanes; from = to) {
        uint32_t old = b->vector[row * b->lanes + from];
        uint32_t now = read_vector(s->wave, b->vgprs, row, from);
        for (to = from + 1; to < b->lanes && b->vector[row * b->lanes + to] == old &&
                            read_vector(s->wave, b->vgprs, row, to) == now;
             to++)
            ;
        if (old != now) text_lanes(s, s->any ? "" : name, row, from, to - 1);
        s->any |= old != now;
    }
    s->any = false;
}

static void text_scalar(shower *s, const char *name, uint64_t old, uint64_t now, unsigned bytes) {
    int digits = bytes ? (int)(2 * bytes) : 1;
    (void)s;
    printf("%-20s 0x%0*" PRIx64 " -> 0x%0*" PRIx64 "\n", name, digits, old, digits, now);
}

void eval_show(const ez_wave *wave, const eval_state *before, unsigned lanes) {
    shower s = {wave, before, lanes, text_vector, text_scalar, false};
    uint64_t flags = ez_wave_get(wave, EZ_WAVE_FLAGS);
    show_all(&s);
    printf("flags  ");
    for (unsigned flag = 1; flag; flag <<= 1)
        if (flags & flag) printf(" %s", ez_flag_name(flag));
    puts(flags ? "" : " none");
}

/* ---- as JSON: by hand, for jansson has no unsigned numbers of 64 bits ---- */

static void json_name(shower *s, const char *name) {
    printf("%s\"%s\":", s->any ? "," : "{", name);
    s->any = true;
}

static void json_vector(shower *s, const char *name, unsigned row) {
    const eval_state *b = s->before;
    unsigned lanes = s->lanes;
    for (unsigned lane = lanes; lane < b->lanes; lane++) /* a change beyond the lanes asked for is no secret */
        if (read_vector(s->wave, b->vgprs, row, lane) != b->vector[row * b->lanes + lane])
            lanes = b->lanes;
    json_name(s, name);
    for (unsigned lane = 0; lane < lanes; lane++)
        printf("%c%" PRIu32, lane ? ',' : '[', read_vector(s->wave, b->vgprs, row, lane));
    putchar(']');
}

static void json_scalar(shower *s, const char *name, uint64_t old, uint64_t now, unsigned bytes) {
    (void)old, (void)bytes;
    json_name(s, name);
    printf("%" PRIu64, now);
}

void eval_show_json(const ez_wave *wave, const eval_state *before, unsigned lanes) {
    shower s = {wave, before, lanes, json_vector, json_scalar, false};
    uint64_t flags = ez_wave_get(wave, EZ_WAVE_FLAGS);
    bool any = false;
    show_all(&s);
    json_name(&s, "flags");
    putchar('[');
    for (unsigned flag = 1; flag; flag <<= 1)
        if (flags & flag) {
            printf("%s\"%s\"", any ? "," : "", ez_flag_name(flag));
            any = true;
        }
    puts("]}");
}
