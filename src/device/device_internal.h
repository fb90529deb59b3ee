/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EZ_DEVICE_INTERNAL_H
#define EZ_DEVICE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "exec/wave.h"
#include "execz/device.h"
#include "isa/error_internal.h"

/* Where the apertures lie in the 64-bit address space of a wave: no host address reaches there.
 * Source: the places that ROCm's kernel driver chooses on GFX9 and later. */
#define EZ_SHARED_APERTURE UINT64_C(0x0001000000000000)
#define EZ_PRIVATE_APERTURE UINT64_C(0x0002000000000000)
/* With globally addressable scratch: bits 56:52 are the lane, so the aperture differs above them. */
#define EZ_SCRATCH_APERTURE UINT64_C(0x0800000000000000)

struct ez_device {
    const ez_target *target;
    pthread_rwlock_t lock; /* of the ranges and the modules */
    struct ez_range_entry {
        ez_range range;
        void *owned; /* what free() takes; NULL: registered memory of the caller */
        uint64_t delta; /* host address minus device address: 0 but for aliases */
    } *ranges;       /* sorted by address, disjoint */
    size_t range_count, range_room;
    atomic_uint_fast64_t generation; /* counts changes of the ranges */
    ez_module *modules;
    ez_gws gws;
};

/* The ranges that a thread has used last, so that most accesses need no lock and no search. */
enum { EZ_WINDOWS = 4 };
typedef struct ez_range_cache {
    ez_device *device;
    uint64_t generation;
    unsigned next;
    struct ez_window {
        uint64_t first, size; /* size 0: empty */
        uint64_t delta;       /* to the host address */
        unsigned flags;
    } window[EZ_WINDOWS];
} ez_range_cache;

/* A code object in memory. */
struct ez_module {
    ez_device *device;
    ez_module *next;
    const ez_object *object;
    ez_resolve_symbol resolve; /* NULL: nobody knows undefined symbols */
    void *resolve_user;
    uint8_t *block;          /* what free() takes */
    uint64_t base;           /* where the object's address 0 is */
    size_t range_count;      /* segments that have been registered, in file order */
    pthread_mutex_t lock;    /* of the programs */
    struct ez_module_code {
        uint64_t address, size;
        ez_program *program[2]; /* of 32 and of 64 lanes; made when first needed */
    } *code;                 /* executable segments */
    size_t code_count;
};

/* The program that holds `address` for waves of that many lanes; shared, owned by the module. */
ez_status ez_module_program(ez_module *module, uint64_t address, unsigned lanes,
                            ez_program **program, ez_error *err);

void ez_range_cache_init(ez_range_cache *cache, ez_device *device);

/* The host pointer for an access of `size` bytes, or NULL when it does not lie in one range that has
 * all flags of `access`. */
void *ez_range_translate(ez_range_cache *cache, uint64_t address, uint32_t size, unsigned access);

/* Adds a range with the memory that belongs to it; takes the lock itself. */
ez_status ez_device_add_range(ez_device *device, uint64_t address, uint64_t size, unsigned flags,
                              const char *label, void *owned, ez_error *err);
/* Takes the range that begins at `address` away and gives its memory (NULL: none) for free(). */
bool ez_device_remove_range(ez_device *device, uint64_t address, bool must_own, void **owned);

#endif
