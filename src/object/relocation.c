/* SPDX-License-Identifier: Apache-2.0 */
#include "object_internal.h"

#include <inttypes.h>

/* Source of names and formulas: AMDGPUUsage, "Relocation Records". */

const char *ez_relocation_name(uint32_t type) {
    switch (type) {
    case EZ_R_AMDGPU_NONE:
        return "R_AMDGPU_NONE";
    case EZ_R_AMDGPU_ABS32_LO:
        return "R_AMDGPU_ABS32_LO";
    case EZ_R_AMDGPU_ABS32_HI:
        return "R_AMDGPU_ABS32_HI";
    case EZ_R_AMDGPU_ABS64:
        return "R_AMDGPU_ABS64";
    case EZ_R_AMDGPU_REL32:
        return "R_AMDGPU_REL32";
    case EZ_R_AMDGPU_REL64:
        return "R_AMDGPU_REL64";
    case EZ_R_AMDGPU_ABS32:
        return "R_AMDGPU_ABS32";
    case EZ_R_AMDGPU_GOTPCREL:
        return "R_AMDGPU_GOTPCREL";
    case EZ_R_AMDGPU_GOTPCREL32_LO:
        return "R_AMDGPU_GOTPCREL32_LO";
    case EZ_R_AMDGPU_GOTPCREL32_HI:
        return "R_AMDGPU_GOTPCREL32_HI";
    case EZ_R_AMDGPU_REL32_LO:
        return "R_AMDGPU_REL32_LO";
    case EZ_R_AMDGPU_REL32_HI:
        return "R_AMDGPU_REL32_HI";
    case EZ_R_AMDGPU_RELATIVE64:
        return "R_AMDGPU_RELATIVE64";
    case EZ_R_AMDGPU_REL16:
        return "R_AMDGPU_REL16";
    default:
        return NULL;
    }
}

/* Whether a 64-bit value is a 32-bit one, zero- or sign-extended. */
static bool fits_32(uint64_t v) {
    return v <= UINT32_MAX || v >= UINT64_MAX - INT32_MAX;
}

ez_status ez_relocation_resolve(const ez_relocation *relocation, uint64_t symbol_address,
                                uint64_t place, uint64_t base, uint64_t *value, unsigned *width,
                                ez_error *err) {
    uint64_t absolute = symbol_address + (uint64_t)relocation->addend; /* S + A */
    uint64_t relative = absolute - place;                              /* S + A - P */
    bool fits = true;
    *width = 4;
    switch (relocation->type) {
    case EZ_R_AMDGPU_NONE:
        *width = 0, *value = 0;
        break;
    case EZ_R_AMDGPU_ABS32_LO:
        *value = absolute & UINT32_MAX;
        break;
    case EZ_R_AMDGPU_ABS32_HI:
        *value = absolute >> 32;
        break;
    case EZ_R_AMDGPU_ABS64:
        *width = 8, *value = absolute;
        break;
    case EZ_R_AMDGPU_REL32:
        *value = relative & UINT32_MAX, fits = fits_32(relative);
        break;
    case EZ_R_AMDGPU_REL64:
        *width = 8, *value = relative;
        break;
    case EZ_R_AMDGPU_ABS32:
        *value = absolute & UINT32_MAX, fits = fits_32(absolute);
        break;
    case EZ_R_AMDGPU_REL32_LO:
        *value = relative & UINT32_MAX;
        break;
    case EZ_R_AMDGPU_REL32_HI:
        *value = relative >> 32;
        break;
    case EZ_R_AMDGPU_RELATIVE64:
        *width = 8, *value = base + (uint64_t)relocation->addend;
        break;
    case EZ_R_AMDGPU_REL16: { /* of a branch: in dwords from the instruction after it */
        uint64_t bytes = relative - 4;
        uint64_t dwords = bytes >> 2 | (bytes >> 63 ? UINT64_C(3) << 62 : 0);
        fits = bytes % 4 == 0 && (dwords <= INT16_MAX || dwords >= UINT64_MAX - INT16_MAX);
        *width = 2, *value = dwords & UINT16_MAX;
        break;
    }
    default: {
        const char *name = ez_relocation_name(relocation->type);
        return ez_error_at(err, EZ_ERR_UNSUPPORTED, relocation->offset,
                           name ? "relocation type %u (%s) needs a global offset table"
                                : "unknown relocation type %u",
                           relocation->type, name);
    }
    }
    if (fits) return EZ_OK;
    return ez_error_at(err, EZ_ERR_FORMAT, relocation->offset,
                       "%s does not fit: symbol '%s' at 0x%" PRIx64 ", place 0x%" PRIx64,
                       ez_relocation_name(relocation->type),
                       relocation->symbol ? relocation->symbol->name : "", symbol_address, place);
}
