/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECZ_DEVICE_H
#define EXECZ_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "execz/error.h"
#include "execz/exec.h"
#include "execz/object.h"
#include "execz/target.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A device: one target with memory, on which the kernels of code objects run.
 *
 *     ez_device_create ─▶ ez_device_allocate (buffers), ez_module_load (code objects)
 *                      ─▶ ez_dispatch_run (a grid of work-items) ─▶ ez_result
 *
 * GPU memory is host memory: the address that a kernel uses is the host address, but for aliases. Every access of a
 * kernel is checked against the device's ranges first, so a wild pointer is a fact in ez_result and
 * never a crash of the host.
 *
 * A device may be used by several threads at once, dispatches included. What a running dispatch
 * uses must stay until it has returned.
 */
typedef struct ez_device ez_device;
typedef struct ez_module ez_module;

/* ---- Device and memory ----------------------------------------------------------------------- */

/* EZ_ERR_ARGUMENT, EZ_ERR_NOMEM; *device is then NULL. */
ez_status ez_device_create(const ez_target *target, ez_device **device, ez_error *err);
/* Frees everything that was allocated or loaded and still exists. NULL is allowed. */
void ez_device_destroy(ez_device *device);
const ez_target *ez_device_target(const ez_device *device);

enum { EZ_MEMORY_READ = 1, EZ_MEMORY_WRITE = 2, EZ_MEMORY_EXECUTE = 4 };

/* A range of memory that kernels may use. */
typedef struct ez_range {
    uint64_t address;  /* the host address of its first byte */
    uint64_t size;     /* bytes, not 0 */
    unsigned flags;    /* EZ_MEMORY_... */
    char label[40];    /* what it is, for reports: "buffer", "kernarg", "code"; cut to fit */
} ez_range;

/*
 * `size` bytes of zeroed memory, a multiple of `alignment` (a power of two, at most 1 MiB; 0 means
 * 256), readable and writable by kernels. A size of 0 gives a valid pointer that no kernel may
 * follow. Unmapped addresses lie on both sides of it, so that accesses just outside are found.
 * EZ_ERR_NOMEM, EZ_ERR_ARGUMENT.
 */
ez_status ez_device_allocate(ez_device *device, uint64_t size, uint64_t alignment,
                             const char *label, void **pointer, ez_error *err);
/* Frees what ez_device_allocate() gave. EZ_ERR_ARGUMENT for any other pointer but NULL. */
ez_status ez_device_free(ez_device *device, void *pointer);

/*
 * Lets kernels use host memory [pointer, pointer + size) that the caller owns, with these
 * EZ_MEMORY_ flags. EZ_ERR_ARGUMENT when the size is 0, the range wraps or overlaps another.
 */
ez_status ez_device_register(ez_device *device, void *pointer, uint64_t size, unsigned flags,
                             const char *label, ez_error *err);
/*
 * The same, but registered ranges that lie inside this one give way to it in one step, so that a kernel that
 * is using them goes on. EZ_ERR_ARGUMENT also when a range reaches out of it or is the device's own.
 */
ez_status ez_device_register_over(ez_device *device, void *pointer, uint64_t size, unsigned flags,
                                  const char *label, ez_error *err);
/*
 * The same at a device address of the caller's choice, which must not be that of other memory. What kernels do there
 * happens at `pointer`. Reports speak of the device address. ez_device_unregister() takes it away by that.
 */
ez_status ez_device_register_alias(ez_device *device, uint64_t address, void *pointer, uint64_t size,
                                   unsigned flags, const char *label, ez_error *err);
/* Takes a registered range away; `pointer` is where it begins. EZ_ERR_NOT_FOUND. */
ez_status ez_device_unregister(ez_device *device, void *pointer);

/*
 * The range that contains `address`, or failing that the nearest one by distance to its closest
 * byte: *distance is 0 inside, positive beyond its end, negative before its start (bytes, clamped).
 * False when the device has no range at all.
 */
bool ez_device_nearest(ez_device *device, uint64_t address, ez_range *range, int64_t *distance);

/* ---- Modules --------------------------------------------------------------------------------- */

/*
 * Puts a code object into device memory: segments copied to one block of memory with the layout
 * that the file asks for, relocations applied, protection of each segment noted. The object is
 * borrowed until ez_module_unload(). Undefined symbols are an error.
 *   EZ_ERR_UNSUPPORTED  a relocatable object (link it first); a relocation that needs a GOT
 *   EZ_ERR_ARGUMENT     compiled for a target that the device cannot run
 *   EZ_ERR_FORMAT, EZ_ERR_NOT_FOUND (undefined symbol), EZ_ERR_LIMIT (absurd size), EZ_ERR_NOMEM
 */
ez_status ez_module_load(ez_device *device, const ez_object *object, ez_module **module,
                         ez_error *err);
/* The same, but `resolve` is asked for the address of each undefined symbol; false: it does not know it either. */
typedef bool (*ez_resolve_symbol)(const char *name, uint64_t *address, void *user);
ez_status ez_module_load_with(ez_device *device, const ez_object *object, ez_resolve_symbol resolve, void *user,
                              ez_module **module, ez_error *err);
void ez_module_unload(ez_module *module); /* NULL is allowed */

const ez_object *ez_module_object(const ez_module *module);
/* What the object's address 0 is loaded at: device address = base + object address. */
uint64_t ez_module_base(const ez_module *module);
/* The device address and size of a defined symbol, such as a __device__ variable. */
ez_status ez_module_symbol(const ez_module *module, const char *name, uint64_t *address,
                           uint64_t *size, ez_error *err);

/* ---- Dispatch -------------------------------------------------------------------------------- */

/* How a kernel reads its hidden arguments. */
typedef enum ez_hidden_layout {
    EZ_HIDDEN_AUTO = 0, /* EZ_HIDDEN_LIBCLC for a kernel that shows the signs of libclc, else EZ_HIDDEN_AMDHSA */
    EZ_HIDDEN_AMDHSA,   /* as its metadata says. Source: [LLVM] AMDGPUUsage, "Code Object V5 Metadata" */
    EZ_HIDDEN_LIBCLC    /* work dimensions and global offsets first, 32 bits each; docs/errata.md says why */
} ez_hidden_layout;

/* How far a dispatch is. */
typedef struct ez_progress {
    uint64_t workgroups, workgroup_count; /* finished; all */
    uint64_t instructions;                /* executed by all waves */
    uint64_t time_ns;                     /* wall-clock, from its start on */
} ez_progress;

/*
 * What to run. Zero-initialise and fill in what is needed; zero means the default throughout.
 * Source of what registers and memory a kernel starts with: LLVM AMDGPUUsage, "Initial Kernel
 * Execution State", "Kernel Descriptor", "Code Object V5 Metadata".
 */
typedef struct ez_dispatch {
    const ez_module *module;
    const ez_kernel *kernel; /* of the module's object */
    uint32_t grid[3];        /* work-items in x, y, z; 0 counts as 1. Need not be multiples of block */
    uint32_t block[3];       /* work-items of a workgroup in x, y, z; 0 counts as 1 */
    uint64_t global_offset[3]; /* of hidden_global_offset_x, y, z */

    /* The explicit arguments, at the offsets of the kernel's metadata, `kernarg_size` bytes; hidden
     * arguments are added behind and filled in. Or, with kernarg_address, the complete segment in
     * device memory as a packet has it: nothing is then copied or filled in. */
    const void *kernarg;
    size_t kernarg_size;
    uint64_t kernarg_address;
    ez_hidden_layout hidden;

    uint32_t dynamic_lds;     /* bytes behind the kernel's own LDS */
    uint32_t private_bytes;   /* scratch of a work-item; 0: by descriptor, and 16 KiB more for a dynamic stack */
    uint64_t hostcall_buffer; /* device addresses for hidden arguments; 0: none */
    uint64_t printf_buffer;
    uint64_t heap;
    uint64_t dispatch_ptr; /* an AQL packet in device memory, whose block is not compared with the metadata; 0: one is made */
    uint64_t queue_ptr;    /* an amd_queue_t in device memory; 0: one is made */
    uint64_t dispatch_id;

    unsigned threads;          /* host threads; 0: one for each processor */
    bool deterministic;        /* one thread, workgroups and waves in a fixed order */
    uint64_t max_instructions; /* of all waves together; 0: no limit */
    uint64_t timeout_ns;       /* wall-clock; 0: no limit */
    bool fidelity;             /* note what is executed, for ez_fidelity_add() */
    /* Called when a wave sends an interrupt to the host, from any thread of the dispatch. NULL: to nobody. */
    void (*interrupt)(uint32_t m0, void *user);
    void *interrupt_user;
    /* Called some 20 times a second, by one of the dispatch's threads at a time; false ends it (STOPPED). NULL: nobody. */
    bool (*watch)(const ez_progress *progress, void *user);
    void *watch_user;
} ez_dispatch;

typedef enum ez_outcome {
    EZ_OUTCOME_DONE = 0,
    EZ_OUTCOME_FAULT,        /* a wave did something that it may not; see ez_result.fault */
    EZ_OUTCOME_INSTRUCTIONS, /* max_instructions reached */
    EZ_OUTCOME_TIMEOUT,      /* timeout_ns over */
    EZ_OUTCOME_STOPPED,      /* watch() has ended it */
    EZ_OUTCOME_DEADLOCK      /* waves wait at a barrier that nobody can complete any more */
} ez_outcome;

/* Where a fault, a limit or a deadlock was, and what it was about. */
typedef struct ez_fault_report {
    unsigned kind;             /* EZ_FAULT_... of execz/exec.h; 0: none (a limit) */
    char message[200];         /* one line */
    char kernel[80];           /* name, cut to fit */
    uint32_t workgroup[3];     /* ids in x, y, z */
    uint32_t wave;             /* within the workgroup */
    uint64_t pc;               /* device address of the instruction */
    uint64_t code_offset;      /* the same as an address of the code object */
    uint8_t bytes[24];         /* of the instruction, in memory order */
    uint32_t byte_count;       /* 0: no code can be read there */
    uint64_t exec;             /* active lanes */
    uint32_t lane;             /* the first lane that faulted; EZ_NO_LANE for a scalar access */
    uint32_t work_item[3];     /* id of that lane within the workgroup */
    bool has_address;
    uint64_t address;          /* of the access */
    uint32_t size;             /* bytes */
    unsigned access;           /* EZ_MEMORY_READ, _WRITE or both (an atomic) */
    bool has_nearest;
    ez_range nearest;          /* the nearest range; of an offset into LDS or private memory all of that, from 0 */
    int64_t distance;          /* as in ez_device_nearest() */
} ez_fault_report;

#define EZ_NO_LANE UINT32_MAX

typedef struct ez_result {
    ez_outcome outcome;
    ez_fault_report fault; /* of the first wave that stopped early, in order of time */
    uint64_t instructions; /* executed by all waves */
    uint64_t workgroups;   /* finished */
    uint64_t waves;        /* started */
    uint64_t time_ns;      /* wall-clock, set-up included */
    unsigned threads;      /* that took part */
} ez_result;

/*
 * Runs a dispatch to its end. The return says whether there was one to run:
 *   EZ_OK               it ran to its end
 *   EZ_ERR_FAULT        it stopped early; *result has the facts (outcome FAULT or DEADLOCK)
 *   EZ_ERR_LIMIT        a limit of the caller was reached (INSTRUCTIONS, TIMEOUT, STOPPED)
 *   EZ_ERR_ARGUMENT     sizes that the kernel or the target does not allow
 *   EZ_ERR_UNSUPPORTED, EZ_ERR_NOMEM
 * `result` may be NULL. *err is written on every return but EZ_OK.
 */
ez_status ez_dispatch_run(ez_device *device, const ez_dispatch *dispatch, ez_result *result,
                          ez_error *err);

/* ---- Fidelity -------------------------------------------------------------------------------- */

/* What dispatches with `fidelity` have executed, an entry for each instruction by name. */
typedef struct ez_fidelity_report ez_fidelity_report;
typedef struct ez_fidelity_entry {
    char name[48];        /* "v_exp_f32"; of a dual instruction "v_dual_mov_b32 :: v_dual_mul_f32" */
    ez_fidelity fidelity; /* the entries of one name differ in this or in the reason */
    uint32_t ulp;         /* of what is approximate: the bound, or EZ_ULP_UNKNOWN */
    const char *reason;   /* of what is unsupported: a static phrase; otherwise NULL */
    uint64_t places;      /* how many instructions of the code it was */
    uint64_t first;       /* address of the first one in the code object */
} ez_fidelity_entry;

/* An empty report; NULL when there is no memory. */
ez_fidelity_report *ez_fidelity_create(void);
void ez_fidelity_destroy(ez_fidelity_report *report); /* NULL is allowed */

/* Adds what was executed of a module since it was loaded. EZ_ERR_NOMEM: the report is as it was, or lacks entries. */
ez_status ez_fidelity_add(ez_fidelity_report *report, ez_module *module);

/* The entries: unsupported ones first, then approximate, then exact ones, by name. Borrowed until the next call. */
const ez_fidelity_entry *ez_fidelity_entries(ez_fidelity_report *report, size_t *count);

/* The report as lines of text, at most `room` bytes with the final 0. Returns the length of all of it, as snprintf() does. */
size_t ez_fidelity_print(ez_fidelity_report *report, char *text, size_t room);

#ifdef __cplusplus
}
#endif
#endif
