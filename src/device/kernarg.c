/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a kernel finds in memory when it starts: its arguments with the hidden ones behind them, the
 * dispatch packet, and the queue. Source: [LLVM] AMDGPUUsage, "Code Object V3 Metadata" and "V5
 * Metadata" (hidden arguments); HSA Runtime Specification, "Kernel dispatch packet".
 */
#define _POSIX_C_SOURCE 200809L
#include "device/launch.h"

#include <inttypes.h>
#include <string.h>

/* Little-endian, cut to the bytes that the argument has. */
static void put(uint8_t *at, uint32_t size, uint64_t value) {
    for (uint32_t i = 0; i < size; i++)
        at[i] = i < 8 ? (uint8_t)(value >> (8 * i)) : 0;
}

static uint64_t hidden_value(const ez_launch *l, ez_value_kind kind) {
    const ez_dispatch *d = l->dispatch;
    switch (kind) {
    case EZ_VALUE_HIDDEN_GLOBAL_OFFSET_X: return d->global_offset[0];
    case EZ_VALUE_HIDDEN_GLOBAL_OFFSET_Y: return d->global_offset[1];
    case EZ_VALUE_HIDDEN_GLOBAL_OFFSET_Z: return d->global_offset[2];
    /* full workgroups only; a partial one counts as the remainder */
    case EZ_VALUE_HIDDEN_BLOCK_COUNT_X: return l->grid[0] / l->block[0];
    case EZ_VALUE_HIDDEN_BLOCK_COUNT_Y: return l->grid[1] / l->block[1];
    case EZ_VALUE_HIDDEN_BLOCK_COUNT_Z: return l->grid[2] / l->block[2];
    case EZ_VALUE_HIDDEN_GROUP_SIZE_X: return l->block[0];
    case EZ_VALUE_HIDDEN_GROUP_SIZE_Y: return l->block[1];
    case EZ_VALUE_HIDDEN_GROUP_SIZE_Z: return l->block[2];
    case EZ_VALUE_HIDDEN_REMAINDER_X: return l->grid[0] % l->block[0];
    case EZ_VALUE_HIDDEN_REMAINDER_Y: return l->grid[1] % l->block[1];
    case EZ_VALUE_HIDDEN_REMAINDER_Z: return l->grid[2] % l->block[2];
    case EZ_VALUE_HIDDEN_GRID_DIMS: return l->dimensions;
    case EZ_VALUE_HIDDEN_DYNAMIC_LDS_SIZE: return d->dynamic_lds;
    case EZ_VALUE_HIDDEN_PRIVATE_BASE: return EZ_PRIVATE_APERTURE >> 32;
    case EZ_VALUE_HIDDEN_SHARED_BASE: return EZ_SHARED_APERTURE >> 32;
    case EZ_VALUE_HIDDEN_QUEUE_PTR: return l->queue_address;
    case EZ_VALUE_HIDDEN_HOSTCALL_BUFFER: return d->hostcall_buffer;
    case EZ_VALUE_HIDDEN_PRINTF_BUFFER: return d->printf_buffer;
    case EZ_VALUE_HIDDEN_HEAP_V1: return d->heap;
    default: return 0;
    }
}

/* Where the explicit arguments end. */
static uint32_t explicit_size(const ez_kernel *kernel, uint32_t segment) {
    const ez_kernel_metadata *m = kernel->metadata;
    if (!m) return segment;
    uint32_t end = 0, first_hidden = segment;
    for (uint32_t i = 0; i < m->arg_count; i++) {
        const ez_kernel_arg *a = &m->args[i];
        if (ez_value_kind_is_hidden(a->value_kind)) {
            if (a->offset < first_hidden) first_hidden = a->offset;
        } else if (a->offset + a->size > end) {
            end = a->offset + a->size;
        }
    }
    /* Trailing padding of the last argument may come with the caller's struct. */
    return end < first_hidden ? first_hidden : end;
}

static void put_libclc_arguments(const ez_launch *l, uint8_t *bytes, uint32_t segment, uint32_t at) {
    if (at > segment || segment - at < 16) return;
    put(bytes + at, 4, l->dimensions);
    for (unsigned i = 0; i < 3; i++)
        put(bytes + at + 4 + 4 * i, 4, l->dispatch->global_offset[i]);
}

ez_status ez_launch_kernarg(ez_launch *l, ez_error *err) {
    const ez_dispatch *d = l->dispatch;
    const ez_kernel_metadata *m = l->kernel->metadata;
    if (!d->queue_ptr) {
        /* before the arguments, for one of them is its address; filled in with the packet */
        ez_status status = ez_device_allocate(l->device, 256, 256, "queue", &l->queue, err);
        if (status != EZ_OK) return status;
    }
    l->queue_address = d->queue_ptr ? d->queue_ptr : (uint64_t)(uintptr_t)l->queue;
    l->kernarg_address = d->kernarg_address;
    if (d->kernarg_address) return EZ_OK;
    uint32_t segment = l->kernel->descriptor.kernarg_size;
    if (m && m->kernarg_segment_size > segment) segment = m->kernarg_segment_size;
    uint32_t room = explicit_size(l->kernel, segment);
    if (!m && segment == 0) segment = room = (uint32_t)(d->kernarg_size <= 4096 ? d->kernarg_size : 4096);
    if (d->kernarg_size > room)
        return ez_error_set(err, EZ_ERR_ARGUMENT,
                            "%zu bytes of arguments overflow the kernarg segment of %.80s,"
                            " which has %" PRIu32 " bytes for them",
                            d->kernarg_size, l->kernel->name, room);
    if (d->kernarg_size && !d->kernarg)
        return ez_error_set(err, EZ_ERR_ARGUMENT, "kernarg is NULL, kernarg_size is not 0");
    ez_status status = ez_device_allocate(l->device, segment, 256, "kernarg", &l->kernarg, err);
    if (status != EZ_OK) return status;
    uint8_t *bytes = l->kernarg;
    uint32_t first_hidden = segment;
    if (d->kernarg_size) memcpy(bytes, d->kernarg, d->kernarg_size);
    for (uint32_t i = 0; m && i < m->arg_count; i++) {
        const ez_kernel_arg *a = &m->args[i];
        if (!ez_value_kind_is_hidden(a->value_kind) || a->size > segment ||
            a->offset > segment - a->size)
            continue;
        put(bytes + a->offset, a->size, hidden_value(l, a->value_kind));
        if (a->offset < first_hidden) first_hidden = a->offset;
    }
    if (ez_launch_takes_libclc_arguments(l, first_hidden)) put_libclc_arguments(l, bytes, segment, first_hidden);
    l->kernarg_address = (uint64_t)(uintptr_t)bytes;
    return EZ_OK;
}

/* hsa_kernel_dispatch_packet_t, 64 bytes. */
static void fill_packet(const ez_launch *l, uint8_t *p) {
    enum { TYPE_KERNEL_DISPATCH = 2 };
    put(p + 0, 2, TYPE_KERNEL_DISPATCH);
    put(p + 2, 2, l->dimensions);
    for (unsigned i = 0; i < 3; i++) {
        put(p + 4 + 2 * i, 2, l->block[i]);
        put(p + 12 + 4 * i, 4, l->grid[i]);
    }
    put(p + 24, 4, l->private_size);
    put(p + 28, 4, l->lds_size);
    put(p + 32, 8, ez_module_base(l->dispatch->module) + l->kernel->descriptor_address);
    put(p + 40, 8, l->kernarg_address);
}

/* The fields of amd_queue_t that compiled code reads. Source: [LLVM] lowering of address space casts for code
 * objects before version 5: the apertures' high halves at 0x40 and 0x44. */
static void fill_queue(const ez_launch *l, uint8_t *q) {
    put(q + 0x08, 8, l->packet_address); /* base_address */
    put(q + 0x18, 4, 1);                 /* size, packets */
    put(q + 0x40, 4, EZ_SHARED_APERTURE >> 32);
    put(q + 0x44, 4, EZ_PRIVATE_APERTURE >> 32);
}

ez_status ez_launch_packet(ez_launch *l, ez_error *err) {
    const ez_dispatch *d = l->dispatch;
    l->packet_address = d->dispatch_ptr;
    if (!d->dispatch_ptr) {
        ez_status status = ez_device_allocate(l->device, 64, 64, "dispatch packet", &l->packet, err);
        if (status != EZ_OK) return status;
        l->packet_address = (uint64_t)(uintptr_t)l->packet;
        fill_packet(l, l->packet);
    }
    if (l->queue) fill_queue(l, l->queue);
    return EZ_OK;
}
