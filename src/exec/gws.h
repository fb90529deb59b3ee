/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Global wave sync: what waves of different workgroups wait for. 64 resources, each a barrier or a semaphore, which
 * live as long as the device: one kernel sets them up, the next one uses them.
 */
#ifndef EZ_GWS_H
#define EZ_GWS_H

#include <stdatomic.h>
#include <stdint.h>

enum { EZ_GWS_RESOURCES = 64 };

/* All zero at the start. */
typedef struct ez_gws {
    atomic_flag busy; /* for the few instructions that look at a resource */
    struct ez_gws_resource {
        uint32_t count; /* waves that still have to come to a barrier, but for the last; or free places */
        uint32_t phase; /* counts how often the barrier completed */
        uint32_t queue; /* waves that wait at the semaphore */
    } resource[EZ_GWS_RESOURCES];
    atomic_uint_fast64_t changes; /* counts what may let a wave go on that waits */
} ez_gws;

#endif
