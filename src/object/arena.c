/* SPDX-License-Identifier: Apache-2.0 */
#include "object_internal.h"

#include <stdalign.h>
#include <stdlib.h>

/* Small requests share blocks of this size; larger ones get a block of their own. */
enum { BLOCK_BYTES = 4096 };

struct ez_arena_block {
    ez_arena_block *next;
    size_t used, capacity;
    alignas(max_align_t) unsigned char bytes[];
};

static ez_arena_block *add_block(ez_arena *arena, size_t capacity) {
    if (capacity > SIZE_MAX - sizeof(ez_arena_block)) return NULL;
    ez_arena_block *block = calloc(1, sizeof *block + capacity);
    if (!block) return NULL;
    block->capacity = capacity;
    block->next = arena->blocks;
    arena->blocks = block;
    return block;
}

void *ez_arena_alloc(ez_arena *arena, size_t count, size_t size) {
    const size_t align = alignof(max_align_t);
    if (size && count > (SIZE_MAX - align) / size) return NULL;
    size_t bytes = (count * size + align - 1) / align * align;
    if (!bytes) bytes = align;
    ez_arena_block *block = arena->blocks;
    if (!block || bytes > block->capacity - block->used)
        block = add_block(arena, bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES);
    if (!block) return NULL;
    void *memory = block->bytes + block->used;
    block->used += bytes;
    return memory;
}

char *ez_arena_text(ez_arena *arena, const char *text, size_t length) {
    if (length == SIZE_MAX) return NULL;
    char *copy = ez_arena_alloc(arena, length + 1, 1);
    if (copy && length) memcpy(copy, text, length);
    return copy;
}

void ez_arena_free(ez_arena *arena) {
    for (ez_arena_block *block = arena->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    arena->blocks = NULL;
}
