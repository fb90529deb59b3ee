/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions and constants that ROCm got after Debian 12's headers (HSA_AMD_INTERFACE_VERSION 1.0), as of ROCm 6.4. They
 * have names of their own here and ROCm's in the library, so that this compiles with the headers of any version.
 */
#ifndef EZ_HSA_NEWER_H
#define EZ_HSA_NEWER_H

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

enum { EZ_INTERFACE_MAJOR = 1, EZ_INTERFACE_MINOR = 7 };

/* hsa_amd_agent_info_t */
enum {
    EZ_AGENT_MEMORY_AVAIL = 0xa015,
    EZ_AGENT_TIMESTAMP_FREQUENCY = 0xa016,
    EZ_AGENT_ASIC_FAMILY_ID = 0xa107,
    EZ_AGENT_UCODE_VERSION = 0xa108,
    EZ_AGENT_SDMA_UCODE_VERSION = 0xa109,
    EZ_AGENT_NUM_SDMA_ENG = 0xa10a,
    EZ_AGENT_NUM_SDMA_XGMI_ENG = 0xa10b,
    EZ_AGENT_IOMMU_SUPPORT = 0xa110,
    EZ_AGENT_NUM_XCC = 0xa111,
    EZ_AGENT_DRIVER_UID = 0xa112,
    EZ_AGENT_NEAREST_CPU = 0xa113,
    EZ_AGENT_MEMORY_PROPERTIES = 0xa114,
    EZ_AGENT_AQL_EXTENSIONS = 0xa115,
    EZ_AGENT_SCRATCH_LIMIT_MAX = 0xa116,
    EZ_AGENT_SCRATCH_LIMIT_CURRENT = 0xa117
};
enum { EZ_COPY_ENGINES = 2 }; /* that a GPU says to have */
/* hsa_amd_system_info_t */
enum {
    EZ_SYSTEM_MWAITX_ENABLED = 0x203,
    EZ_SYSTEM_DMABUF_SUPPORTED = 0x204,
    EZ_SYSTEM_VIRTUAL_MEM_API_SUPPORTED = 0x205,
    EZ_SYSTEM_XNACK_ENABLED = 0x206,
    EZ_SYSTEM_EXT_VERSION_MAJOR = 0x207,
    EZ_SYSTEM_EXT_VERSION_MINOR = 0x208
};
/* hsa_amd_memory_pool_info_t; the location is 0 on the CPU, 1 on a GPU */
enum { EZ_POOL_LOCATION = 17, EZ_POOL_RUNTIME_ALLOC_REC_GRANULE = 18 };
/* hsa_queue_info_attribute_t */
enum { EZ_QUEUE_AGENT = 0, EZ_QUEUE_DOORBELL_ID = 1 };
/* hsa_amd_pointer_type_t, hsa_status_t */
enum { EZ_POINTER_RESERVED = 5, EZ_STATUS_RESOURCE_BUSY = 46 };

#define EZ_NO_ACCESS ((hsa_access_permission_t)0)

/* ---- virtual memory (vmem.c) ---- */

typedef struct ez_vmem_handle {
    uint64_t handle;
} ez_vmem_handle;

typedef struct ez_vmem_access {
    hsa_access_permission_t permissions;
    hsa_agent_t agent;
} ez_vmem_access;

#define EZ_NEWER(type, name, symbol, ...) type name(__VA_ARGS__) __asm__(#symbol)

EZ_NEWER(hsa_status_t, ez_vmem_reserve, hsa_amd_vmem_address_reserve, void **address, size_t size,
         uint64_t wanted, uint64_t flags);
EZ_NEWER(hsa_status_t, ez_vmem_reserve_align, hsa_amd_vmem_address_reserve_align, void **address, size_t size,
         uint64_t wanted, uint64_t alignment, uint64_t flags);
EZ_NEWER(hsa_status_t, ez_vmem_free, hsa_amd_vmem_address_free, void *address, size_t size);
EZ_NEWER(hsa_status_t, ez_vmem_create, hsa_amd_vmem_handle_create, hsa_amd_memory_pool_t pool, size_t size,
         uint32_t type, uint64_t flags, ez_vmem_handle *handle);
EZ_NEWER(hsa_status_t, ez_vmem_release, hsa_amd_vmem_handle_release, ez_vmem_handle handle);
EZ_NEWER(hsa_status_t, ez_vmem_map, hsa_amd_vmem_map, void *address, size_t size, size_t offset,
         ez_vmem_handle handle, uint64_t flags);
EZ_NEWER(hsa_status_t, ez_vmem_unmap, hsa_amd_vmem_unmap, void *address, size_t size);
EZ_NEWER(hsa_status_t, ez_vmem_set_access, hsa_amd_vmem_set_access, void *address, size_t size,
         const ez_vmem_access *access, size_t count);
EZ_NEWER(hsa_status_t, ez_vmem_get_access, hsa_amd_vmem_get_access, void *address,
         hsa_access_permission_t *access, hsa_agent_t agent);
EZ_NEWER(hsa_status_t, ez_vmem_export, hsa_amd_vmem_export_shareable_handle, int *file, ez_vmem_handle handle,
         uint64_t flags);
EZ_NEWER(hsa_status_t, ez_vmem_import, hsa_amd_vmem_import_shareable_handle, int file,
         ez_vmem_handle *handle);
EZ_NEWER(hsa_status_t, ez_vmem_retain, hsa_amd_vmem_retain_alloc_handle, ez_vmem_handle *handle,
         void *address);
EZ_NEWER(hsa_status_t, ez_vmem_properties, hsa_amd_vmem_get_alloc_properties_from_handle,
         ez_vmem_handle handle, hsa_amd_memory_pool_t *pool, uint32_t *type);

/* ---- memory of other processes (ipc.c) ---- */

EZ_NEWER(hsa_status_t, ez_dmabuf_export, hsa_amd_portable_export_dmabuf, const void *pointer, size_t size,
         int *file, uint64_t *offset);
EZ_NEWER(hsa_status_t, ez_dmabuf_export_v2, hsa_amd_portable_export_dmabuf_v2, const void *pointer,
         size_t size, int *file, uint64_t *offset, uint64_t flags);
EZ_NEWER(hsa_status_t, ez_dmabuf_close, hsa_amd_portable_close_dmabuf, int file);

/* ---- copies, signals, queues ---- */

EZ_NEWER(hsa_status_t, ez_copy_on_engine, hsa_amd_memory_async_copy_on_engine, void *to, hsa_agent_t to_agent,
         const void *from, hsa_agent_t from_agent, size_t size, uint32_t need_count, const hsa_signal_t *need,
         hsa_signal_t done, uint32_t engine, bool force);
EZ_NEWER(hsa_status_t, ez_copy_engines, hsa_amd_memory_copy_engine_status, hsa_agent_t to, hsa_agent_t from,
         uint32_t *mask);
EZ_NEWER(hsa_status_t, ez_preferred_engines, hsa_amd_memory_get_preferred_copy_engine, hsa_agent_t to,
         hsa_agent_t from, uint32_t *mask);
EZ_NEWER(uint32_t, ez_signal_wait_all, hsa_amd_signal_wait_all, uint32_t count, hsa_signal_t *signals,
         hsa_signal_condition_t *conditions, hsa_signal_value_t *compare, uint64_t timeout,
         hsa_wait_state_t state, hsa_signal_value_t *values);
EZ_NEWER(hsa_status_t, ez_queue_info, hsa_amd_queue_get_info, hsa_queue_t *queue, uint32_t attribute,
         void *value);
EZ_NEWER(hsa_status_t, ez_scratch_limit, hsa_amd_agent_set_async_scratch_limit, hsa_agent_t agent,
         size_t limit);
EZ_NEWER(hsa_status_t, ez_enable_logging, hsa_amd_enable_logging, uint8_t *flags, void *file);

#endif
