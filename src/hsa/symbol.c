/* SPDX-License-Identifier: Apache-2.0 */
/* Symbols of executables and of code objects: finding them, going through them, and what is known of each. */
#include "hsa/runtime.h"

#include <stdlib.h>
#include <string.h>

/* ---- finding ---- */

static ez_exec_symbol *find(const ez_executable *e, const char *name, const ez_agent *agent) {
    for (ez_loaded *l = e->loaded; l; l = l->next)
        for (size_t i = 0; (!agent || l->agent == agent) && i < l->symbol_count; i++)
            if (!strcmp(l->symbol[i].symbol->name, name)) return &l->symbol[i];
    return NULL;
}

hsa_status_t hsa_executable_get_symbol_by_name(hsa_executable_t handle, const char *name,
                                               const hsa_agent_t *agent_handle,
                                               hsa_executable_symbol_t *symbol) {
    EZ_NEED_INIT();
    if (!name || !symbol) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const ez_agent *agent = agent_handle ? ez_agent_of(*agent_handle) : NULL;
    if (agent_handle && !agent) return HSA_STATUS_ERROR_INVALID_AGENT;
    pthread_rwlock_rdlock(&ez_rt.loader_lock);
    const ez_executable *e = ez_executable_of(handle);
    const ez_exec_symbol *found = e ? find(e, name, agent) : NULL;
    pthread_rwlock_unlock(&ez_rt.loader_lock);
    if (!e) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    symbol->handle = (uint64_t)(uintptr_t)found;
    return found ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
}

hsa_status_t hsa_executable_get_symbol(hsa_executable_t handle, const char *module, const char *name,
                                       hsa_agent_t agent, int32_t call_convention,
                                       hsa_executable_symbol_t *symbol) {
    EZ_NEED_INIT();
    (void)call_convention; /* of indirect functions, which there are none of */
    if (module && *module) return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME; /* no symbol belongs to a module */
    return hsa_executable_get_symbol_by_name(handle, name, agent.handle ? &agent : NULL, symbol);
}

/* ---- going through all ---- */

/* The callbacks may call in again: the symbols are taken down first. */
static ez_exec_symbol **all_symbols(hsa_executable_t handle, const ez_agent *agent, size_t *count,
                                    hsa_status_t *status) {
    ez_exec_symbol **list = NULL;
    *count = 0;
    pthread_rwlock_rdlock(&ez_rt.loader_lock);
    const ez_executable *e = ez_executable_of(handle);
    size_t room = 1;
    for (const ez_loaded *l = e ? e->loaded : NULL; l; l = l->next)
        room += l->symbol_count;
    if (e) list = calloc(room, sizeof *list);
    for (ez_loaded *l = list ? e->loaded : NULL; l; l = l->next)
        for (size_t i = 0; (!agent || l->agent == agent) && i < l->symbol_count; i++)
            list[(*count)++] = &l->symbol[i];
    pthread_rwlock_unlock(&ez_rt.loader_lock);
    *status = !e      ? HSA_STATUS_ERROR_INVALID_EXECUTABLE
              : !list ? HSA_STATUS_ERROR_OUT_OF_RESOURCES
                      : HSA_STATUS_SUCCESS;
    return list;
}

hsa_status_t hsa_executable_iterate_symbols(hsa_executable_t executable,
                                            hsa_status_t (*callback)(hsa_executable_t,
                                                                     hsa_executable_symbol_t, void *),
                                            void *data) {
    EZ_NEED_INIT();
    if (!callback) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    size_t count;
    hsa_status_t status;
    ez_exec_symbol **list = all_symbols(executable, NULL, &count, &status);
    for (size_t i = 0; i < count && status == HSA_STATUS_SUCCESS; i++)
        status = callback(executable, (hsa_executable_symbol_t){(uint64_t)(uintptr_t)list[i]}, data);
    free(list);
    return status;
}

hsa_status_t hsa_executable_iterate_agent_symbols(hsa_executable_t executable, hsa_agent_t handle,
                                                  hsa_status_t (*callback)(hsa_executable_t, hsa_agent_t,
                                                                           hsa_executable_symbol_t, void *),
                                                  void *data) {
    EZ_NEED_INIT();
    const ez_agent *agent = ez_agent_of(handle);
    if (!agent) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!callback) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    size_t count;
    hsa_status_t status;
    ez_exec_symbol **list = all_symbols(executable, agent, &count, &status);
    for (size_t i = 0; i < count && status == HSA_STATUS_SUCCESS; i++)
        status = callback(executable, handle, (hsa_executable_symbol_t){(uint64_t)(uintptr_t)list[i]}, data);
    free(list);
    return status;
}

/* Variables with program allocation: compilers make none. */
hsa_status_t hsa_executable_iterate_program_symbols(hsa_executable_t executable,
                                                    hsa_status_t (*callback)(hsa_executable_t,
                                                                             hsa_executable_symbol_t, void *),
                                                    void *data) {
    EZ_NEED_INIT();
    (void)data;
    if (!callback) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    size_t count;
    hsa_status_t status;
    free(all_symbols(executable, NULL, &count, &status));
    return status;
}

/* ---- what is known of one: the same numbers for symbols of executables and of code objects ---- */

static uint32_t kernarg_size(const ez_kernel *k) {
    uint32_t size = k->descriptor.kernarg_size;
    return k->metadata && k->metadata->kernarg_segment_size > size ? k->metadata->kernarg_segment_size : size;
}

static hsa_status_t kernel_info(const ez_kernel *k, uint32_t attribute, void *value) {
    const ez_kernel_metadata *m = k->metadata;
    uint32_t align = m && m->kernarg_segment_align > 16 ? m->kernarg_segment_align : 16;
    switch (attribute) {
    case HSA_CODE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE: *(uint32_t *)value = kernarg_size(k); break;
    case HSA_CODE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT: *(uint32_t *)value = align; break;
    case HSA_CODE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE:
        *(uint32_t *)value = k->descriptor.group_segment_fixed_size;
        break;
    case HSA_CODE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE:
        *(uint32_t *)value = k->descriptor.private_segment_fixed_size;
        break;
    case HSA_CODE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK:
        *(bool *)value = ez_descriptor_get(&k->descriptor, EZ_KD_USES_DYNAMIC_STACK);
        break;
    case HSA_CODE_SYMBOL_INFO_KERNEL_CALL_CONVENTION: *(uint32_t *)value = 0; break;
    default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t symbol_info(const ez_symbol *s, const ez_kernel *k, uint32_t attribute, void *value) {
    enum { LOCAL = 0 };
    switch (attribute) {
    case HSA_CODE_SYMBOL_INFO_TYPE:
        *(hsa_symbol_kind_t *)value = k ? HSA_SYMBOL_KIND_KERNEL : HSA_SYMBOL_KIND_VARIABLE;
        break;
    case HSA_CODE_SYMBOL_INFO_NAME_LENGTH: *(uint32_t *)value = (uint32_t)strlen(s->name); break;
    case HSA_CODE_SYMBOL_INFO_NAME: memcpy(value, s->name, strlen(s->name)); break;
    case HSA_CODE_SYMBOL_INFO_MODULE_NAME_LENGTH: *(uint32_t *)value = 0; break;
    case HSA_CODE_SYMBOL_INFO_MODULE_NAME: break;
    case HSA_CODE_SYMBOL_INFO_LINKAGE:
        *(hsa_symbol_linkage_t *)value =
            s->binding == LOCAL ? HSA_SYMBOL_LINKAGE_MODULE : HSA_SYMBOL_LINKAGE_PROGRAM;
        break;
    case HSA_CODE_SYMBOL_INFO_IS_DEFINITION: *(bool *)value = true; break;
    case HSA_CODE_SYMBOL_INFO_VARIABLE_ALLOCATION:
        *(hsa_variable_allocation_t *)value = HSA_VARIABLE_ALLOCATION_AGENT;
        break;
    case HSA_CODE_SYMBOL_INFO_VARIABLE_SEGMENT:
        *(hsa_variable_segment_t *)value = HSA_VARIABLE_SEGMENT_GLOBAL;
        break;
    case HSA_CODE_SYMBOL_INFO_VARIABLE_ALIGNMENT: {
        uint64_t align =
            s->value & -s->value; /* what the address has; ELF does not keep what was asked for */
        *(uint32_t *)value = align == 0 || align > 256 ? 256 : (uint32_t)align;
        break;
    }
    case HSA_CODE_SYMBOL_INFO_VARIABLE_SIZE: *(uint32_t *)value = (uint32_t)s->size; break;
    case HSA_CODE_SYMBOL_INFO_VARIABLE_IS_CONST: *(bool *)value = false; break;
    default: return k ? kernel_info(k, attribute, value) : HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_symbol_get_info(hsa_executable_symbol_t handle,
                                            hsa_executable_symbol_info_t attribute, void *value) {
    EZ_NEED_INIT();
    const ez_exec_symbol *s = (const ez_exec_symbol *)(uintptr_t)handle.handle;
    if (!s) return HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL;
    if (!value) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    uint64_t base = ez_module_base(s->loaded->module);
    switch ((uint32_t)attribute) {
    case HSA_EXECUTABLE_SYMBOL_INFO_AGENT: *(hsa_agent_t *)value = ez_agent_handle(s->loaded->agent); break;
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS:
        if (s->kernel) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
        *(uint64_t *)value = base + s->symbol->value;
        break;
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT:
        if (!s->kernel) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
        *(uint64_t *)value = base + s->kernel->descriptor_address;
        break;
    default: return symbol_info(s->symbol, s->kernel, (uint32_t)attribute, value);
    }
    return HSA_STATUS_SUCCESS;
}
