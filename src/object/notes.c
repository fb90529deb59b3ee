/* SPDX-License-Identifier: Apache-2.0 */
#include "object_internal.h"

#include <inttypes.h>

/* Owner and type of the notes that matter. Source: AMDGPUUsage, "Note Records". */
enum {
    NT_AMD_HSA_ISA_VERSION = 3, /* owner "AMD", version 2 */
    NT_AMD_HSA_METADATA = 10,   /* owner "AMD", version 2: YAML */
    NT_AMDGPU_METADATA = 32     /* owner "AMDGPU", from version 3: msgpack */
};

typedef struct note {
    const uint8_t *bytes;
    size_t size;
    uint64_t offset; /* of the bytes, in the file */
} note;

/* Two u16 lengths, then major, minor, stepping, then vendor and architecture as text. */
static ez_status read_isa_version(ez_object *object, const note *n, ez_error *err) {
    if (n->size < 16)
        return ez_error_at(err, EZ_ERR_FORMAT, n->offset,
                           "ISA version note of %zu bytes, expected at least 16", n->size);
    unsigned major = ez_le32(n->bytes + 4), minor = ez_le32(n->bytes + 8);
    unsigned stepping = ez_le32(n->bytes + 12);
    if (ez_target_id_of_version2(major, minor, stepping, &object->target_id)) return EZ_OK;
    return ez_error_at(err, EZ_ERR_UNSUPPORTED, n->offset,
                       "code for an unknown target: ISA version %u.%u.%u", major, minor, stepping);
}

static ez_status read_metadata(ez_object *object, const note *n, bool yaml, ez_error *err) {
    msgpack_zone *zone = msgpack_zone_new(MSGPACK_ZONE_CHUNK_SIZE);
    if (!zone) return ez_error_set(err, EZ_ERR_NOMEM, "out of memory");
    msgpack_object tree;
    ez_status status = yaml ? ez_yaml_read(n->bytes, n->size, n->offset, zone, &tree, err)
                            : ez_msgpack_read(n->bytes, n->size, n->offset, zone, &tree, err);
    if (!status)
        status = ez_metadata_add(&object->metadata, &object->arena, &tree, yaml, n->offset, err);
    msgpack_zone_free(zone);
    return status;
}

static bool is_owner(const uint8_t *name, size_t size, const char *owner) {
    size_t length = strlen(owner);
    return (size == length || size == length + 1) && memcmp(name, owner, length) == 0;
}

static ez_status read_note(ez_object *object, const GElf_Nhdr *h, const uint8_t *name,
                           const note *n, ez_error *err) {
    if (is_owner(name, h->n_namesz, "AMDGPU") && h->n_type == NT_AMDGPU_METADATA)
        return read_metadata(object, n, false, err);
    if (object->version != 2 || !is_owner(name, h->n_namesz, "AMD")) return EZ_OK;
    if (h->n_type == NT_AMD_HSA_METADATA) return read_metadata(object, n, true, err);
    if (h->n_type == NT_AMD_HSA_ISA_VERSION) return read_isa_version(object, n, err);
    return EZ_OK;
}

/* Every note of a region: a linker puts those of several inputs one after the other. `*seen` adds
 * up the regions, which in an honest file each have bytes of their own. */
static ez_status read_region(ez_object *object, const ez_elf *elf, uint64_t offset, uint64_t size,
                             uint64_t align, uint64_t *seen, ez_error *err) {
    if (!size) return EZ_OK;
    *seen += size;
    if (*seen > elf->size)
        return ez_error_at(err, EZ_ERR_FORMAT, offset,
                           "regions of notes are larger than the whole file");
    Elf_Data *data = elf_getdata_rawchunk(elf->elf, (int64_t)offset, size,
                                          align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
    if (!data) return ez_error_at(err, EZ_ERR_FORMAT, offset, "notes: %s", elf_errmsg(-1));
    for (size_t at = 0; at < size;) {
        GElf_Nhdr h;
        size_t name, bytes, next = gelf_getnote(data, at, &h, &name, &bytes);
        /* libelf lets a last note end within its padding; its own bytes must be there. */
        if (next <= at || !ez_within(name, h.n_namesz, size) || !ez_within(bytes, h.n_descsz, size))
            return ez_error_at(err, EZ_ERR_FORMAT, offset + at,
                               "note at offset %" PRIu64 " is cut off by the end of the %" PRIu64
                               " bytes of notes",
                               offset + at, size);
        note n = {elf->bytes + offset + bytes, h.n_descsz, offset + bytes};
        ez_status status = read_note(object, &h, elf->bytes + offset + name, &n, err);
        if (status) return status;
        at = next;
    }
    return EZ_OK;
}

ez_status ez_object_read_notes(ez_object *object, const ez_elf *elf, ez_error *err) {
    bool found = false;
    uint64_t seen = 0;
    ez_status status = EZ_OK;
    for (size_t i = 0; !status && i < elf->phnum; i++) {
        GElf_Phdr h;
        status = ez_elf_segment(elf, i, &h, err);
        if (status || h.p_type != PT_NOTE) continue;
        found = true;
        status = read_region(object, elf, h.p_offset, h.p_filesz, h.p_align, &seen, err);
    }
    for (size_t i = 0; !status && !found && i < elf->shnum; i++) {
        GElf_Shdr h;
        status = ez_elf_section(elf, i, &h, err);
        if (!status && h.sh_type == SHT_NOTE)
            status = read_region(object, elf, h.sh_offset, h.sh_size, h.sh_addralign, &seen, err);
    }
    if (!status) status = ez_metadata_sort(&object->metadata, err);
    return status;
}
