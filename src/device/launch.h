/* SPDX-License-Identifier: Apache-2.0 */
/* What is the same for all waves of a dispatch, and how one workgroup and one wave begin. */
#ifndef EZ_LAUNCH_H
#define EZ_LAUNCH_H

#include "device/device_internal.h"

enum { EZ_MAX_USER_SGPRS = 32, EZ_MAX_GROUP_ITEMS = 1024 };

typedef struct ez_launch {
    ez_device *device;
    const ez_dispatch *dispatch;
    const ez_kernel *kernel;
    const ez_target *target;
    ez_program *program;
    uint64_t entry;        /* device address of the first instruction */
    unsigned lanes;
    uint32_t grid[3], block[3];
    uint32_t dimensions;   /* 1 to 3 */
    uint64_t groups[3], group_count;
    unsigned waves;        /* of a full workgroup */
    uint32_t lds_size;     /* bytes */
    uint32_t private_size; /* bytes of a lane, a multiple of 16 */
    uint32_t mode;         /* MODE at start */
    uint32_t field[EZ_KD_COUNT]; /* of the kernel's descriptor */
    bool null_apertures;   /* loads from 0xc0 give apertures[]; see launch.c */
    uint8_t apertures[8];  /* high halves of the private and the shared aperture, little-endian */
    void *kernarg, *packet, *queue; /* device memory that this dispatch made; NULL: none */
    uint64_t kernarg_address, packet_address, queue_address;
    uint8_t preload[4 * EZ_MAX_USER_SGPRS]; /* kernarg bytes for user SGPRs */
} ez_launch;

/* Checks the dispatch and makes all that is shared. On failure nothing is left to free. */
ez_status ez_launch_prepare(ez_launch *launch, ez_device *device, const ez_dispatch *dispatch,
                            ez_error *err);
void ez_launch_finish(ez_launch *launch);

/* The kernarg segment with its hidden arguments; see kernarg.c. */
ez_status ez_launch_kernarg(ez_launch *launch, ez_error *err);
/* Whether the kernel reads the hidden arguments, which begin there, as libclc does; see hidden.c. */
bool ez_launch_takes_libclc_arguments(const ez_launch *launch, uint32_t first_hidden);
/* The dispatch packet and the queue that kernels can look at; after the kernarg segment. */
ez_status ez_launch_packet(ez_launch *launch, ez_error *err);

/* Work-items of workgroup `id` in each dimension: fewer than the block at the grid's end. */
void ez_launch_extent(const ez_launch *launch, const uint32_t id[3], uint32_t extent[3]);

/* Sets the registers of wave number `index` of workgroup `id` as the packet processor does. The
 * wave is freshly reset; scratch is the device address of its private memory. */
void ez_launch_wave(const ez_launch *launch, ez_wave *wave, const uint32_t id[3], unsigned index,
                    uint64_t scratch);
/* Only what the workgroup's id decides: for a copy of a wave of that index in another workgroup with as many work-items. */
void ez_launch_again(const ez_launch *launch, ez_wave *wave, const uint32_t id[3], unsigned index);

/* The address that FLAT_SCRATCH and, with the feature scratch_global, flat addresses build on. */
uint64_t ez_launch_scratch_base(const ez_launch *launch, uint64_t scratch);

#endif
