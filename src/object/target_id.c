/* SPDX-License-Identifier: Apache-2.0 */
#include "object_internal.h"

#include <stdio.h>

/* e_flags of code objects. Source: AMDGPUUsage, "AMDGPU ELF Header e_flags". */
enum {
    EF_MACH = 0xff,
    EF_XNACK_V3 = 0x100,
    EF_SRAMECC_V3 = 0x200,
    EF_XNACK_V4_SHIFT = 8, /* two bits each: unsupported, any, off, on, as ez_setting */
    EF_SRAMECC_V4_SHIFT = 10,
    EF_GENERIC_VERSION_SHIFT = 24
};

/* Version 2 names the processor by numbers, and xnack by the last of them.
 * Source: AMDGPUUsage, "Code Object V2 target identification" (the ISA version note). */
static const struct {
    uint8_t major, minor, stepping;
    const char *id;
} version2_targets[] = {
    {6, 0, 0, "gfx600"},
    {6, 0, 1, "gfx601"},
    {6, 0, 2, "gfx602"},
    {7, 0, 0, "gfx700"},
    {7, 0, 1, "gfx701"},
    {7, 0, 2, "gfx702"},
    {7, 0, 3, "gfx703"},
    {7, 0, 4, "gfx704"},
    {7, 0, 5, "gfx705"},
    {8, 0, 0, "gfx802"},
    {8, 0, 1, "gfx801:xnack+"},
    {8, 0, 2, "gfx802"},
    {8, 0, 3, "gfx803"},
    {8, 0, 4, "gfx803"},
    {8, 0, 5, "gfx805"},
    {8, 1, 0, "gfx810:xnack+"},
    {9, 0, 0, "gfx900:xnack-"},
    {9, 0, 1, "gfx900:xnack+"},
    {9, 0, 2, "gfx902:xnack-"},
    {9, 0, 3, "gfx902:xnack+"},
    {9, 0, 4, "gfx904:xnack-"},
    {9, 0, 5, "gfx904:xnack+"},
    {9, 0, 6, "gfx906:sramecc-:xnack-"},
    {9, 0, 7, "gfx906:sramecc-:xnack+"},
    {9, 0, 12, "gfx90c:xnack-"},
};

/* The target id at the end of "kind-arch-vendor-os-environment-id" or "arch-vendor-os-environment-
 * id"; ids may have dashes of their own ("gfx9-4-generic"), but always begin with gfx or amdgcn. */
static const char *skip_triple(const char *text, const char *end) {
    for (const char *p = text; p + 3 <= end; p++)
        if ((p == text || p[-1] == '-') && memcmp(p, "gfx", 3) == 0) return p;
    const char *last = end; /* "hip-spirv64-amd-amdhsa--amdgcnspirv" */
    while (last > text && last[-1] != '-')
        last--;
    return last;
}

static bool read_feature(const char *text, size_t length, const char *name, ez_setting *setting) {
    size_t n = strlen(name);
    if (length != n + 1 || memcmp(text, name, n) != 0) return false;
    if ((text[n] != '+' && text[n] != '-') || *setting != EZ_SETTING_UNSUPPORTED) return false;
    *setting = text[n] == '+' ? EZ_SETTING_ON : EZ_SETTING_OFF;
    return true;
}

ez_status ez_target_id_parse(const char *text, size_t length, ez_target_id *id, ez_error *err) {
    const char *end = text + length, *p = skip_triple(text, end);
    const char *colon = memchr(p, ':', (size_t)(end - p));
    size_t name = (size_t)((colon ? colon : end) - p);
    int shown = (int)(length < 80 ? length : 80);
    *id = (ez_target_id){.sramecc = EZ_SETTING_UNSUPPORTED};
    if (!name || name > EZ_PROCESSOR_NAME_MAX || memchr(p, 0, name))
        return ez_error_set(err, EZ_ERR_FORMAT,
                            "'%.*s' is no target id: expected a processor name like gfx90a", shown,
                            text);
    memcpy(id->processor, p, name);
    for (p += name; p < end;) {
        const char *feature = p + 1; /* after the colon */
        const char *next = memchr(feature, ':', (size_t)(end - feature));
        size_t n = (size_t)((next ? next : end) - feature);
        if (!read_feature(feature, n, "sramecc", &id->sramecc) &&
            !read_feature(feature, n, "xnack", &id->xnack))
            return ez_error_at(err, EZ_ERR_FORMAT, (uint64_t)(feature - text),
                               "'%.*s' is no target id: after '%s' expected sramecc or xnack with "
                               "+ or -, each once",
                               shown, text, id->processor);
        p = feature + n;
    }
    return EZ_OK;
}

char *ez_target_id_print(const ez_target_id *id, char *text, size_t size) {
    static const char *const sramecc[] = {"", "", ":sramecc-", ":sramecc+"};
    static const char *const xnack[] = {"", "", ":xnack-", ":xnack+"};
    snprintf(text, size, "%s%s%s", id->processor, sramecc[id->sramecc & 3], xnack[id->xnack & 3]);
    return text;
}

static bool covers(const char *generic, const char *processor) {
    const ez_target *code = ez_target_find(generic), *device = ez_target_find(processor);
    return code && device && ez_target_covers(code, device);
}

/* 0: contradiction; 4: same; otherwise how well a fixed or open setting of the code fits. */
static unsigned match_setting(ez_setting code, ez_setting device) {
    bool code_open = code < EZ_SETTING_OFF, device_open = device < EZ_SETTING_OFF;
    if (code_open) return device_open ? 4 : 3;
    if (device_open) return code == EZ_SETTING_OFF ? 2 : 1;
    return code == device ? 4 : 0;
}

unsigned ez_target_id_match(const ez_target_id *code, const ez_target_id *device) {
    bool same = strcmp(code->processor, device->processor) == 0;
    if (!same && !covers(code->processor, device->processor)) return 0;
    unsigned sramecc = match_setting(code->sramecc, device->sramecc);
    unsigned xnack = match_setting(code->xnack, device->xnack);
    if (!sramecc || !xnack) return 0;
    return (same ? 100 : 0) + sramecc * 10 + xnack;
}

bool ez_target_id_of_version2(unsigned major, unsigned minor, unsigned stepping, ez_target_id *id) {
    for (size_t i = 0; i < sizeof version2_targets / sizeof version2_targets[0]; i++) {
        if (version2_targets[i].major != major || version2_targets[i].minor != minor ||
            version2_targets[i].stepping != stepping)
            continue;
        const char *text = version2_targets[i].id;
        return ez_target_id_parse(text, strlen(text), id, NULL) == EZ_OK;
    }
    return false;
}

/* Version 3 has one bit a feature, which is also clear where the processor has no such feature. */
static ez_setting version3_setting(uint32_t flags, uint32_t bit, const ez_target *target,
                                   const char *feature) {
    if (flags & bit) return EZ_SETTING_ON;
    return ez_target_has_feature(target, feature) ? EZ_SETTING_OFF : EZ_SETTING_UNSUPPORTED;
}

ez_status ez_object_read_target(ez_object *object, const ez_elf *elf, ez_error *err) {
    ez_target_id *id = &object->target_id;
    uint32_t flags = elf->flags;
    if (object->version == 2 && id->processor[0]) /* from the ISA version note */
        object->target = ez_target_find(id->processor);
    else
        object->target = ez_target_by_elf_mach(flags & EF_MACH);
    if (!object->target)
        return ez_error_at(err, EZ_ERR_UNSUPPORTED, 48,
                           "code for an unknown target: %s%sEF_AMDGPU_MACH is 0x%x in e_flags "
                           "0x%08x",
                           id->processor, id->processor[0] ? ", " : "", (unsigned)(flags & EF_MACH),
                           (unsigned)flags);
    if (!id->processor[0])
        snprintf(id->processor, sizeof id->processor, "%s", ez_target_name(object->target));
    if (object->version == 3) {
        id->xnack = version3_setting(flags, EF_XNACK_V3, object->target, "xnack");
        id->sramecc = version3_setting(flags, EF_SRAMECC_V3, object->target, "sramecc");
    } else if (object->version >= 4) {
        id->xnack = (ez_setting)(flags >> EF_XNACK_V4_SHIFT & 3);
        id->sramecc = (ez_setting)(flags >> EF_SRAMECC_V4_SHIFT & 3);
    }
    if (object->version >= 6) object->generic_version = flags >> EF_GENERIC_VERSION_SHIFT;
    if (ez_target_is_generic(object->target) != (object->generic_version > 0))
        return ez_error_at(err, EZ_ERR_FORMAT, 48,
                           "generic version %u in the e_flags of code for %s",
                           object->generic_version, id->processor);
    return EZ_OK;
}
