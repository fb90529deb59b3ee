/* SPDX-License-Identifier: Apache-2.0 */
/* Executables: code objects in the memory of agents. A load puts the object in place at once; to freeze only marks. */
#define _GNU_SOURCE
#include "hsa/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ez_executable *ez_executable_of(hsa_executable_t handle) {
    for (ez_executable *e = ez_rt.executables; e; e = e->next)
        if ((uint64_t)(uintptr_t)e == handle.handle) return e;
    return NULL;
}

/* ---- making and destroying ---- */

hsa_status_t hsa_executable_create_alt(hsa_profile_t profile, hsa_default_float_rounding_mode_t rounding,
                                       const char *options, hsa_executable_t *executable) {
    EZ_NEED_INIT();
    (void)options; /* vendor specific; none is known */
    if (!executable || profile > HSA_PROFILE_FULL || rounding > HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    ez_executable *e = calloc(1, sizeof *e);
    if (!e) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    e->profile = profile;
    e->rounding = rounding;
    pthread_rwlock_wrlock(&ez_rt.loader_lock);
    e->next = ez_rt.executables;
    ez_rt.executables = e;
    pthread_rwlock_unlock(&ez_rt.loader_lock);
    *executable = ez_executable_handle(e);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_create(hsa_profile_t profile, hsa_executable_state_t state, const char *options,
                                   hsa_executable_t *executable) {
    if (state > HSA_EXECUTABLE_STATE_FROZEN) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsa_status_t status =
        hsa_executable_create_alt(profile, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, options, executable);
    if (status == HSA_STATUS_SUCCESS && state == HSA_EXECUTABLE_STATE_FROZEN)
        ((ez_executable *)(uintptr_t)executable->handle)->frozen = true;
    return status;
}

static void free_loaded(ez_loaded *l) {
    ez_trace_module(l->module);
    ez_module_unload(l->module);
    ez_object_close(l->object);
    ez_code_drop(l->code);
    free(l->symbol);
    free(l);
}

static void free_executable(ez_executable *e) {
    while (e->loaded) {
        ez_loaded *l = e->loaded;
        e->loaded = l->next;
        free_loaded(l);
    }
    while (e->definitions) {
        ez_definition *d = e->definitions;
        e->definitions = d->next;
        free(d->name);
        free(d);
    }
    free(e);
}

hsa_status_t hsa_executable_destroy(hsa_executable_t handle) {
    EZ_NEED_INIT();
    ez_executable *found = NULL;
    pthread_rwlock_wrlock(&ez_rt.loader_lock);
    for (ez_executable **e = &ez_rt.executables; *e; e = &(*e)->next)
        if ((uint64_t)(uintptr_t)*e == handle.handle) {
            found = *e;
            *e = found->next;
            break;
        }
    if (found) free_executable(found);
    pthread_rwlock_unlock(&ez_rt.loader_lock);
    return found ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_EXECUTABLE;
}

void ez_executables_free(void) {
    while (ez_rt.executables) {
        ez_executable *e = ez_rt.executables;
        ez_rt.executables = e->next;
        free_executable(e);
    }
}

/* ---- loading ---- */

/* Finds what the client defined for a symbol that the object lacks. */
struct scope {
    const ez_executable *executable;
    const ez_agent *agent;
};

static bool resolve(const char *name, uint64_t *address, void *user) {
    const struct scope *scope = user;
    for (const ez_definition *d = scope->executable->definitions; d; d = d->next)
        if ((!d->agent || d->agent == scope->agent) && !strcmp(d->name, name)) {
            *address = d->address;
            return true;
        }
    return false;
}

static const ez_kernel *kernel_of(const ez_object *object, const ez_symbol *symbol) {
    size_t count;
    const ez_kernel *kernels = ez_object_kernels(object, &count);
    for (size_t i = 0; i < count; i++)
        if (kernels[i].descriptor_symbol == symbol) return &kernels[i];
    return NULL;
}

static bool list_symbols(ez_loaded *l) {
    enum { LOCAL = 0 };
    size_t count;
    const ez_symbol *symbols = ez_object_symbols(l->object, &count);
    l->symbol = calloc(count + 1, sizeof *l->symbol);
    if (!l->symbol) return false;
    for (size_t i = 0; i < count; i++) {
        const ez_symbol *s = &symbols[i];
        const ez_kernel *kernel = kernel_of(l->object, s);
        bool variable =
            s->type == EZ_SYMBOL_OBJECT && s->binding != LOCAL && s->section != EZ_SECTION_UNDEFINED;
        if (kernel || variable) l->symbol[l->symbol_count++] = (ez_exec_symbol){l, s, kernel};
    }
    return true;
}

static hsa_status_t open_and_place(ez_loaded *l, ez_error *err) {
    ez_status status = ez_object_open_memory(l->code->bytes, l->code->size, &l->object, err);
    if (status != EZ_OK) return ez_hsa_status(status);
    if (!ez_target_id_match(ez_object_target_id(l->object), &l->agent->id)) {
        char id[64];
        snprintf(err->message, sizeof err->message, "code for %s cannot run on %s",
                 ez_target_id_print(ez_object_target_id(l->object), id, sizeof id), l->agent->isa);
        return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
    }
    struct scope scope = {l->executable, l->agent};
    status = ez_module_load_with(l->agent->device, l->object, resolve, &scope, &l->module, err);
    if (status != EZ_OK) return ez_hsa_status(status);
    size_t count;
    const ez_segment *segments = ez_object_segments(l->object, &count);
    for (size_t i = 0; i < count; i++)
        if (segments[i].address + segments[i].memory_size > l->size)
            l->size = segments[i].address + segments[i].memory_size;
    return list_symbols(l) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

hsa_status_t ez_executable_load(ez_executable *e, ez_agent *agent, ez_code *code, ez_loaded **out) {
    ez_error err = {.message = ""};
    ez_loaded *l = calloc(1, sizeof *l);
    if (!l) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    l->executable = e;
    l->agent = agent;
    l->code = code;
    atomic_fetch_add(&code->users, 1);
    hsa_status_t status = open_and_place(l, &err);
    if (status != HSA_STATUS_SUCCESS) {
        /* HSA has no place for the reason, and the program sees only that loading failed. */
        if (err.message[0]) fprintf(stderr, "execz: loading a code object: %s\n", err.message);
        free_loaded(l);
        return status;
    }
    ez_loaded **last = &e->loaded;
    while (*last)
        last = &(*last)->next;
    *last = l;
    *out = l;
    return status;
}

static hsa_status_t load(hsa_executable_t executable, hsa_agent_t agent_handle, ez_code *code,
                         hsa_loaded_code_object_t *loaded) {
    ez_agent *agent = ez_agent_of(agent_handle);
    if (!agent || !agent->device) return HSA_STATUS_ERROR_INVALID_AGENT;
    ez_loaded *l = NULL;
    pthread_rwlock_wrlock(&ez_rt.loader_lock);
    ez_executable *e = ez_executable_of(executable);
    hsa_status_t status = !e          ? HSA_STATUS_ERROR_INVALID_EXECUTABLE
                          : e->frozen ? HSA_STATUS_ERROR_FROZEN_EXECUTABLE
                                      : ez_executable_load(e, agent, code, &l);
    pthread_rwlock_unlock(&ez_rt.loader_lock);
    if (loaded) loaded->handle = (uint64_t)(uintptr_t)l;
    return status;
}

hsa_status_t hsa_executable_load_agent_code_object(hsa_executable_t executable, hsa_agent_t agent,
                                                   hsa_code_object_reader_t reader, const char *options,
                                                   hsa_loaded_code_object_t *loaded) {
    EZ_NEED_INIT();
    (void)options;
    if (!reader.handle) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER;
    return load(executable, agent, (ez_code *)(uintptr_t)reader.handle, loaded);
}

hsa_status_t hsa_executable_load_code_object(hsa_executable_t executable, hsa_agent_t agent,
                                             hsa_code_object_t code, const char *options) {
    EZ_NEED_INIT();
    (void)options;
    if (!code.handle) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    return load(executable, agent, (ez_code *)(uintptr_t)code.handle, NULL);
}

/* Program code objects hold variables for all agents; no compiler makes them. */
hsa_status_t hsa_executable_load_program_code_object(hsa_executable_t executable,
                                                     hsa_code_object_reader_t reader, const char *options,
                                                     hsa_loaded_code_object_t *loaded) {
    EZ_NEED_INIT();
    (void)executable;
    (void)reader;
    (void)options;
    (void)loaded;
    return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
}

/* ---- state ---- */

hsa_status_t hsa_executable_freeze(hsa_executable_t handle, const char *options) {
    EZ_NEED_INIT();
    (void)options;
    pthread_rwlock_wrlock(&ez_rt.loader_lock);
    ez_executable *e = ez_executable_of(handle);
    hsa_status_t status = !e          ? HSA_STATUS_ERROR_INVALID_EXECUTABLE
                          : e->frozen ? HSA_STATUS_ERROR_FROZEN_EXECUTABLE
                                      : HSA_STATUS_SUCCESS;
    if (e) e->frozen = true;
    pthread_rwlock_unlock(&ez_rt.loader_lock);
    return status;
}

hsa_status_t hsa_executable_get_info(hsa_executable_t handle, hsa_executable_info_t attribute, void *value) {
    EZ_NEED_INIT();
    if (!value) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsa_status_t status = HSA_STATUS_SUCCESS;
    pthread_rwlock_rdlock(&ez_rt.loader_lock);
    const ez_executable *e = ez_executable_of(handle);
    if (!e) status = HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    else if (attribute == HSA_EXECUTABLE_INFO_PROFILE) *(hsa_profile_t *)value = e->profile;
    else if (attribute == HSA_EXECUTABLE_INFO_STATE)
        *(hsa_executable_state_t *)value =
            e->frozen ? HSA_EXECUTABLE_STATE_FROZEN : HSA_EXECUTABLE_STATE_UNFROZEN;
    else if (attribute == HSA_EXECUTABLE_INFO_DEFAULT_FLOAT_ROUNDING_MODE)
        *(hsa_default_float_rounding_mode_t *)value = e->rounding;
    else status = HSA_STATUS_ERROR_INVALID_ARGUMENT;
    pthread_rwlock_unlock(&ez_rt.loader_lock);
    return status;
}

hsa_status_t hsa_executable_validate_alt(hsa_executable_t handle, const char *options, uint32_t *result) {
    EZ_NEED_INIT();
    (void)options;
    if (!result) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    pthread_rwlock_rdlock(&ez_rt.loader_lock);
    bool valid = ez_executable_of(handle) != NULL;
    pthread_rwlock_unlock(&ez_rt.loader_lock);
    *result = 0; /* what could be wrong was refused when it was loaded */
    return valid ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_EXECUTABLE;
}

hsa_status_t hsa_executable_validate(hsa_executable_t handle, uint32_t *result) {
    return hsa_executable_validate_alt(handle, NULL, result);
}

/* ---- variables that the client defines ---- */

static hsa_status_t define(hsa_executable_t handle, ez_agent *agent, const char *name, void *address) {
    if (!name || !*name) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    ez_definition *d = calloc(1, sizeof *d);
    char *copy = strdup(name);
    hsa_status_t status = d && copy ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    pthread_rwlock_wrlock(&ez_rt.loader_lock);
    ez_executable *e = ez_executable_of(handle);
    uint64_t old;
    struct scope scope = {e, agent};
    if (!e) status = HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    else if (e->frozen) status = HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
    else if (resolve(name, &old, &scope)) status = HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED;
    if (status == HSA_STATUS_SUCCESS) {
        *d = (ez_definition){agent, copy, (uint64_t)(uintptr_t)address, e->definitions};
        e->definitions = d;
    }
    pthread_rwlock_unlock(&ez_rt.loader_lock);
    if (status != HSA_STATUS_SUCCESS) {
        free(copy);
        free(d);
    }
    return status;
}

hsa_status_t hsa_executable_global_variable_define(hsa_executable_t executable, const char *name,
                                                   void *address) {
    EZ_NEED_INIT();
    return define(executable, NULL, name, address);
}

hsa_status_t hsa_executable_agent_global_variable_define(hsa_executable_t executable, hsa_agent_t handle,
                                                         const char *name, void *address) {
    EZ_NEED_INIT();
    ez_agent *agent = ez_agent_of(handle);
    return agent ? define(executable, agent, name, address) : HSA_STATUS_ERROR_INVALID_AGENT;
}

hsa_status_t hsa_executable_readonly_variable_define(hsa_executable_t executable, hsa_agent_t agent,
                                                     const char *name, void *address) {
    return hsa_executable_agent_global_variable_define(executable, agent, name, address);
}

/* ---- kernels by descriptor ---- */

bool ez_kernel_at(uint64_t descriptor, ez_agent *agent, const ez_module **module, const ez_kernel **kernel) {
    bool found = false;
    pthread_rwlock_rdlock(&ez_rt.loader_lock);
    for (const ez_executable *e = ez_rt.executables; e && !found; e = e->next)
        for (const ez_loaded *l = e->loaded; l && !found; l = l->next) {
            uint64_t address = descriptor - ez_module_base(l->module);
            size_t count = 0;
            const ez_kernel *kernels = NULL;
            if (l->agent == agent && address < l->size) kernels = ez_object_kernels(l->object, &count);
            for (size_t i = 0; i < count && !found; i++)
                if (kernels[i].descriptor_address == address) {
                    *module = l->module;
                    *kernel = &kernels[i];
                    found = true;
                }
        }
    pthread_rwlock_unlock(&ez_rt.loader_lock);
    return found;
}
