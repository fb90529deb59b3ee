/* SPDX-License-Identifier: Apache-2.0 */
/* Which extensions there are: the loader and images. */
#include "hsa/loader.h"

#include <string.h>

static const struct extension {
    uint16_t id, minor;
    const char *name;
    const void *table; /* NULL: known by name, not supported */
    size_t size;
} extensions[] = {
    {HSA_EXTENSION_FINALIZER, 0, "HSA_EXTENSION_FINALIZER", NULL, 0},
    {HSA_EXTENSION_IMAGES, 0, "HSA_EXTENSION_IMAGES", &ez_image_table, sizeof ez_image_table},
    {HSA_EXTENSION_PERFORMANCE_COUNTERS, 0, "HSA_EXTENSION_PERFORMANCE_COUNTERS", NULL, 0},
    {HSA_EXTENSION_PROFILING_EVENTS, 0, "HSA_EXTENSION_PROFILING_EVENTS", NULL, 0},
    {HSA_EXTENSION_AMD_PROFILER, 0, "HSA_EXTENSION_AMD_PROFILER", NULL, 0},
    {HSA_EXTENSION_AMD_LOADER, 3, "HSA_EXTENSION_AMD_LOADER", &ez_loader_table, sizeof ez_loader_table},
    {HSA_EXTENSION_AMD_AQLPROFILE, 0, "HSA_EXTENSION_AMD_AQLPROFILE", NULL, 0},
};

static const struct extension *find(uint16_t id) {
    for (size_t i = 0; i < sizeof extensions / sizeof extensions[0]; i++)
        if (extensions[i].id == id) return &extensions[i];
    return NULL;
}

hsa_status_t hsa_extension_get_name(uint16_t id, const char **name) {
    EZ_NEED_INIT();
    const struct extension *e = find(id);
    if (!e || !name) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *name = e->name;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_system_major_extension_supported(uint16_t id, uint16_t major, uint16_t *minor,
                                                  bool *result) {
    EZ_NEED_INIT();
    const struct extension *e = find(id);
    if (!e || !minor || !result) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *result = e->table && major == 1;
    if (*result) *minor = e->minor;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_system_extension_supported(uint16_t id, uint16_t major, uint16_t minor, bool *result) {
    uint16_t newest = 0;
    hsa_status_t status = hsa_system_major_extension_supported(id, major, &newest, result);
    if (status == HSA_STATUS_SUCCESS) *result = *result && minor <= newest;
    return status;
}

hsa_status_t hsa_system_get_major_extension_table(uint16_t id, uint16_t major, size_t length, void *table) {
    EZ_NEED_INIT();
    const struct extension *e = find(id);
    if (!table || !length || !e || !e->table || major != 1) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    memset(table, 0, length);
    memcpy(table, e->table, length < e->size ? length : e->size);
    return HSA_STATUS_SUCCESS;
}

/* Minor versions only add functions: the table of an older one is the beginning. */
hsa_status_t hsa_system_get_extension_table(uint16_t id, uint16_t major, uint16_t minor, void *table) {
    static const size_t loader_sizes[] = {
        sizeof(hsa_ven_amd_loader_1_00_pfn_t), sizeof(hsa_ven_amd_loader_1_01_pfn_t),
        sizeof(hsa_ven_amd_loader_1_02_pfn_t), sizeof(hsa_ven_amd_loader_1_03_pfn_t)};
    if (id == HSA_EXTENSION_IMAGES && minor == 0)
        return hsa_system_get_major_extension_table(id, major, sizeof(hsa_ext_images_1_00_pfn_t), table);
    if (id != HSA_EXTENSION_AMD_LOADER || minor >= sizeof loader_sizes / sizeof loader_sizes[0])
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return hsa_system_get_major_extension_table(id, major, loader_sizes[minor], table);
}

/* Of agents: all extensions are the system's. */
hsa_status_t hsa_agent_major_extension_supported(uint16_t id, hsa_agent_t agent, uint16_t major,
                                                 uint16_t *minor, bool *result) {
    EZ_NEED_INIT();
    if (!ez_agent_of(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
    return hsa_system_major_extension_supported(id, major, minor, result);
}

hsa_status_t hsa_agent_extension_supported(uint16_t id, hsa_agent_t agent, uint16_t major, uint16_t minor,
                                           bool *result) {
    EZ_NEED_INIT();
    if (!ez_agent_of(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
    return hsa_system_extension_supported(id, major, minor, result);
}
