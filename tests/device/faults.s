// SPDX-License-Identifier: Apache-2.0
// Kernels that do what no kernel should, for gfx900: one fault each; at the end some that wait for other workgroups.
// s[4:5]: kernarg; s6: workgroup; v0: work-item x.
.amdgcn_target "amdgcn-amd-amdhsa--gfx900"
.text

.macro kernel name
  .globl \name
  .p2align 8
  .type \name,@function
\name:
.endm

kernel endless
  s_branch endless

kernel wild_store           // 4 bytes at argument 0 plus the work-item
  s_load_dwordx2 s[0:1], s[4:5], 0x0
  s_waitcnt lgkmcnt(0)
  global_store_dword v0, v0, s[0:1]
  s_endpgm

kernel wild_load
  s_load_dwordx2 s[0:1], s[4:5], 0x0
  s_waitcnt lgkmcnt(0)
  global_load_dword v1, v0, s[0:1]
  s_endpgm

kernel wild_scalar
  s_load_dwordx2 s[0:1], s[4:5], 0x0
  s_waitcnt lgkmcnt(0)
  s_load_dword s2, s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  s_endpgm

kernel wide_scalar          // 8 dwords at argument 0, stored at argument 1
  s_load_dwordx4 s[0:3], s[4:5], 0x0
  s_waitcnt lgkmcnt(0)
  s_load_dwordx8 s[8:15], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v9, 0
  .irp i, 0, 1, 2, 3, 4, 5, 6, 7
  v_mov_b32 v1, s[8+\i]
  global_store_dword v9, v1, s[2:3] offset:4*\i
  .endr
  s_endpgm

kernel wild_jump
  s_load_dwordx2 s[0:1], s[4:5], 0x0
  s_waitcnt lgkmcnt(0)
  s_setpc_b64 s[0:1]

kernel lds_overflow         // 256 bytes of LDS, the access is behind them
  ds_write_b32 v0, v0 offset:256
  s_endpgm

kernel scratch_overflow     // 64 bytes of scratch
  s_mov_b32 s0, 64
  scratch_store_dword off, v0, s0
  s_endpgm

kernel unaligned_atomic
  s_load_dwordx2 s[0:1], s[4:5], 0x0
  s_waitcnt lgkmcnt(0)
  global_atomic_add v0, v0, s[0:1]
  s_endpgm

kernel illegal
  .long 0xffffffff
  s_endpgm

kernel trapped
  s_trap 2
  s_endpgm

kernel read_only            // a store into the code itself
  s_getpc_b64 s[0:1]
  global_store_dword v0, v0, s[0:1]
  s_endpgm

kernel barrier              // counts up in LDS on both sides of a barrier, then stores what it sees
  s_load_dwordx2 s[0:1], s[4:5], 0x0
  ds_add_u32 v1, v1 offset:0
  s_barrier
  ds_read_b32 v2, v1
  s_waitcnt lgkmcnt(0)
  s_endpgm

// Global wave sync. Argument 0: a counter, then a dword for each workgroup, in which it stores what it has seen in the end.
.macro count
  v_mov_b32 v2, 0
  v_mov_b32 v3, 1
  s_mov_b64 exec, 1
  global_atomic_add v2, v3, s[0:1]
.endm
.macro tell
  s_waitcnt vmcnt(0)
  global_load_dword v3, v2, s[0:1] glc
  s_lshl_b32 s7, s6, 2
  v_mov_b32 v4, s7
  s_waitcnt vmcnt(0)
  global_store_dword v4, v3, s[0:1] offset:4
  s_endpgm
.endm

kernel gws_init             // resource 5: a barrier for the waves of 16 workgroups; 2: a semaphore without free places
  s_mov_b32 m0, 0x30000
  v_mov_b32 v1, 15
  ds_gws_init v1 offset:2 gds
  s_mov_b32 m0, 0
  v_mov_b32 v1, 0
  ds_gws_init v1 offset:2 gds
  s_endpgm

kernel gws_barrier          // twice
  s_load_dwordx2 s[0:1], s[4:5], 0x0
  s_mov_b32 m0, 0
  v_mov_b32 v1, 15
  s_waitcnt lgkmcnt(0)
  count
  ds_gws_barrier v1 offset:5 gds
  count
  ds_gws_barrier v1 offset:5 gds
  tell

.macro semaphore            // all but workgroup 15 wait; that one looks at the counter first
  s_load_dwordx2 s[0:1], s[4:5], 0x0
  s_mov_b32 m0, 0
  v_mov_b32 v1, 15
  s_waitcnt lgkmcnt(0)
  s_cmp_eq_u32 s6, 15
  s_cbranch_scc1 .Llast\@
  ds_gws_sema_p offset:2 gds
  count
  s_endpgm
.Llast\@:
  v_mov_b32 v2, 0
.endm

kernel gws_semaphore        // lets one go after the other
  semaphore
  .rept 15
  ds_gws_sema_v offset:2 gds
  .endr
  tell

kernel gws_release_15       // lets them go at once, by number
  semaphore
  ds_gws_sema_br v1 offset:2 gds
  tell

kernel gws_release_all
  semaphore
  ds_gws_sema_release_all offset:2 gds
  tell

.rodata
.p2align 6
.macro descriptor name, lds, scratch
.amdhsa_kernel \name
  .amdhsa_group_segment_fixed_size \lds
  .amdhsa_private_segment_fixed_size \scratch
  .amdhsa_user_sgpr_private_segment_buffer 1
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_kernarg_size 16
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 16
.end_amdhsa_kernel
.endm
descriptor endless, 0, 0
descriptor wild_store, 0, 0
descriptor wild_load, 0, 0
descriptor wide_scalar, 0, 0
descriptor wild_scalar, 0, 0
descriptor wild_jump, 0, 0
descriptor lds_overflow, 256, 0
descriptor scratch_overflow, 0, 64
descriptor unaligned_atomic, 0, 0
descriptor illegal, 0, 0
descriptor trapped, 0, 0
descriptor read_only, 0, 0
descriptor barrier, 16, 0
descriptor gws_init, 0, 0
descriptor gws_barrier, 0, 0
descriptor gws_semaphore, 0, 0
descriptor gws_release_15, 0, 0
descriptor gws_release_all, 0, 0
