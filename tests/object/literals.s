; Literals of 64 bits of GFX12.5: numbers that 32 bits would do for, that inline constants have too, doubles with an empty
; lower half, and all others.
	.text
f:
	.irp n, 0, 1, 64, 65, 0x4568, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0xffffffffffffffff, 0xffffffff80000000, 0xffffffff7fffffff, 0xfffffffffffffff0, 0x3ff0000000000000, 0x3ff0000000000001, 0x3ff1000000000000, 0x4000000000000000, 0x3fc45f306dc9c882, 0x40000000, 0x1234567800000000, 0x8000000000000000
	s_add_nc_u64 s[4:5], s[4:5], lit64(\n)
	s_mov_b64 s[4:5], lit64(\n)
	s_and_b64 s[4:5], lit64(\n), s[4:5]
	s_cmp_eq_u64 s[2:3], lit64(\n)
	v_mov_b64 v[4:5], lit64(\n)
	v_add_f64 v[4:5], lit64(\n), v[2:3]
	v_cvt_f32_f64 v4, lit64(\n)
	v_add_nc_u64 v[4:5], lit64(\n), v[2:3]
	v_cmp_eq_u64 vcc_lo, lit64(\n), v[2:3]
	v_cmp_lt_f64 vcc_lo, lit64(\n), v[2:3]
	v_fmaak_f64 v[4:5], v[2:3], v[2:3], lit64(\n)
	v_fmamk_f64 v[4:5], v[2:3], lit64(\n), v[2:3]
	.endr
	s_bfe_i64 s[68:69], lit64(0xfb007e00), 0xfb007e00
	s_bfe_u64 s[4:5], lit64(0x7b007e00), 0x7b007e00
	.long 0x94c4fffe, 0x04030201, 0x08070605
	.long 0x94c4feff, 0x04030201, 0x00000000
	.long 0x8000fefe, 0x04030201, 0x08070605
