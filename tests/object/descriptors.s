// SPDX-License-Identifier: Apache-2.0
// Hand-written kernel descriptors without metadata, with settings that compilers do not use, and one
// relocation of each kind. A line with a tag in its final comment is only for some: "old" up to GFX11,
// "gfx10" from GFX10 on, "wgp" but GFX1250, "shared_vgpr" GFX10 and GFX11, "gfx90a" those with one register file, "static" before linking.
.text
.globl strange
.p2align 8
.type strange,@function
strange:
  s_endpgm
.Lend:
.size strange, .Lend-strange
.rodata
.p2align 6
.amdhsa_kernel strange
  .amdhsa_group_segment_fixed_size 4096
  .amdhsa_private_segment_fixed_size 132
  .amdhsa_kernarg_size 40
  .amdhsa_next_free_vgpr 33
  .amdhsa_next_free_sgpr 30
  .amdhsa_float_round_mode_32 1
  .amdhsa_float_round_mode_16_64 2
  .amdhsa_float_denorm_mode_32 2
  .amdhsa_float_denorm_mode_16_64 1
  .amdhsa_dx10_clamp 0 // old
  .amdhsa_ieee_mode 0 // old
  .amdhsa_exception_fp_ieee_invalid_op 1
  .amdhsa_exception_fp_denorm_src 1
  .amdhsa_exception_fp_ieee_div_zero 1
  .amdhsa_exception_fp_ieee_inexact 1
  .amdhsa_exception_int_div_zero 1
  .amdhsa_user_sgpr_dispatch_ptr 1
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_user_sgpr_private_segment_size 1
  .amdhsa_system_sgpr_workgroup_id_x 0
  .amdhsa_system_sgpr_workgroup_id_y 1
  .amdhsa_system_sgpr_workgroup_id_z 1
  .amdhsa_system_sgpr_workgroup_info 1
  .amdhsa_system_vgpr_workitem_id 1
  .amdhsa_uses_dynamic_stack 1
  .amdhsa_wavefront_size32 1 // gfx10
  .amdhsa_memory_ordered 0 // gfx10
  .amdhsa_forward_progress 0 // gfx10
  .amdhsa_workgroup_processor_mode 0 // wgp
  .amdhsa_accum_offset 20 // gfx90a
  .amdhsa_tg_split 1 // gfx90a
  .amdhsa_shared_vgpr_count 4 // shared_vgpr
.end_amdhsa_kernel
.data
.globl pointer
.type pointer,@object
.size pointer, 16
.p2align 3
pointer:
  .quad strange + 8
  .quad other + 4
  .quad pointer - .
  .long other - . // static
  .reloc ., R_AMDGPU_ABS32_LO, other // static
  .long 0 // static
  .reloc ., R_AMDGPU_ABS32_HI, other+0x100000000 // static
  .long 0 // static
  .reloc ., R_AMDGPU_ABS32, other-1 // static
  .long 0 // static
  .reloc ., R_AMDGPU_REL32_LO, other+4 // static
  .long 0 // static
  .reloc ., R_AMDGPU_REL32_HI, other+8 // static
  .long 0 // static
  .reloc ., R_AMDGPU_GOTPCREL32_LO, other // static
  .long 0 // static
.weak other
