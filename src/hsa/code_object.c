/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code objects as the first version of HSA has them: bytes that are deserialized. The handle is that of a reader.
 * Their symbols can be looked at once they are loaded.
 */
#include "hsa/runtime.h"

#include <stdlib.h>
#include <string.h>

hsa_status_t hsa_code_object_deserialize(void *bytes, size_t size, const char *options,
                                         hsa_code_object_t *code) {
    EZ_NEED_INIT();
    (void)options;
    if (!code || !bytes || !size) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsa_code_object_reader_t reader;
    hsa_status_t status = hsa_code_object_reader_create_from_memory(bytes, size, &reader);
    code->handle = reader.handle;
    return status;
}

hsa_status_t hsa_code_object_destroy(hsa_code_object_t code) {
    EZ_NEED_INIT();
    if (!code.handle) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    return hsa_code_object_reader_destroy((hsa_code_object_reader_t){code.handle});
}

hsa_status_t
hsa_code_object_serialize(hsa_code_object_t handle,
                          hsa_status_t (*alloc)(size_t size, hsa_callback_data_t data, void **address),
                          hsa_callback_data_t data, const char *options, void **bytes, size_t *size) {
    EZ_NEED_INIT();
    (void)options;
    const ez_code *code = (const ez_code *)(uintptr_t)handle.handle;
    if (!code) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    if (!alloc || !bytes || !size) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsa_status_t status = alloc(code->size, data, bytes);
    if (status != HSA_STATUS_SUCCESS) return status;
    memcpy(*bytes, code->bytes, code->size);
    *size = code->size;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_code_object_get_info(hsa_code_object_t handle, hsa_code_object_info_t attribute,
                                      void *value) {
    EZ_NEED_INIT();
    const ez_code *code = (const ez_code *)(uintptr_t)handle.handle;
    if (!code) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    if (!value) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    ez_object *object;
    if (ez_object_open_memory(code->bytes, code->size, &object, NULL) != EZ_OK)
        return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    hsa_status_t status = HSA_STATUS_SUCCESS;
    char name[96] = "amdgcn-amd-amdhsa--";
    size_t prefix = strlen(name);
    switch (attribute) {
    case HSA_CODE_OBJECT_INFO_VERSION: /* 64 bytes of text */
        memset(value, 0, 64);
        *(char *)value = (char)('0' + ez_object_version(object));
        break;
    case HSA_CODE_OBJECT_INFO_TYPE: *(hsa_code_object_type_t *)value = HSA_CODE_OBJECT_TYPE_PROGRAM; break;
    case HSA_CODE_OBJECT_INFO_ISA:
        ez_target_id_print(ez_object_target_id(object), name + prefix, sizeof name - prefix);
        status = hsa_isa_from_name(name, value);
        break;
    case HSA_CODE_OBJECT_INFO_MACHINE_MODEL: *(hsa_machine_model_t *)value = HSA_MACHINE_MODEL_LARGE; break;
    case HSA_CODE_OBJECT_INFO_PROFILE: *(hsa_profile_t *)value = HSA_PROFILE_BASE; break;
    case HSA_CODE_OBJECT_INFO_DEFAULT_FLOAT_ROUNDING_MODE:
        *(hsa_default_float_rounding_mode_t *)value = HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR;
        break;
    default: status = HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    ez_object_close(object);
    return status;
}

/* The symbols of a code object that is not loaded: no client asks for them any more. */
hsa_status_t hsa_code_object_get_symbol(hsa_code_object_t code, const char *name, hsa_code_symbol_t *symbol) {
    EZ_NEED_INIT();
    if (!code.handle) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    if (!name || !symbol) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
}

hsa_status_t hsa_code_object_get_symbol_from_name(hsa_code_object_t code, const char *module,
                                                  const char *name, hsa_code_symbol_t *symbol) {
    (void)module;
    return hsa_code_object_get_symbol(code, name, symbol);
}

hsa_status_t hsa_code_symbol_get_info(hsa_code_symbol_t symbol, hsa_code_symbol_info_t attribute,
                                      void *value) {
    EZ_NEED_INIT();
    (void)symbol;
    (void)attribute;
    return value ? HSA_STATUS_ERROR_INVALID_CODE_SYMBOL : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_code_object_iterate_symbols(hsa_code_object_t code,
                                             hsa_status_t (*callback)(hsa_code_object_t, hsa_code_symbol_t,
                                                                      void *),
                                             void *data) {
    EZ_NEED_INIT();
    (void)data;
    if (!code.handle) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    if (!callback) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return HSA_STATUS_SUCCESS;
}
