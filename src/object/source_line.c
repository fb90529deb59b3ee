/* SPDX-License-Identifier: Apache-2.0 */
/* Where code came from, by the DWARF line tables of a code object; libdw reads them, where execz was built with it. */
#include "object/object_internal.h"

#include <stdio.h>

#ifdef EZ_HAS_LIBDW
#include <elfutils/libdw.h>
#include <libelf.h>

/* The last row of a unit's line table at or before the address that has a line: 0 is code of no line. */
static bool find_in_unit(Dwarf_Die *unit, uint64_t address, ez_source_line *line) {
    Dwarf_Line *row = dwarf_getsrc_die(unit, address);
    const char *file = row ? dwarf_linesrc(row, NULL, NULL) : NULL;
    int number = 0, column = 0;
    if (!file || dwarf_lineno(row, &number) || number <= 0) return false;
    if (dwarf_linecol(row, &column) || column < 0) column = 0;
    snprintf(line->file, sizeof line->file, "%s", file);
    line->line = (unsigned)number;
    line->column = (unsigned)column;
    return true;
}

static bool find(Elf *elf, uint64_t address, ez_source_line *line) {
    Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    bool found = false;
    while (dwarf && !found && dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
        found = find_in_unit(&die, address, line);
    dwarf_end(dwarf);
    return found;
}

bool ez_object_source_line(const ez_object *object, uint64_t address, ez_source_line *line) {
    if (object->relocatable || elf_version(EV_CURRENT) == EV_NONE) return false;
    Elf *elf = elf_memory((char *)(uintptr_t)object->bytes, object->size);
    bool found = elf && find(elf, address, line);
    elf_end(elf);
    return found;
}
#else
bool ez_object_source_line(const ez_object *object, uint64_t address, ez_source_line *line) {
    (void)object;
    (void)address;
    (void)line;
    return false;
}
#endif
