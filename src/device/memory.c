/* SPDX-License-Identifier: Apache-2.0 */
/* The device's memory: which ranges of host memory kernels may use, and finding the one of an access. */
#define _POSIX_C_SOURCE 200809L
#include "device/device_internal.h"

#include <stdlib.h>
#include <string.h>

enum { GUARD = 256, DEFAULT_ALIGNMENT = 256, MAX_ALIGNMENT = 1 << 20 };
#define MAX_SIZE (UINT64_C(1) << 40) /* a buffer of 1 TiB: more than any GPU of today holds */

ez_status ez_device_create(const ez_target *target, ez_device **out, ez_error *err) {
    if (!out) return ez_error_set(err, EZ_ERR_ARGUMENT, "no place for the device");
    *out = NULL;
    if (!target) return ez_error_set(err, EZ_ERR_ARGUMENT, "a device needs a target");
    ez_device *device = calloc(1, sizeof *device);
    if (!device || pthread_rwlock_init(&device->lock, NULL)) {
        free(device);
        return ez_error_set(err, EZ_ERR_NOMEM, "out of memory for a device");
    }
    device->target = target;
    *out = device;
    return EZ_OK;
}

void ez_device_destroy(ez_device *device) {
    if (!device) return;
    while (device->modules)
        ez_module_unload(device->modules);
    for (size_t i = 0; i < device->range_count; i++)
        free(device->ranges[i].owned);
    free(device->ranges);
    pthread_rwlock_destroy(&device->lock);
    free(device);
}

const ez_target *ez_device_target(const ez_device *device) { return device->target; }

/* ---- the sorted table ---- */

/* Index of the first range that begins behind `address`. Call with the lock held. */
static size_t first_behind(const ez_device *device, uint64_t address) {
    size_t low = 0, high = device->range_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (device->ranges[middle].range.address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool make_room(ez_device *device) {
    if (device->range_count < device->range_room) return true;
    size_t room = device->range_room ? 2 * device->range_room : 16;
    void *ranges = realloc(device->ranges, room * sizeof *device->ranges);
    if (!ranges) return false;
    device->ranges = ranges;
    device->range_room = room;
    return true;
}

static void set_label(ez_range *range, const char *label) {
    for (size_t i = 0; i + 1 < sizeof range->label && label[i]; i++)
        range->label[i] = label[i];
}

/* Whether all ranges in [address, address + size) are registered ones that lie inside it; *count of them begin at
 * `at`. Call with the lock held. */
static bool covers(const ez_device *device, size_t at, uint64_t address, uint64_t size, size_t *count) {
    for (*count = 0; at + *count < device->range_count; ++*count) {
        const struct ez_range_entry *e = &device->ranges[at + *count];
        uint64_t offset = e->range.address - address;
        if (offset >= size) break;
        if (e->owned || e->range.size > size - offset) return false;
    }
    return true;
}

/* Puts a range into the list; `over`: in place of the registered ones that lie inside it. */
static ez_status insert(ez_device *device, struct ez_range_entry entry, const char *label, bool over, ez_error *err) {
    uint64_t address = entry.range.address, size = entry.range.size;
    if (size == 0 || address + size < address)
        return ez_error_set(err, EZ_ERR_ARGUMENT, "a memory range must not be empty or wrap");
    set_label(&entry.range, label ? label : "");
    pthread_rwlock_wrlock(&device->lock);
    size_t at = first_behind(device, address), count;
    if (at && device->ranges[at - 1].range.address == address) at--;
    ez_status status = EZ_OK;
    const ez_range *before = at ? &device->ranges[at - 1].range : NULL;
    if ((before && address - before->address < before->size) || !covers(device, at, address, size, &count) ||
        (count && !over)) {
        status = ez_error_set(err, EZ_ERR_ARGUMENT, "memory at 0x%llx overlaps a known range",
                              (unsigned long long)address);
    } else if (!make_room(device)) {
        status = ez_error_set(err, EZ_ERR_NOMEM, "out of memory for the list of ranges");
    } else {
        struct ez_range_entry *place = device->ranges + at;
        memmove(place + 1, place + count, (device->range_count - at - count) * sizeof *place);
        *place = entry;
        device->range_count = device->range_count + 1 - count;
        atomic_fetch_add(&device->generation, 1);
    }
    pthread_rwlock_unlock(&device->lock);
    return status;
}

ez_status ez_device_register_over(ez_device *device, void *pointer, uint64_t size, unsigned flags,
                                  const char *label, ez_error *err) {
    struct ez_range_entry entry = {
        .range = {.address = (uint64_t)(uintptr_t)pointer, .size = size, .flags = flags}};
    return insert(device, entry, label ? label : "registered", true, err);
}

ez_status ez_device_add_range(ez_device *device, uint64_t address, uint64_t size, unsigned flags,
                              const char *label, void *owned, ez_error *err) {
    struct ez_range_entry entry = {.range = {.address = address, .size = size, .flags = flags},
                                   .owned = owned};
    return insert(device, entry, label, false, err);
}

bool ez_device_remove_range(ez_device *device, uint64_t address, bool must_own, void **owned) {
    pthread_rwlock_wrlock(&device->lock);
    size_t at = first_behind(device, address);
    bool found = at && device->ranges[at - 1].range.address == address &&
                 must_own == (device->ranges[at - 1].owned != NULL);
    if (found) {
        struct ez_range_entry *place = device->ranges + at - 1;
        *owned = place->owned;
        memmove(place, place + 1, (device->range_count - at) * sizeof *place);
        device->range_count--;
        atomic_fetch_add(&device->generation, 1);
    }
    pthread_rwlock_unlock(&device->lock);
    return found;
}

/* ---- allocation ---- */

ez_status ez_device_allocate(ez_device *device, uint64_t size, uint64_t alignment,
                             const char *label, void **pointer, ez_error *err) {
    if (!pointer) return ez_error_set(err, EZ_ERR_ARGUMENT, "no place for the pointer");
    *pointer = NULL;
    if (alignment == 0) alignment = DEFAULT_ALIGNMENT;
    if (alignment & (alignment - 1) || alignment > MAX_ALIGNMENT)
        return ez_error_set(err, EZ_ERR_ARGUMENT, "alignment %llu is no power of two up to 1 MiB",
                            (unsigned long long)alignment);
    if (size > MAX_SIZE || size > SIZE_MAX / 2)
        return ez_error_set(err, EZ_ERR_NOMEM, "no memory for %llu bytes", (unsigned long long)size);
    /* An empty buffer is a range of one byte without any permission: it has an address of its own
     * and reports can name it. */
    uint64_t bytes = size ? size : 1, total = bytes + 2 * GUARD + alignment;
    uint8_t *block = calloc(1, (size_t)total);
    if (!block)
        return ez_error_set(err, EZ_ERR_NOMEM, "no memory for %llu bytes", (unsigned long long)size);
    uint64_t start = (uint64_t)(uintptr_t)block + GUARD;
    start = (start + alignment - 1) & ~(alignment - 1);
    unsigned flags = size ? EZ_MEMORY_READ | EZ_MEMORY_WRITE : 0;
    ez_status status =
        ez_device_add_range(device, start, bytes, flags, label ? label : "buffer", block, err);
    if (status == EZ_OK)
        *pointer = (void *)(uintptr_t)start;
    else
        free(block);
    return status;
}

ez_status ez_device_free(ez_device *device, void *pointer) {
    void *owned;
    if (!pointer) return EZ_OK;
    if (!ez_device_remove_range(device, (uint64_t)(uintptr_t)pointer, true, &owned))
        return EZ_ERR_ARGUMENT;
    free(owned);
    return EZ_OK;
}

ez_status ez_device_register(ez_device *device, void *pointer, uint64_t size, unsigned flags,
                             const char *label, ez_error *err) {
    return ez_device_add_range(device, (uint64_t)(uintptr_t)pointer, size, flags,
                               label ? label : "registered", NULL, err);
}

ez_status ez_device_register_alias(ez_device *device, uint64_t address, void *pointer, uint64_t size, unsigned flags,
                                   const char *label, ez_error *err) {
    struct ez_range_entry entry = {.range = {.address = address, .size = size, .flags = flags},
                                   .delta = (uint64_t)(uintptr_t)pointer - address};
    return insert(device, entry, label ? label : "alias", false, err);
}

ez_status ez_device_unregister(ez_device *device, void *pointer) {
    void *owned;
    return ez_device_remove_range(device, (uint64_t)(uintptr_t)pointer, false, &owned)
               ? EZ_OK
               : EZ_ERR_NOT_FOUND;
}

/* ---- finding ---- */

void ez_range_cache_init(ez_range_cache *cache, ez_device *device) {
    *cache = (ez_range_cache){.device = device, .generation = atomic_load(&device->generation)};
}

static bool holds(const struct ez_window *w, uint64_t address, uint32_t size, unsigned access) {
    uint64_t offset = address - w->first;
    return offset < w->size && w->size - offset >= size && (w->flags & access) == access;
}

static void *search(ez_range_cache *cache, uint64_t address, uint32_t size, unsigned access) {
    ez_device *device = cache->device;
    struct ez_window found = {0};
    pthread_rwlock_rdlock(&device->lock);
    uint64_t generation = atomic_load(&device->generation);
    if (generation != cache->generation) ez_range_cache_init(cache, device);
    size_t at = first_behind(device, address);
    if (at) {
        const ez_range *range = &device->ranges[at - 1].range;
        found = (struct ez_window){range->address, range->size, device->ranges[at - 1].delta, range->flags};
    }
    pthread_rwlock_unlock(&device->lock);
    if (!holds(&found, address, size, access)) return NULL;
    cache->window[cache->next++ % EZ_WINDOWS] = found;
    return (void *)(uintptr_t)(address + found.delta);
}

void *ez_range_translate(ez_range_cache *cache, uint64_t address, uint32_t size, unsigned access) {
    if (atomic_load_explicit(&cache->device->generation, memory_order_relaxed) == cache->generation)
        for (unsigned i = 0; i < EZ_WINDOWS; i++)
            if (holds(&cache->window[i], address, size, access))
                return (void *)(uintptr_t)(address + cache->window[i].delta);
    return search(cache, address, size, access);
}

/* ---- reports ---- */

static int64_t clamp_distance(uint64_t distance, int sign) {
    int64_t d = distance > INT64_MAX ? INT64_MAX : (int64_t)distance;
    return sign * d;
}

bool ez_device_nearest(ez_device *device, uint64_t address, ez_range *range, int64_t *distance) {
    bool found = false;
    pthread_rwlock_rdlock(&device->lock);
    size_t at = first_behind(device, address);
    uint64_t after = UINT64_MAX; /* how far the range before lies away; 0: holds the address */
    if (at) {
        const ez_range *before = &device->ranges[at - 1].range;
        uint64_t offset = address - before->address;
        after = offset < before->size ? 0 : offset - before->size + 1;
        *range = *before;
        *distance = clamp_distance(after, 1);
        found = true;
    }
    if (after && at < device->range_count) {
        const ez_range *behind = &device->ranges[at].range;
        if (behind->address - address < after) {
            *range = *behind;
            *distance = clamp_distance(behind->address - address, -1);
            found = true;
        }
    }
    pthread_rwlock_unlock(&device->lock);
    return found;
}
