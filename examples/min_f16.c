/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes, prints and runs v_min_f16 v5, -1, v2: -1 is 0xffff, a quiet NaN, so v5 becomes v2. */
#include <execz/execz.h>
#include <stdio.h>

int main(void) {
    static const uint8_t code[] = {0xc1, 0x04, 0x0a, 0x5c,  /* v_min_f16 v5, -1, v2 */
                                   0x00, 0x00, 0x81, 0xbf}; /* s_endpgm */
    const ez_target *target = ez_target_find("gfx90a");
    char text[EZ_TEXT_MAX];
    ez_inst inst;
    for (size_t at = 0; ez_decode_next(target, 0, code, sizeof code, &at, &inst) == EZ_OK;) {
        ez_print(&inst, EZ_TEXT_DEFAULT, text, sizeof text);
        printf("%s %s: %s\n", ez_inst_encoding(&inst), ez_inst_id(&inst), text);
    }

    ez_program *program;
    ez_wave *wave;
    if (ez_program_create(target, 64, code, sizeof code, 0, 0, &program) != EZ_OK) return 1;
    if (ez_wave_create(target, 64, &wave) != EZ_OK) return 1;
    for (unsigned lane = 0; lane < 64; lane++)
        ez_wave_set_vgpr(wave, 2, lane, 0x3c00 + lane);
    if (ez_wave_run(wave, program, 0) != EZ_STOP_END) return 1;
    printf("v5, lanes 0 to 3: %x %x %x %x\n", ez_wave_vgpr(wave, 5, 0), ez_wave_vgpr(wave, 5, 1),
           ez_wave_vgpr(wave, 5, 2), ez_wave_vgpr(wave, 5, 3));
    ez_wave_destroy(wave);
    ez_program_destroy(program);
    return 0;
}
