/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECZ_VERSION_H
#define EXECZ_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

/* Of these headers. Semantic versioning: while MAJOR is 0, a new MINOR may break the interface. The
 * build reads them from here. */
#define EZ_VERSION_MAJOR 0
#define EZ_VERSION_MINOR 1
#define EZ_VERSION_PATCH 0

/* Of the library that is linked or loaded: "0.1.0". Static. */
const char *ez_version(void);

#ifdef __cplusplus
}
#endif
#endif
