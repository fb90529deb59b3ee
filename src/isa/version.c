/* SPDX-License-Identifier: Apache-2.0 */
#include "execz/version.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const char *ez_version(void) {
    return TEXT(EZ_VERSION_MAJOR) "." TEXT(EZ_VERSION_MINOR) "." TEXT(EZ_VERSION_PATCH);
}
