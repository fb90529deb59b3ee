/* SPDX-License-Identifier: Apache-2.0 */
/*
 * execz targets --hsa: what a HIP or OpenMP program under `execz launch` is told of its agents. The runtime itself is
 * asked, through the functions that the program would call.
 */
#define _GNU_SOURCE
#include "launch.h"
#include "targets.h"

#ifdef HAVE_HSA_HEADERS
#include <dlfcn.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <inttypes.h>
#include <stdlib.h>

/* The runtime's functions, with the types that its headers give them. */
#define FUNCTIONS(F)                                                                                         \
    F(hsa_init)                                                                                              \
    F(hsa_shut_down) F(hsa_iterate_agents) F(hsa_agent_get_info) F(hsa_agent_iterate_isas)                   \
        F(hsa_isa_get_info_alt) F(hsa_isa_iterate_wavefronts) F(hsa_wavefront_get_info)                      \
            F(hsa_agent_iterate_caches) F(hsa_cache_get_info) F(hsa_amd_agent_iterate_memory_pools)          \
                F(hsa_amd_memory_pool_get_info) F(hsa_amd_agent_memory_pool_get_info)

typedef struct runtime {
#define MEMBER(name) __typeof__(name) *name;
    FUNCTIONS(MEMBER)
#undef MEMBER
    hsa_agent_t cpu, agent; /* the host's, the one that is shown */
    bool gpu;
} runtime;

static bool open_runtime(const char *folder, runtime *r) {
    char *file = NULL;
    void *library = asprintf(&file, "%s/libhsa-runtime64.so.1", folder) < 0 ? NULL : dlopen(file, RTLD_NOW);
    free(file);
    if (!library) return false;
#define FIND(name) *(void **)&r->name = dlsym(library, #name);
    FUNCTIONS(FIND)
#undef FIND
#define HAS(name) r->name &&
    return FUNCTIONS(HAS) true;
#undef HAS
}

/* ---- values ---- */

typedef enum value_kind { TEXT, NUMBER, HEX, YES_NO, DEVICE, PROFILE, QUEUE, DIM16, DIM32 } value_kind;

typedef struct attribute {
    const char *label;
    uint32_t id;
    value_kind kind;
    const char *unit; /* NULL: none */
} attribute;

static void print_value(const attribute *a, const void *value) {
    const uint32_t *n = value;
    const uint16_t *h = value;
    printf("  %-28s ", a->label);
    switch (a->kind) {
    case TEXT: printf("%s", (const char *)value); break;
    case NUMBER: printf("%" PRIu32, *n); break;
    case HEX: printf("0x%" PRIx32, *n); break;
    case YES_NO: printf("%s", *(const bool *)value ? "yes" : "no"); break;
    case DEVICE:
        printf("%s", *n == HSA_DEVICE_TYPE_GPU ? "GPU" : *n == HSA_DEVICE_TYPE_CPU ? "CPU" : "DSP");
        break;
    case PROFILE: printf("%s", *n == HSA_PROFILE_FULL ? "full" : "base"); break;
    case QUEUE:
        printf("%s", *n == HSA_QUEUE_TYPE_MULTI    ? "multi"
                     : *n == HSA_QUEUE_TYPE_SINGLE ? "single"
                                                   : "cooperative");
        break;
    case DIM16: printf("%u, %u, %u", h[0], h[1], h[2]); break;
    case DIM32: printf("%" PRIu32 ", %" PRIu32 ", %" PRIu32, n[0], n[1], n[2]); break;
    }
    printf(a->unit ? " %s\n" : "\n", a->unit);
}

/* In the order of rocminfo. */
static const attribute of_all[] = {
    {"marketing name", HSA_AMD_AGENT_INFO_PRODUCT_NAME, TEXT, NULL},
    {"uuid", HSA_AMD_AGENT_INFO_UUID, TEXT, NULL},
    {"vendor", HSA_AGENT_INFO_VENDOR_NAME, TEXT, NULL},
    {"device", HSA_AGENT_INFO_DEVICE, DEVICE, NULL},
    {"profile", HSA_AGENT_INFO_PROFILE, PROFILE, NULL},
    {"node", HSA_AGENT_INFO_NODE, NUMBER, NULL},
    {"compute units", HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT, NUMBER, NULL},
};
static const attribute of_gpus[] = {
    {"chip id", HSA_AMD_AGENT_INFO_CHIP_ID, HEX, NULL},
    {"revision", HSA_AMD_AGENT_INFO_ASIC_REVISION, NUMBER, NULL},
    {"bus, device, function", HSA_AMD_AGENT_INFO_BDFID, HEX, NULL},
    {"clock, at most", HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY, NUMBER, "MHz"},
    {"cache line", HSA_AMD_AGENT_INFO_CACHELINE_SIZE, NUMBER, "bytes"},
    {"memory bus", HSA_AMD_AGENT_INFO_MEMORY_WIDTH, NUMBER, "bits"},
    {"memory clock, at most", HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY, NUMBER, "MHz"},
    {"shader engines", HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES, NUMBER, NULL},
    {"SIMDs of a compute unit", HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU, NUMBER, NULL},
    {"waves of a compute unit", HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU, NUMBER, NULL},
    {"wave size", HSA_AGENT_INFO_WAVEFRONT_SIZE, NUMBER, "lanes"},
    {"workgroup, at most", HSA_AGENT_INFO_WORKGROUP_MAX_SIZE, NUMBER, "work-items"},
    {"in each dimension", HSA_AGENT_INFO_WORKGROUP_MAX_DIM, DIM16, NULL},
    {"grid, at most", HSA_AGENT_INFO_GRID_MAX_SIZE, NUMBER, "work-items"},
    {"in each dimension", HSA_AGENT_INFO_GRID_MAX_DIM, DIM32, NULL},
    {"queues, at most", HSA_AGENT_INFO_QUEUES_MAX, NUMBER, NULL},
    {"queue, at least", HSA_AGENT_INFO_QUEUE_MIN_SIZE, NUMBER, "packets"},
    {"queue, at most", HSA_AGENT_INFO_QUEUE_MAX_SIZE, NUMBER, "packets"},
    {"queue type", HSA_AGENT_INFO_QUEUE_TYPE, QUEUE, NULL},
    {"cooperative queues", HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES, YES_NO, NULL},
    {"fast half precision", HSA_AGENT_INFO_FAST_F16_OPERATION, YES_NO, NULL},
    {"host memory, directly", HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS, YES_NO, NULL},
};

static void print_attributes(const runtime *r, const attribute *a, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t value[16] = {0}; /* 64 bytes of text and an end */
        if (r->hsa_agent_get_info(r->agent, (hsa_agent_info_t)a[i].id, value) == HSA_STATUS_SUCCESS)
            print_value(&a[i], value);
    }
}

/* ---- parts of an agent ---- */

static hsa_status_t print_wave(hsa_wavefront_t wave, void *user) {
    const runtime *r = user;
    uint32_t lanes = 0;
    r->hsa_wavefront_get_info(wave, HSA_WAVEFRONT_INFO_SIZE, &lanes);
    printf(", waves of %" PRIu32, lanes);
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t print_isa(hsa_isa_t isa, void *user) {
    runtime *r = user;
    char name[256] = "";
    uint32_t length = 0;
    r->hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME_LENGTH, &length);
    if (length < sizeof name) r->hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, name);
    printf("  %-28s %s", "ISA", name);
    r->hsa_isa_iterate_wavefronts(isa, print_wave, r);
    putchar('\n');
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t print_cache(hsa_cache_t cache, void *user) {
    const runtime *r = user;
    uint8_t level = 0;
    uint32_t size = 0;
    r->hsa_cache_get_info(cache, HSA_CACHE_INFO_LEVEL, &level);
    r->hsa_cache_get_info(cache, HSA_CACHE_INFO_SIZE, &size);
    printf("  cache L%-21u %" PRIu32 " KiB\n", level, size >> 10);
    return HSA_STATUS_SUCCESS;
}

static void print_flags(uint32_t flags) {
    if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT) printf(", kernarg");
    if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED) printf(", fine-grained");
    if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED) printf(", coarse-grained");
}

static hsa_status_t print_pool(hsa_amd_memory_pool_t pool, void *user) {
    static const char *const segments[] = {"global", "readonly", "private", "group"};
    const runtime *r = user;
    hsa_amd_segment_t segment = HSA_AMD_SEGMENT_GLOBAL;
    uint32_t flags = 0;
    size_t size = 0, granule = 0;
    r->hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
    r->hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags);
    r->hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SIZE, &size);
    r->hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE, &granule);
    printf("  %-28s %s", "pool", (unsigned)segment < 4 ? segments[segment] : "?");
    print_flags(flags);
    printf(", %zu KiB", size >> 10);
    if (granule) printf(", granule %zu KiB", granule >> 10);
    hsa_amd_memory_pool_access_t access = HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
    bool asked = r->gpu && segment == HSA_AMD_SEGMENT_GLOBAL &&
                 r->hsa_amd_agent_memory_pool_get_info(r->cpu, pool, HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS,
                                                       &access) == HSA_STATUS_SUCCESS;
    if (asked && access != HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED) printf(", the CPU may be given access");
    putchar('\n');
    return HSA_STATUS_SUCCESS;
}

/* ---- agents ---- */

static hsa_status_t print_agent(hsa_agent_t agent, void *user) {
    runtime *r = user;
    char name[65] = "";
    uint32_t device = 0;
    r->agent = agent;
    r->hsa_agent_get_info(agent, HSA_AGENT_INFO_NAME, name);
    r->hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &device);
    r->gpu = device == HSA_DEVICE_TYPE_GPU;
    if (!r->gpu) r->cpu = agent;
    printf("agent %s\n", name);
    print_attributes(r, of_all, sizeof of_all / sizeof of_all[0]);
    if (r->gpu) print_attributes(r, of_gpus, sizeof of_gpus / sizeof of_gpus[0]);
    r->hsa_agent_iterate_caches(agent, print_cache, r);
    r->hsa_agent_iterate_isas(agent, print_isa, r);
    r->hsa_amd_agent_iterate_memory_pools(agent, print_pool, r);
    return HSA_STATUS_SUCCESS;
}

int targets_print_hsa(const char *targets) {
    runtime r = {0};
    const char *folder = launch_library();
    if (!folder) return cli_error("the installation has no libhsa-runtime64.so.1");
    if (!open_runtime(folder, &r)) return cli_error("%s/libhsa-runtime64.so.1: %s", folder, dlerror());
    if (targets && setenv("EXECZ_TARGET", targets, 1)) return cli_error("out of memory");
    if (r.hsa_init() != HSA_STATUS_SUCCESS) return cli_error("the runtime does not start");
    r.hsa_iterate_agents(print_agent, &r);
    r.hsa_shut_down();
    return CLI_OK;
}
#else
int targets_print_hsa(const char *targets) {
    (void)targets;
    return cli_error("execz was built without HSA's headers (libhsa-runtime-dev)");
}
#endif
