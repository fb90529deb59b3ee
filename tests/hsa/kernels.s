// SPDX-License-Identifier: Apache-2.0
// Kernels for test_hsa.c, on gfx90a.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
	.text
	.globl nothing
	.p2align 8
	.type nothing,@function
nothing:
	s_endpgm
	.size nothing, .-nothing

// adds 1 to the dword that the first argument points to, for each work-item
	.globl count
	.p2align 8
	.type count,@function
count:
	s_load_dwordx2 s[0:1], s[0:1], 0x0
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v2, 1
	s_waitcnt lgkmcnt(0)
	global_atomic_add v1, v2, s[0:1]
	s_endpgm
	.size count, .-count

// stores to address 64, where nothing is
	.globl wild
	.p2align 8
	.type wild,@function
wild:
	v_mov_b32_e32 v0, 64
	v_mov_b32_e32 v1, 0
	global_store_dword v[0:1], v1, off
	s_endpgm
	.size wild, .-wild

// never ends
	.globl endless
	.p2align 8
	.type endless,@function
endless:
	s_branch endless
	.size endless, .-endless

	.rodata
	.p2align 6
	.amdhsa_kernel nothing
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 8
		.amdhsa_accum_offset 4
	.end_amdhsa_kernel
	.amdhsa_kernel count
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_kernarg_size 8
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 8
		.amdhsa_accum_offset 4
	.end_amdhsa_kernel
	.amdhsa_kernel wild
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 8
		.amdhsa_accum_offset 4
	.end_amdhsa_kernel

	.amdhsa_kernel endless
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 8
		.amdhsa_accum_offset 4
	.end_amdhsa_kernel

	.data
	.globl answer
	.p2align 2
	.type answer,@object
answer:
	.long 42
	.size answer, 4
