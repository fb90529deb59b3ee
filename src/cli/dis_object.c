/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
int cli_dis_object(const char *path, const ez_target *target, unsigned wave, ez_text_flags flags) {
    (void)path, (void)target, (void)wave, (void)flags;
    return cli_error("not there yet");
}
