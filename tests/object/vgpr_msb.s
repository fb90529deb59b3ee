; The VGPRs that s_set_vgpr_msb makes of others, as comments: v1 /*v257*/. Each kind of operand has bits of its own;
; jumps without return, ends, words that are no instruction and symbols set them back.
	.text
f:
	.irp msb, 0xe4, 0x1b
	s_set_vgpr_msb \msb
	v_add_f32 v1, v2, v3
	v_fma_f32 v1, v2, v3, v4
	v_fmac_f32 v1, v2, v3
	v_fmaak_f32 v1, v2, v3, 0x1234
	v_fmamk_f32 v1, v2, 0x1234, v3
	v_mov_b32 v1, s0
	v_cndmask_b32 v1, v2, v3, vcc_lo
	v_readlane_b32 s0, v1, 0
	v_writelane_b32 v1, s0, 0
	global_load_b32 v1, v[2:3], off
	global_load_b32 v1, v2, s[0:1]
	global_store_b32 v[2:3], v5, off
	global_atomic_add_u32 v1, v[2:3], v5, off th:TH_ATOMIC_RETURN
	flat_load_b128 v[4:7], v[2:3]
	scratch_store_b32 v1, v2, off
	buffer_load_b32 v1, v2, s[0:3], s4 offen
	buffer_store_b32 v1, v2, s[0:3], s4 offen
	buffer_atomic_add_u32 v1, v2, s[0:3], s4 offen
	ds_store_2addr_b32 v1, v2, v3
	ds_cmpstore_rtn_b32 v1, v2, v3, v4
	ds_add_u32 v1, v2
	ds_load_b32 v1, v2
	ds_bpermute_b32 v1, v2, v3
	v_dual_add_f32 v1, v2, v3 :: v_dual_fmac_f32 v4, v5, v6
	v_dual_cndmask_b32 v1, v2, v3 :: v_dual_mov_b32 v4, v5
	v_dual_fma_f32 v1, v2, v3, v4 :: v_dual_add_f32 v4, v5, v6
	v_wmma_f32_16x16x32_f16 v[0:7], v[8:15], v[16:23], v[0:7]
	v_swmmac_f32_16x16x64_f16 v[0:7], v[8:15], v[16:31], v32
	v_cmp_eq_f32 vcc_lo, v1, v2
	v_cmp_eq_f32 s2, v1, v2
	v_mov_b32_dpp v1, v2 quad_perm:[0,1,2,3]
	v_pk_add_f16 v1, v2, v3
	v_add_f16 v1, v2, v3
	v_swap_b32 v1, v2
	v_mad_u32 v0, v1, v2, v3
	v_div_scale_f32 v0, vcc_lo, v1, v2, v3
	v_permlane16_swap_b32 v1, v2
	global_load_async_to_lds_b32 v1, v[2:3], off
	global_store_async_from_lds_b32 v[2:3], v1, off
	cluster_load_b32 v1, v[2:3], off
	ds_load_tr8_b64 v[2:3], v4
	global_wb
	v_nop
	s_barrier_wait -1
	v_mul_f32 v1, v2, -v3
	v_mul_f32 v1, |v2|, v3 clamp
	v_cvt_scale_pk8_f16_fp8 v[10:13], v[20:21], v8
	v_wmma_scale_f32_16x16x128_f8f6f4 v[0:7], v[8:23], v[24:39], v[40:47], v1, v2
	v_movrels_b32 v1, v2
	v_movreld_b32 v1, v2
	ds_atomic_barrier_arrive_rtn_b64 v[2:3], v4, v[6:7]
	v_fma_mix_f32 v1, v2, v3, v4
	.endr
	s_cbranch_scc0 g
	v_mov_b32 v1, v2
g:
	s_set_vgpr_msb 0xe4
	s_branch g2
	v_mov_b32 v1, v2
g2:
	s_set_vgpr_msb 0xe4
	s_endpgm
	v_mov_b32 v1, v2
g3:
	s_set_vgpr_msb 0xe4
	s_setpc_b64 s[0:1]
	v_mov_b32 v1, v2
g4:
	s_set_vgpr_msb 0xe4
	s_swappc_b64 s[0:1], s[0:1]
	v_mov_b32 v1, v2
g5:
	s_set_vgpr_msb 0xe4
	s_call_i64 s[0:1], g5
	v_mov_b32 v1, v2
	.long 0xffffffff
	v_mov_b32 v1, v2
	.zero 16
	v_mov_b32 v1, v2
	s_trap 2
	v_mov_b32 v1, v2
	s_sethalt 2
	v_mov_b32 v1, v2

; what sets them back
	s_set_vgpr_msb 0xe4
	s_trap 2
	v_mov_b32 v1, v2
	s_set_vgpr_msb 0xe4
	s_sethalt 2
	v_mov_b32 v1, v2
	s_set_vgpr_msb 0xe4
	s_rfe_i64 s[0:1]
	v_mov_b32 v1, v2
	s_set_vgpr_msb 0xe4
	s_endpgm_saved
	v_mov_b32 v1, v2
	s_set_vgpr_msb 0xe4
	s_code_end
	v_mov_b32 v1, v2
	s_set_vgpr_msb 0xe4
	s_icache_inv
	v_mov_b32 v1, v2
	s_set_vgpr_msb 0xe4
	s_sendmsg 0
	v_mov_b32 v1, v2
	s_set_vgpr_msb 0xe4
	s_sleep 1
	v_mov_b32 v1, v2
	s_set_vgpr_msb 0xe4
	s_barrier_signal -1
	v_mov_b32 v1, v2
	s_set_vgpr_msb 0xe4
	s_cbranch_vccz 0
	v_mov_b32 v1, v2
	s_set_vgpr_msb 0xe4
	s_cbranch_execnz 0
	v_mov_b32 v1, v2
	s_set_vgpr_msb 0xe4
	s_get_pc_i64 s[0:1]
	v_mov_b32 v1, v2
	s_set_vgpr_msb 0xe4
	s_sendmsghalt 0
	v_mov_b32 v1, v2
	s_set_vgpr_msb 0xe4
	s_alloc_vgpr s0
	v_mov_b32 v1, v2
	s_set_vgpr_msb 0xe4
	s_set_vgpr_msb 0
	v_mov_b32 v1, v2
	s_set_vgpr_msb 0xe4
	s_wait_idle
	v_mov_b32 v1, v2
	s_set_vgpr_msb 0xe4
	s_barrier_leave
	v_mov_b32 v1, v2
	s_set_vgpr_msb 0xe4
	s_add_pc_i64 4
	v_mov_b32 v1, v2
l:
	s_set_vgpr_msb 0xe4
	v_mov_b32 v1, v2
m:
	v_mov_b32 v1, v2
	s_set_vgpr_msb 0xe4
	.zero 16
	v_mov_b32 v1, v2
	s_set_vgpr_msb 0xe4
	.long 0xffffffff
	v_mov_b32 v1, v2
n:
	s_set_vgpr_msb 0xe4
	v_mov_b32 v255, v255
	.type d,@object
d:
	.long 4
	.type k,@function
k:
	v_mov_b32 v1, v2
	v_mov_b32 v255, v255
	.section .other,"ax",@progbits
	v_mov_b32 v1, v2
