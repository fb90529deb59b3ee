/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of functions that extensions hand out. */
#ifndef EZ_HSA_LOADER_H
#define EZ_HSA_LOADER_H

#include "hsa/runtime.h"

#include <hsa/hsa_ext_image.h>
#include <hsa/hsa_ven_amd_loader.h>

extern const hsa_ext_images_1_pfn_t ez_image_table; /* image.c */
extern const hsa_ven_amd_loader_1_03_pfn_t ez_loader_table;

/* A reader of a part of a file (reader.c). */
hsa_status_t ez_reader_from_part(hsa_file_t file, size_t offset, size_t size,
                                 hsa_code_object_reader_t *reader);

#endif
