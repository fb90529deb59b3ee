/* SPDX-License-Identifier: Apache-2.0 */
/* From a kernel descriptor and a grid to the registers that a wave starts with. */
#define _POSIX_C_SOURCE 200809L
#include "device/launch.h"

#include <inttypes.h>
#include <string.h>

/* The most scratch that COMPUTE_TMPRING_SIZE.WAVESIZE can describe on any target, for a wave. */
#define MAX_WAVE_SCRATCH (UINT64_C(64) << 20)
enum { DYNAMIC_STACK = 16 << 10, KERNARG_PROLOGUE = 256, TTMP7 = 108 + 7 };

static uint32_t field(const ez_launch *l, ez_descriptor_field f) { return l->field[f]; }

static bool has(const ez_launch *l, unsigned feature) { return ez_has(l->target, feature); }

/* ---- checks ---- */

static ez_status set_geometry(ez_launch *l, ez_error *err) {
    const ez_dispatch *d = l->dispatch;
    uint64_t items = 1;
    l->group_count = 1;
    l->dimensions = 1;
    for (unsigned i = 0; i < 3; i++) {
        l->grid[i] = d->grid[i] ? d->grid[i] : 1;
        l->block[i] = d->block[i] ? d->block[i] : 1;
        if (d->grid[i]) l->dimensions = i + 1;
        items *= l->block[i] <= EZ_MAX_GROUP_ITEMS ? l->block[i] : EZ_MAX_GROUP_ITEMS + 1;
        l->groups[i] = ((uint64_t)l->grid[i] + l->block[i] - 1) / l->block[i];
        if (l->groups[i] > UINT64_MAX / l->group_count)
            return ez_error_set(err, EZ_ERR_ARGUMENT, "the grid has more than 2^64 workgroups");
        l->group_count *= l->groups[i];
    }
    /* A packet processor knows no metadata, and runs more work-items than a kernel was compiled for, as HIP 6 asks. */
    const ez_kernel_metadata *m = d->dispatch_ptr ? NULL : l->kernel->metadata;
    uint32_t most = m && m->max_flat_workgroup_size ? m->max_flat_workgroup_size : EZ_MAX_GROUP_ITEMS;
    if (most > EZ_MAX_GROUP_ITEMS) most = EZ_MAX_GROUP_ITEMS;
    if (items > most)
        return ez_error_set(err, EZ_ERR_ARGUMENT,
                            "block %" PRIu32 " x %" PRIu32 " x %" PRIu32
                            ": %.80s takes workgroups of at most %" PRIu32 " work-items",
                            l->block[0], l->block[1], l->block[2], l->kernel->name, most);
    for (unsigned i = 0; m && m->reqd_workgroup_size[0] && i < 3; i++)
        if (m->reqd_workgroup_size[i] != l->block[i])
            return ez_error_set(err, EZ_ERR_ARGUMENT,
                                "block %" PRIu32 " x %" PRIu32 " x %" PRIu32
                                ": %.80s requires %" PRIu32 " x %" PRIu32 " x %" PRIu32,
                                l->block[0], l->block[1], l->block[2], l->kernel->name,
                                m->reqd_workgroup_size[0], m->reqd_workgroup_size[1],
                                m->reqd_workgroup_size[2]);
    l->waves = (unsigned)((items + l->lanes - 1) / l->lanes);
    return EZ_OK;
}

static ez_status set_sizes(ez_launch *l, ez_error *err) {
    const ez_dispatch *d = l->dispatch;
    uint64_t most = ez_target_lds_bytes(l->target);
    uint64_t lds = (uint64_t)l->kernel->descriptor.group_segment_fixed_size + d->dynamic_lds;
    if (lds > most)
        return ez_error_set(err, EZ_ERR_ARGUMENT,
                            "%.80s needs %" PRIu64 " bytes of LDS, %s has %" PRIu64 " KiB",
                            l->kernel->name, lds, ez_target_name(l->target), most >> 10);
    l->lds_size = (uint32_t)lds;
    uint64_t private = l->kernel->descriptor.private_segment_fixed_size;
    if (field(l, EZ_KD_USES_DYNAMIC_STACK)) private += DYNAMIC_STACK;
    if (private < d->private_bytes) private = d->private_bytes;
    private = (private + 15) & ~UINT64_C(15);
    if (private > MAX_WAVE_SCRATCH / l->lanes)
        return ez_error_set(err, EZ_ERR_ARGUMENT,
                            "%.80s needs %" PRIu64 " bytes of private memory for each work-item,"
                            " the most is %" PRIu64,
                            l->kernel->name, private, MAX_WAVE_SCRATCH / l->lanes);
    l->private_size = (uint32_t)private;
    return EZ_OK;
}

/* MODE from COMPUTE_PGM_RSRC1 and 2. Source: "Mode register" of the ISA guides: rounding 3:0,
 * denormals 7:4, DX10_CLAMP 8, IEEE 9, exception enables 18:12 (up to GFX11), FP16_OVFL 23. */
static uint32_t initial_mode(const ez_launch *l) {
    uint32_t mode = l->kernel->descriptor.compute_pgm_rsrc1 >> 12 & 0xff;
    if (has(l, EZ_HAS_dx10_clamp_mode)) mode |= field(l, EZ_KD_ENABLE_DX10_CLAMP) << 8;
    if (has(l, EZ_HAS_ieee_mode)) mode |= field(l, EZ_KD_ENABLE_IEEE_MODE) << 9;
    if (!has(l, EZ_HAS_excp_flag_user))
        mode |= (l->kernel->descriptor.compute_pgm_rsrc2 >> 24 & 0x7f) << 12;
    return mode | field(l, EZ_KD_FP16_OVFL) << 23;
}

/* The entry of the code, and the kernel arguments that go to SGPRs. Source: [LLVM] "Preloaded Kernel
 * Arguments". */
static ez_status set_entry(ez_launch *l, ez_error *err) {
    enum { ENTRY_ALIGN = 256 }; /* the hardware is given address bits 47:8 only */
    l->entry = ez_module_base(l->dispatch->module) + l->kernel->entry_address;
    if (l->entry % ENTRY_ALIGN)
        return ez_error_set(err, EZ_ERR_FORMAT,
                            "kernel '%.80s': entry at address 0x%" PRIx64 " is not aligned to 256 bytes (.p2align 8)",
                            l->kernel->name, l->kernel->entry_address);
    uint32_t count = field(l, EZ_KD_KERNARG_PRELOAD_SPEC_LENGTH);
    uint32_t offset = 4 * field(l, EZ_KD_KERNARG_PRELOAD_SPEC_OFFSET);
    if (count && has(l, EZ_HAS_kernarg_prologue)) l->entry += KERNARG_PROLOGUE;
    if (count > EZ_MAX_USER_SGPRS) count = EZ_MAX_USER_SGPRS;
    ez_range_cache cache;
    ez_range_cache_init(&cache, l->device);
    for (uint32_t i = 0; i < count; i++) { /* dword by dword: the segment may end before */
        const void *p = ez_range_translate(&cache, l->kernarg_address + offset + 4 * i, 4,
                                           EZ_MEMORY_READ);
        if (p) memcpy(l->preload + 4 * i, p, 4);
    }
    /* The program is shared and made on first use; the module is logically unchanged by it. */
    return ez_module_program((ez_module *)(uintptr_t)l->dispatch->module, l->entry, l->lanes,
                             &l->program, err);
}

/*
 * Where no register holds the apertures, code of version 5 loads their high halves from the implicit
 * arguments, at 0xc0. Functions that clang 22 has not given the pointer to these (all calls at -O0)
 * load from address 0xc0 itself. Only these 8 bytes of the null page can be read, and only there.
 */
static void set_null_apertures(ez_launch *l) {
    l->null_apertures = !has(l, EZ_HAS_scratch_insts) &&
                        ez_object_version(ez_module_object(l->dispatch->module)) >= 5;
    for (unsigned i = 0; i < 4; i++) {
        l->apertures[i] = (uint8_t)(EZ_PRIVATE_APERTURE >> (32 + 8 * i));
        l->apertures[4 + i] = (uint8_t)(EZ_SHARED_APERTURE >> (32 + 8 * i));
    }
}

static bool kernel_of_module(const ez_dispatch *d) {
    size_t count;
    const ez_kernel *kernels = ez_object_kernels(ez_module_object(d->module), &count);
    for (size_t i = 0; i < count; i++)
        if (d->kernel == &kernels[i]) return true;
    return false;
}

ez_status ez_launch_prepare(ez_launch *l, ez_device *device, const ez_dispatch *d, ez_error *err) {
    *l = (ez_launch){.device = device, .dispatch = d};
    if (!device || !d || !d->module || !d->kernel)
        return ez_error_set(err, EZ_ERR_ARGUMENT, "a dispatch needs a device, a module and a kernel");
    if (d->module->device != device || !kernel_of_module(d))
        return ez_error_set(err, EZ_ERR_ARGUMENT, "kernel, module and device do not belong together");
    l->kernel = d->kernel;
    l->target = device->target;
    for (unsigned f = 0; f < EZ_KD_COUNT; f++) l->field[f] = ez_descriptor_get(&d->kernel->descriptor, (ez_descriptor_field)f);
    bool wave32 = has(l, EZ_HAS_wave32) &&
                  (field(l, EZ_KD_ENABLE_WAVEFRONT_SIZE32) || !has(l, EZ_HAS_wave64));
    l->lanes = wave32 ? 32 : 64;
    l->mode = initial_mode(l);
    set_null_apertures(l);
    ez_status status = set_geometry(l, err);
    if (status == EZ_OK) status = set_sizes(l, err);
    if (status == EZ_OK) status = ez_launch_kernarg(l, err);
    if (status == EZ_OK) status = ez_launch_packet(l, err);
    if (status == EZ_OK) status = set_entry(l, err);
    if (status != EZ_OK) ez_launch_finish(l);
    return status;
}

void ez_launch_finish(ez_launch *l) {
    if (!l->device) return;
    ez_device_free(l->device, l->kernarg);
    ez_device_free(l->device, l->packet);
    ez_device_free(l->device, l->queue);
    l->kernarg = l->packet = l->queue = NULL;
}

/* ---- registers ---- */

/* User and system SGPRs as they are dealt out one after the other. */
struct dealer {
    uint32_t *sgpr;
    unsigned next, limit; /* beyond the limit an SGPR has a number but no value */
};

static void deal(struct dealer *to, uint32_t value) {
    if (to->next < to->limit) to->sgpr[to->next] = value;
    to->next++;
}

static void deal64(struct dealer *to, uint64_t value) {
    deal(to, (uint32_t)value);
    deal(to, (uint32_t)(value >> 32));
}

/* The V# that a kernel's prologue makes its scratch descriptor of: add-TID and swizzle by the lanes,
 * so that lane l's dword d lies at base + (d * lanes + l) * 4. Each wave gets a base of its own and a
 * wave offset of 0. Source: [LLVM] "Private Segment Buffer"; the fields: [GCN3], [Vega], [RDNA1] 8.1.5. */
static void deal_scratch_resource(const ez_launch *l, struct dealer *to, uint64_t scratch) {
    uint32_t swizzle = UINT32_C(1) << 31, add_tid = 1 << 23;
    uint32_t index_stride = (l->lanes == 64 ? 3u : 2u) << 21;
    uint32_t element = has(l, EZ_HAS_rsrc_element_size) ? 1 << 19 : 0; /* 4 bytes */
    uint64_t size = (uint64_t)l->private_size * l->lanes;
    deal(to, (uint32_t)scratch);
    deal(to, (uint32_t)(scratch >> 32 & 0xffff) | swizzle);
    deal(to, (uint32_t)size);
    /* With add-TID the data format of GFX8 and GFX9 holds more bits of the stride, 0. From GFX10 on
     * OOB_SELECT 3: raw. */
    deal(to, add_tid | index_stride | element | (has(l, EZ_HAS_rsrc_oob_select) ? 3u << 28 : 0));
}

uint64_t ez_launch_scratch_base(const ez_launch *l, uint64_t scratch) {
    /* With globally addressable scratch the flat address of byte o of lane l is base + o + (l << 52)
     * and all lanes' bytes have addresses of their own: dividing by the lanes undoes the swizzle. */
    return has(l, EZ_HAS_scratch_global) ? EZ_SCRATCH_APERTURE + scratch / l->lanes : scratch;
}

/* Source: [LLVM] "SGPR Register Set Up Order". */
static void set_user_sgprs(const ez_launch *l, struct dealer *to, uint64_t scratch) {
    if (field(l, EZ_KD_ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER)) deal_scratch_resource(l, to, scratch);
    if (field(l, EZ_KD_ENABLE_SGPR_DISPATCH_PTR)) deal64(to, l->packet_address);
    if (field(l, EZ_KD_ENABLE_SGPR_QUEUE_PTR)) deal64(to, l->queue_address);
    if (field(l, EZ_KD_ENABLE_SGPR_KERNARG_SEGMENT_PTR)) deal64(to, l->kernarg_address);
    if (field(l, EZ_KD_ENABLE_SGPR_DISPATCH_ID)) deal64(to, l->dispatch->dispatch_id);
    if (field(l, EZ_KD_ENABLE_SGPR_FLAT_SCRATCH_INIT)) {
        /* GFX8: an offset from the hidden base, which is the wave's scratch itself, and the size of
         * a lane; later the address. The prologue adds the wave offset, 0. */
        if (has(l, EZ_HAS_flat_scratch_offset))
            deal64(to, (uint64_t)l->private_size << 32);
        else
            deal64(to, ez_launch_scratch_base(l, scratch));
    }
    if (field(l, EZ_KD_ENABLE_SGPR_PRIVATE_SEGMENT_SIZE)) deal(to, l->private_size);
    uint32_t preload = field(l, EZ_KD_KERNARG_PRELOAD_SPEC_LENGTH);
    for (uint32_t i = 0; i < preload && i < EZ_MAX_USER_SGPRS; i++) {
        uint32_t value;
        memcpy(&value, l->preload + 4 * i, 4);
        deal(to, value);
    }
}

static void set_system_sgprs(const ez_launch *l, struct dealer *to, const uint32_t id[3],
                             unsigned index, unsigned waves) {
    bool in_ttmp = has(l, EZ_HAS_arch_work_group);
    if (!in_ttmp && field(l, EZ_KD_ENABLE_SGPR_WORKGROUP_ID_X)) deal(to, id[0]);
    if (!in_ttmp && field(l, EZ_KD_ENABLE_SGPR_WORKGROUP_ID_Y)) deal(to, id[1]);
    if (!in_ttmp && field(l, EZ_KD_ENABLE_SGPR_WORKGROUP_ID_Z)) deal(to, id[2]);
    if (field(l, EZ_KD_ENABLE_SGPR_WORKGROUP_INFO)) deal(to, (index == 0 ? 1u << 31 : 0) | waves);
    if (field(l, EZ_KD_ENABLE_PRIVATE_SEGMENT) && !has(l, EZ_HAS_arch_flat_scratch)) deal(to, 0);
}

/* ttmp9: x; ttmp7: y, with z in its upper half when the kernel asks for z; ttmp8: the wave's number in bits 29:25.
 * Source: [LLVM] "Initial Kernel Execution State", architected work-group ids. */
static void set_ttmps(const ez_launch *l, ez_wave *w, const uint32_t id[3], unsigned index) {
    if (!has(l, EZ_HAS_arch_work_group)) return;
    bool z = field(l, EZ_KD_ENABLE_SGPR_WORKGROUP_ID_Z);
    w->sgpr[TTMP7] = z ? (id[1] & 0xffff) | id[2] << 16 : id[1];
    w->sgpr[TTMP7 + 1] = (index & 31) << 25;
    w->sgpr[TTMP7 + 2] = id[0];
}

/* Source: [LLVM] "VGPR Register Set Up Order", packed and unpacked work-item ids. */
static void set_vgprs(const ez_launch *l, ez_wave *w, const uint32_t extent[3], unsigned index) {
    uint32_t wanted = field(l, EZ_KD_ENABLE_VGPR_WORKITEM_ID);
    bool packed = has(l, EZ_HAS_packed_tid);
    uint32_t *v0 = w->vgpr, *v1 = v0 + l->lanes, *v2 = v1 + l->lanes;
    uint32_t item = index * l->lanes;
    uint32_t x = item % extent[0], y = item / extent[0] % extent[1],
             z = item / (extent[0] * extent[1]);
    uint32_t items = extent[0] * extent[1] * extent[2];
    uint64_t exec = 0;
    for (unsigned lane = 0; lane < l->lanes && item < items; lane++, item++) {
        exec |= UINT64_C(1) << lane;
        v0[lane] = packed ? x | (wanted > 0 ? y << 10 : 0) | (wanted > 1 ? z << 20 : 0) : x;
        if (!packed && wanted > 0) v1[lane] = y;
        if (!packed && wanted > 1) v2[lane] = z;
        if (++x < extent[0]) continue;
        x = 0;
        if (++y < extent[1]) continue;
        y = 0;
        z++;
    }
    ez_put64(w, EZ_SLOT_EXEC, exec);
    ez_exec_changed(w);
}

void ez_launch_extent(const ez_launch *l, const uint32_t id[3], uint32_t extent[3]) {
    for (unsigned i = 0; i < 3; i++) {
        uint64_t left = l->grid[i] - (uint64_t)id[i] * l->block[i];
        extent[i] = left < l->block[i] ? (uint32_t)left : l->block[i];
    }
}

static unsigned user_sgprs(const ez_launch *l) {
    return field(l, has(l, EZ_HAS_user_sgprs_32) ? EZ_KD_USER_SGPR_COUNT_6 : EZ_KD_USER_SGPR_COUNT);
}

void ez_launch_again(const ez_launch *l, ez_wave *w, const uint32_t id[3], unsigned index) {
    uint32_t extent[3];
    ez_launch_extent(l, id, extent);
    struct dealer system = {w->sgpr, user_sgprs(l), EZ_SLOT_VCC};
    set_system_sgprs(l, &system, id, index, (extent[0] * extent[1] * extent[2] + l->lanes - 1) / l->lanes);
    set_ttmps(l, w, id, index);
}

void ez_launch_wave(const ez_launch *l, ez_wave *w, const uint32_t id[3], unsigned index,
                    uint64_t scratch) {
    uint32_t extent[3];
    ez_launch_extent(l, id, extent);
    unsigned limit = has(l, EZ_HAS_user_sgprs_32) ? 32 : 16, count = user_sgprs(l);
    struct dealer user = {w->sgpr, 0, count < limit ? count : limit};
    set_user_sgprs(l, &user, scratch);
    ez_launch_again(l, w, id, index);
    w->number = index;
    set_vgprs(l, w, extent, index);
    w->mode = l->mode;
    ez_mode_changed(w);
    w->pc = l->entry;
    w->shared_base = EZ_SHARED_APERTURE;
    w->shared_limit = EZ_SHARED_APERTURE | UINT32_MAX;
    w->private_base = EZ_PRIVATE_APERTURE;
    w->private_limit = EZ_PRIVATE_APERTURE | UINT32_MAX;
    if (has(l, EZ_HAS_scratch_global)) {
        w->private_base = EZ_SCRATCH_APERTURE;
        w->private_limit = EZ_SCRATCH_APERTURE | ((UINT64_C(1) << 57) - 1);
    }
    w->scratch_base = scratch;
    w->scratch_size = l->private_size;
    w->flat_scratch = ez_launch_scratch_base(l, scratch);
}
