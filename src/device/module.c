/* SPDX-License-Identifier: Apache-2.0 */
/* Code objects in device memory: segments, relocations, programs. */
#define _POSIX_C_SOURCE 200809L
#include "device/device_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* No real code object comes near; a hostile one must not take the host's memory. */
#define MAX_IMAGE (UINT64_C(4) << 30)
enum { PAGE = 4096, MAX_SEGMENT_ALIGNMENT = 1 << 20 };

static const char *segment_label(const ez_segment *segment) {
    if (segment->flags & EZ_SEGMENT_EXECUTE) return "code";
    return segment->flags & EZ_SEGMENT_WRITE ? "module data" : "module constants";
}

/* ELF's flags are read 4, write 2, execute 1. Code is readable as well: constants lie between it. */
static unsigned memory_flags(const ez_segment *segment) {
    unsigned flags = EZ_MEMORY_READ;
    if (segment->flags & EZ_SEGMENT_WRITE) flags |= EZ_MEMORY_WRITE;
    if (segment->flags & EZ_SEGMENT_EXECUTE) flags |= EZ_MEMORY_EXECUTE;
    return flags;
}

/* Bytes and alignment that the whole object takes from its address 0 on. */
static ez_status image_size(const ez_segment *segments, size_t count, uint64_t *size,
                            uint64_t *alignment, ez_error *err) {
    *size = 0;
    *alignment = PAGE;
    for (size_t i = 0; i < count; i++) {
        const ez_segment *s = &segments[i];
        if (s->address > MAX_IMAGE || s->memory_size > MAX_IMAGE - s->address)
            return ez_error_set(err, EZ_ERR_LIMIT,
                                "segment of %" PRIu64 " bytes at 0x%" PRIx64 " is beyond 4 GiB",
                                s->memory_size, s->address);
        if (s->address + s->memory_size > *size) *size = s->address + s->memory_size;
        if (s->alignment > *alignment && s->alignment <= MAX_SEGMENT_ALIGNMENT)
            *alignment = s->alignment;
    }
    return EZ_OK;
}

static ez_status copy_segments(ez_module *module, const ez_segment *segments, size_t count,
                               ez_error *err) {
    for (size_t i = 0; i < count; i++) {
        const ez_segment *s = &segments[i];
        uint64_t address = module->base + s->address;
        if (s->memory_size) {
            ez_status status = ez_device_add_range(module->device, address, s->memory_size,
                                                   memory_flags(s), segment_label(s), NULL, err);
            if (status == EZ_ERR_ARGUMENT)
                return ez_error_at(err, EZ_ERR_FORMAT, s->file_offset, "segments overlap");
            if (status != EZ_OK) return status;
            memcpy((void *)(uintptr_t)address, s->bytes, (size_t)s->file_size);
            if (s->flags & EZ_SEGMENT_EXECUTE)
                module->code[module->code_count++] =
                    (struct ez_module_code){.address = address, .size = s->memory_size};
        }
        module->range_count++;
    }
    return EZ_OK;
}

static ez_status symbol_address(const ez_module *module, const ez_symbol *symbol,
                                uint64_t *address, ez_error *err) {
    enum { WEAK = 2 };
    *address = 0;
    if (!symbol) return EZ_OK;
    if (symbol->section == EZ_SECTION_UNDEFINED) {
        if (module->resolve && module->resolve(symbol->name, address, module->resolve_user)) return EZ_OK;
        *address = 0;
        if (symbol->binding == WEAK || !symbol->name[0]) return EZ_OK;
        return ez_error_set(err, EZ_ERR_NOT_FOUND, "undefined symbol %.160s", symbol->name);
    }
    bool fixed = symbol->section == EZ_SECTION_ABSOLUTE || symbol->section == EZ_SECTION_LDS;
    *address = symbol->value + (fixed ? 0 : module->base);
    return EZ_OK;
}

static ez_status relocate(ez_module *module, uint64_t image, ez_error *err) {
    size_t count;
    const ez_relocation *relocations = ez_object_relocations(module->object, &count);
    for (size_t i = 0; i < count; i++) {
        const ez_relocation *r = &relocations[i];
        uint64_t symbol, value, place = module->base + r->offset;
        unsigned width;
        ez_status status = symbol_address(module, r->symbol, &symbol, err);
        if (status == EZ_OK)
            status = ez_relocation_resolve(r, symbol, place, module->base, &value, &width, err);
        if (status != EZ_OK) return status;
        if (width > image || r->offset > image - width)
            return ez_error_at(err, EZ_ERR_FORMAT, r->offset, "relocation outside the object");
        for (unsigned b = 0; b < width; b++)
            module->block[place - (uint64_t)(uintptr_t)module->block + b] =
                (uint8_t)(value >> (8 * b));
    }
    return EZ_OK;
}

static ez_status place_image(ez_module *module, ez_error *err) {
    size_t count;
    const ez_segment *segments = ez_object_segments(module->object, &count);
    uint64_t size, alignment;
    ez_status status = image_size(segments, count, &size, &alignment, err);
    if (status != EZ_OK) return status;
    module->code = calloc(count + 1, sizeof *module->code);
    module->block = calloc(1, (size_t)(size + alignment + PAGE));
    if (!module->code || !module->block)
        return ez_error_set(err, EZ_ERR_NOMEM, "no memory for a module of %" PRIu64 " bytes", size);
    module->base = ((uint64_t)(uintptr_t)module->block + alignment - 1) & ~(alignment - 1);
    status = copy_segments(module, segments, count, err);
    return status == EZ_OK ? relocate(module, size, err) : status;
}

ez_status ez_module_load(ez_device *device, const ez_object *object, ez_module **out,
                         ez_error *err) {
    return ez_module_load_with(device, object, NULL, NULL, out, err);
}

ez_status ez_module_load_with(ez_device *device, const ez_object *object, ez_resolve_symbol resolve, void *user,
                              ez_module **out, ez_error *err) {
    if (!out) return ez_error_set(err, EZ_ERR_ARGUMENT, "no place for the module");
    *out = NULL;
    if (!device || !object)
        return ez_error_set(err, EZ_ERR_ARGUMENT, "a module needs a device and a code object");
    if (ez_object_is_relocatable(object))
        return ez_error_set(err, EZ_ERR_UNSUPPORTED,
                            "a relocatable object cannot be loaded: link it first (ld.lld -shared)");
    ez_target_id id = {.processor = ""};
    const char *name = ez_target_name(device->target);
    memcpy(id.processor, name, strnlen(name, EZ_PROCESSOR_NAME_MAX));
    if (!ez_target_id_match(ez_object_target_id(object), &id))
        return ez_error_set(err, EZ_ERR_ARGUMENT, "code for %s cannot run on a %s device",
                            ez_object_target_id(object)->processor, name);
    ez_module *module = calloc(1, sizeof *module);
    if (!module) return ez_error_set(err, EZ_ERR_NOMEM, "out of memory for a module");
    module->device = device;
    module->object = object;
    module->resolve = resolve;
    module->resolve_user = user;
    pthread_mutex_init(&module->lock, NULL);
    pthread_rwlock_wrlock(&device->lock);
    module->next = device->modules;
    device->modules = module;
    pthread_rwlock_unlock(&device->lock);
    ez_status status = place_image(module, err);
    module->resolve = NULL; /* the caller's, for the load alone */
    if (status != EZ_OK) {
        ez_module_unload(module);
        return status;
    }
    *out = module;
    return EZ_OK;
}

void ez_module_unload(ez_module *module) {
    if (!module) return;
    ez_device *device = module->device;
    pthread_rwlock_wrlock(&device->lock);
    for (ez_module **m = &device->modules; *m; m = &(*m)->next)
        if (*m == module) {
            *m = module->next;
            break;
        }
    pthread_rwlock_unlock(&device->lock);
    size_t count;
    const ez_segment *segments = ez_object_segments(module->object, &count);
    for (size_t i = 0; i < module->range_count; i++) {
        void *owned;
        if (segments[i].memory_size)
            ez_device_remove_range(device, module->base + segments[i].address, false, &owned);
    }
    for (size_t i = 0; i < module->code_count; i++)
        for (unsigned w = 0; w < 2; w++)
            ez_program_destroy(module->code[i].program[w]);
    free(module->code);
    free(module->block);
    pthread_mutex_destroy(&module->lock);
    free(module);
}

const ez_object *ez_module_object(const ez_module *module) { return module->object; }
uint64_t ez_module_base(const ez_module *module) { return module->base; }

ez_status ez_module_symbol(const ez_module *module, const char *name, uint64_t *address,
                           uint64_t *size, ez_error *err) {
    const ez_symbol *symbol = ez_object_find_symbol(module->object, name);
    if (!symbol) return ez_error_set(err, EZ_ERR_NOT_FOUND, "no symbol %.160s", name);
    if (size) *size = symbol->size;
    return symbol_address(module, symbol, address, err);
}

ez_status ez_module_program(ez_module *module, uint64_t address, unsigned lanes,
                            ez_program **program, ez_error *err) {
    *program = NULL;
    for (size_t i = 0; i < module->code_count; i++) {
        struct ez_module_code *code = &module->code[i];
        if (address - code->address >= code->size) continue;
        ez_program **slot = &code->program[lanes == 64];
        ez_status status = EZ_OK;
        pthread_mutex_lock(&module->lock);
        if (!*slot)
            status = ez_program_create(module->device->target, lanes,
                                       (const void *)(uintptr_t)code->address, (size_t)code->size,
                                       code->address, 0, slot);
        *program = *slot;
        pthread_mutex_unlock(&module->lock);
        if (status == EZ_OK) return EZ_OK;
        return ez_error_set(err, status, "no program for the code at 0x%" PRIx64 ": %s", address,
                            status == EZ_ERR_UNSUPPORTED ? "EXECZ_SIMD names no SIMD level that build and host have"
                                                         : ez_status_text(status));
    }
    return ez_error_set(err, EZ_ERR_FORMAT, "the kernel's entry 0x%" PRIx64
                        " is not in an executable segment", address - module->base);
}
