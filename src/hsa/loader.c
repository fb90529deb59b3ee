/* SPDX-License-Identifier: Apache-2.0 */
/* The loader extension: where loaded code objects lie and where they came from. Debuggers and profilers ask. */
#define _GNU_SOURCE
#include "hsa/loader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Call with loader_lock held. */
static ez_loaded *loaded_at(uint64_t address) {
    for (ez_executable *e = ez_rt.executables; e; e = e->next)
        for (ez_loaded *l = e->loaded; l; l = l->next)
            if (address - ez_module_base(l->module) < l->size) return l;
    return NULL;
}

/* Device memory is host memory, so the address itself is one that the host can read. */
static hsa_status_t query_host_address(const void *device, const void **host) {
    EZ_NEED_INIT();
    if (!device || !host) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    pthread_rwlock_rdlock(&ez_rt.loader_lock);
    bool found = loaded_at((uint64_t)(uintptr_t)device) != NULL;
    pthread_rwlock_unlock(&ez_rt.loader_lock);
    *host = found ? device : NULL;
    return found ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

static hsa_status_t query_executable(const void *device, hsa_executable_t *executable) {
    EZ_NEED_INIT();
    if (!device || !executable) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    pthread_rwlock_rdlock(&ez_rt.loader_lock);
    const ez_loaded *l = loaded_at((uint64_t)(uintptr_t)device);
    executable->handle = l ? ez_executable_handle(l->executable).handle : 0;
    pthread_rwlock_unlock(&ez_rt.loader_lock);
    return l ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

static hsa_ven_amd_loader_code_object_storage_type_t storage(const ez_code *code) {
    return code->file < 0 ? HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY
                          : HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_FILE;
}

/* One descriptor for each segment with bytes. With NULL their number is given. */
static hsa_status_t query_segment_descriptors(hsa_ven_amd_loader_segment_descriptor_t *list, size_t *count) {
    EZ_NEED_INIT();
    if (!count || (list ? *count == 0 : *count != 0)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    size_t used = 0;
    pthread_rwlock_rdlock(&ez_rt.loader_lock);
    for (const ez_executable *e = ez_rt.executables; e; e = e->next)
        for (const ez_loaded *l = e->loaded; l; l = l->next) {
            size_t n;
            const ez_segment *s = ez_object_segments(l->object, &n);
            for (size_t i = 0; i < n; i++) {
                if (list && used < *count)
                    list[used] = (hsa_ven_amd_loader_segment_descriptor_t){
                        .agent = ez_agent_handle(l->agent),
                        .executable = ez_executable_handle(e),
                        .code_object_storage_type = storage(l->code),
                        .code_object_storage_base = l->code->origin ? l->code->origin : l->code->bytes,
                        .code_object_storage_size = l->code->size,
                        .code_object_storage_offset = s[i].file_offset,
                        .segment_base = (const void *)(uintptr_t)(ez_module_base(l->module) + s[i].address),
                        .segment_size = s[i].memory_size};
                used++;
            }
        }
    pthread_rwlock_unlock(&ez_rt.loader_lock);
    hsa_status_t status =
        list && *count != used ? HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS : HSA_STATUS_SUCCESS;
    *count = used;
    return status;
}

static hsa_status_t
iterate_loaded(hsa_executable_t executable,
               hsa_status_t (*callback)(hsa_executable_t, hsa_loaded_code_object_t, void *), void *data) {
    EZ_NEED_INIT();
    if (!callback) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    pthread_rwlock_rdlock(&ez_rt.loader_lock);
    const ez_executable *e = ez_executable_of(executable);
    const ez_loaded *l = e ? e->loaded : NULL;
    pthread_rwlock_unlock(&ez_rt.loader_lock);
    if (!e) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    hsa_status_t status = HSA_STATUS_SUCCESS;
    for (; l && status == HSA_STATUS_SUCCESS; l = l->next)
        status = callback(executable, (hsa_loaded_code_object_t){(uint64_t)(uintptr_t)l}, data);
    return status;
}

/* Source of the form: LLVM AMDGPUUsage, "Loaded Code Object Path Uniform Resource Identifier". */
static size_t write_uri(const ez_loaded *l, char *uri, size_t room) {
    int n = snprintf(uri, room, "memory://%ld#offset=0x%llx&size=%zu", (long)getpid(),
                     (unsigned long long)(uintptr_t)l->code->bytes, l->code->size);
    return n < 0 ? 0 : (size_t)n;
}

static hsa_status_t loaded_info(hsa_loaded_code_object_t loaded,
                                hsa_ven_amd_loader_loaded_code_object_info_t attribute, void *value) {
    EZ_NEED_INIT();
    const ez_loaded *l = (const ez_loaded *)(uintptr_t)loaded.handle;
    if (!l) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    if (!value) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    char uri[128];
    switch (attribute) {
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_EXECUTABLE:
        *(hsa_executable_t *)value = ez_executable_handle(l->executable);
        break;
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_KIND:
        *(hsa_ven_amd_loader_loaded_code_object_kind_t *)value =
            HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_KIND_AGENT;
        break;
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_AGENT:
        *(hsa_agent_t *)value = ez_agent_handle(l->agent);
        break;
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_TYPE:
        *(hsa_ven_amd_loader_code_object_storage_type_t *)value = storage(l->code);
        break;
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_BASE:
        *(uint64_t *)value = (uint64_t)(uintptr_t)l->code->bytes;
        break;
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_SIZE:
        *(uint64_t *)value = l->code->size;
        break;
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_FILE:
        *(int *)value = l->code->file;
        break;
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_DELTA:
        *(int64_t *)value = (int64_t)ez_module_base(l->module);
        break;
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE:
        *(uint64_t *)value = ez_module_base(l->module);
        break;
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE: *(uint64_t *)value = l->size; break;
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI_LENGTH:
        *(uint32_t *)value = (uint32_t)write_uri(l, uri, sizeof uri);
        break;
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI:
        memcpy(value, uri, write_uri(l, uri, sizeof uri));
        break;
    default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t iterate_executables(hsa_status_t (*callback)(hsa_executable_t executable, void *data),
                                        void *data) {
    EZ_NEED_INIT();
    if (!callback) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsa_status_t status = HSA_STATUS_SUCCESS;
    pthread_rwlock_rdlock(&ez_rt.loader_lock);
    const ez_executable *e = ez_rt.executables;
    pthread_rwlock_unlock(&ez_rt.loader_lock);
    for (; e && status == HSA_STATUS_SUCCESS; e = e->next)
        status = callback(ez_executable_handle(e), data);
    return status;
}

const hsa_ven_amd_loader_1_03_pfn_t ez_loader_table = {
    query_host_address, query_segment_descriptors, query_executable,   iterate_loaded,
    loaded_info,        ez_reader_from_part,       iterate_executables};
