; What symbols make of a disassembly: several at one address, of several types and bindings; code before the first;
; variables among the code; jumps to symbols with and without a type, and to places that have none; odd bytes.
	.text
	s_nop 0
	s_branch bb
	.globl gg
aa:
bb:
	.weak ww
ww:
gg:
zz:
	s_nop 1
	s_branch 0xff80
	.type dd,@object
dd:
	.long 1, 2, 3, 0x7e000000
	.byte 1, 2
	.size dd, 18
	.type ff,@function
ff:
	.byte 1, 2
	s_nop 3
	s_call_b64 s[4:5], aa
	.type o1,@object
	.globl o1
o1:
	.type f1,@function
f1:
	s_nop 6
	.type f2,@function
	.type f3,@object
	.type f5,@function
f2:
f3:
	s_nop 7
f4:
f5:
	s_cbranch_scc0 f2
	s_branch f5
	s_call_b64 s[4:5], f4
	s_branch 32767
	.byte 4
end:
	.set absolute, 0x10

	.section .other,"ax",@progbits
	s_nop 5
	.zero 32
x:
	.zero 6

	.section .rodata,"a",@progbits
	.type table,@object
table:
	.long 1, 2, 3, 4
	.size table, 16
