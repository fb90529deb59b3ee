/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of libhsa-runtime64 share. The HSA interface has one state for a process (hsa_init counts
 * its users), so there is one, ez_rt, and nothing mutable beside it. Handles are addresses of its parts.
 */
#ifndef EZ_HSA_RUNTIME_H
#define EZ_HSA_RUNTIME_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include "execz/execz.h"

enum {
    EZ_MAX_AGENTS = 17, /* a CPU and up to 16 GPUs */
    EZ_AGENT_POOLS = 3,
    EZ_GRANULE = 4096 /* of allocations, as ROCr's */
};

typedef struct ez_agent ez_agent;
typedef struct ez_alias ez_alias;

/* A memory pool; the older interface calls it a region. */
typedef struct ez_pool {
    ez_agent *agent;
    hsa_amd_segment_t segment;
    uint32_t flags; /* HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_..., the same bits as of a region */
    uint64_t size;
} ez_pool;

struct ez_agent {
    unsigned index;          /* in ez_rt.agent; 0 is the CPU */
    const ez_target *target; /* NULL: the CPU */
    const ez_board *board;
    ez_target_id id;   /* with its settings of sramecc and xnack */
    char isa[96];      /* "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-" */
    ez_device *device; /* NULL: the CPU */
    ez_pool pool[EZ_AGENT_POOLS];
    unsigned pool_count;
};

/* ---- signals (signal.c) ---------------------------------------------------------------------- */

/* A signal as kernels and clients see it, and who sleeps on it. */
typedef struct ez_signal {
    amd_signal_t abi;
    atomic_uint waiters;  /* threads that sleep on `sequence` */
    atomic_uint sequence; /* futex: counts changes while there are waiters */
    atomic_uint watchers; /* threads that sleep on ez_rt.watch because of this signal among others */
    bool shared;          /* with other processes: a mapping of `file` of `process` */
    int file;
    uint32_t process;
    struct ez_signal *next_free;
} ez_signal;

static inline ez_signal *ez_signal_of(hsa_signal_t handle) {
    return (ez_signal *)(uintptr_t)handle.handle;
}
static inline hsa_signal_t ez_signal_handle(ez_signal *signal) {
    return (hsa_signal_t){(uint64_t)(uintptr_t)signal};
}

ez_signal *ez_signal_new(int64_t value); /* NULL: no memory */
void ez_signal_delete(ez_signal *signal);
void ez_signals_free(void);                     /* all of them, at the end */
ez_signal *ez_shared_signal_new(int64_t value); /* ipc.c */
void ez_shared_signal_delete(ez_signal *signal);

static inline int64_t ez_signal_value(const ez_signal *signal) {
    return __atomic_load_n(&signal->abi.value, __ATOMIC_ACQUIRE);
}
/* When what it stands for ran; packets of several queues may have one signal, then one of them is seen. */
static inline void ez_signal_set_times(ez_signal *signal, uint64_t start, uint64_t end) {
    __atomic_store_n(&signal->abi.start_ts, start, __ATOMIC_RELAXED);
    __atomic_store_n(&signal->abi.end_ts, end, __ATOMIC_RELAXED);
}
void ez_signal_subtract(ez_signal *signal, int64_t value); /* and wake who waits */
void ez_signal_notify(ez_signal *signal);                  /* after a change of its value */
void ez_signals_interrupt(void);                           /* a kernel has changed one */
bool ez_signal_meets(int64_t value, hsa_signal_condition_t condition, int64_t compare);
/* The value when it meets the condition or the time (ns, UINT64_MAX: for ever) is over. */
int64_t ez_signal_wait(ez_signal *signal, hsa_signal_condition_t condition, int64_t compare,
                       uint64_t timeout);
/* The parts of a wait for something else than a value: enlist, look whether to sleep at all, sleep until the
 * signal is changed or for a moment, dismiss. */
unsigned ez_signal_enlist(ez_signal *signal);
void ez_signal_sleep(ez_signal *signal, unsigned sequence);
void ez_signal_dismiss(ez_signal *signal);

/* Those who wait for several signals: enlist at each, read the word, look at the signals, sleep. */
static inline void ez_watch(ez_signal *signal) {
    atomic_fetch_add(&signal->watchers, 1);
}
static inline void ez_unwatch(ez_signal *signal) {
    atomic_fetch_sub(&signal->watchers, 1);
}
unsigned ez_watch_word(void);
void ez_watch_sleep(unsigned word, uint64_t timeout);
void ez_watch_wake(void);

/* ---- memory (memory.c, host_memory.c) -------------------------------------------------------- */

typedef struct ez_block {
    uint8_t *base;
    size_t size, mapped; /* bytes asked for; bytes of the mapping with its guard page */
    int file;            /* that it is a shared mapping of; -1: none */
    hsa_amd_pointer_type_t type;
    ez_pool *pool;   /* NULL: memory of another process */
    uint32_t access; /* bit n: agent n may use it */
    void *user_data;
    hsa_amd_deallocation_callback_t freed; /* NULL: none */
    void *freed_data;
} ez_block;

hsa_status_t ez_block_new(ez_pool *pool, size_t size, uint32_t access, ez_block **block);
/* A block that maps `size` bytes of a file, which it then owns; on failure it is closed. */
hsa_status_t ez_block_map(int file, size_t size, uint32_t access, ez_block **block);
/* Takes the block that begins at `base` away and frees it; false: there is none. */
bool ez_block_free(const void *base);
/* The block that holds `address`, or NULL. Call with ez_rt.memory_lock held. */
ez_block *ez_block_find(const void *address);
/* Bytes of its global memory that are not allocated. */
uint64_t ez_memory_available(const ez_agent *agent);
bool ez_grant(ez_agent *agent, void *base, size_t size, const char *label);
void ez_blocks_free(void);
/* Host memory of the client that kernels may use; ranges may overlap and count their users. */
hsa_status_t ez_host_add(void *base, size_t size, uint32_t agents);
bool ez_host_remove(void *base);
/* What is known of the locked or registered memory at a host's or an agent's address. Call with memory_lock held. */
typedef struct ez_host_view {
    void *host, *agent; /* where it begins */
    size_t size;
    uint32_t agents;
} ez_host_view;
bool ez_host_find(const void *address, ez_host_view *view);
/* Where the host has what an agent's address means. */
void *ez_host_address(const void *pointer);
void ez_host_free(void);

/* What is known of reserved or mapped virtual memory at an address (vmem.c). Call with memory_lock held. */
typedef struct ez_vmem_view {
    uint8_t *base;
    size_t size;
    ez_pool *pool;   /* NULL: reserved, not mapped */
    uint32_t access; /* bit n: agent n may use it */
} ez_vmem_view;
bool ez_vmem_find(const void *address, ez_vmem_view *view);
void ez_vmem_end(void);

/* ---- queues (queue.c, packet.c) -------------------------------------------------------------- */

typedef void (*ez_queue_error)(hsa_status_t status, hsa_queue_t *source, void *data);

typedef struct ez_queue {
    amd_queue_t abi; /* first: the client's hsa_queue_t and the kernel's amd_queue_t */
    ez_agent *agent; /* NULL: a soft queue, whose packets the client processes */
    ez_signal *doorbell;
    ez_queue_error error;
    void *error_data;
    pthread_t thread;
    atomic_bool stop; /* destroyed or inactivated */
    bool threaded;
    uint32_t cu_mask[32];
    struct ez_queue *next;
    size_t mapped; /* bytes of this struct with the ring behind it */
} ez_queue;

bool ez_queue_ready(const ez_queue *queue); /* whether the next packet is there */

/* Processes the packet at the read index. False: it is not there yet. */
bool ez_queue_step(ez_queue *queue);
void ez_queues_free(void);

/* ---- executables (executable.c, symbol.c) ---------------------------------------------------- */

/* The bytes of a code object, shared by the reader and the executables that were loaded from it. */
typedef struct ez_code {
    atomic_uint users;
    size_t size;
    int file;           /* of the client, -1: memory */
    const void *origin; /* where the client had it */
    uint8_t bytes[];
} ez_code;

/* A symbol of a code object that was loaded; its address is the handle. */
typedef struct ez_exec_symbol {
    struct ez_loaded *loaded;
    const ez_symbol *symbol;
    const ez_kernel *kernel; /* NULL: a variable */
} ez_exec_symbol;

/* A code object on an agent. */
typedef struct ez_loaded {
    struct ez_executable *executable;
    ez_agent *agent;
    ez_code *code;
    ez_object *object;
    ez_module *module;
    ez_exec_symbol *symbol; /* [symbol_count], the global ones */
    size_t symbol_count;
    uint64_t size;          /* bytes from the module's base on */
    struct ez_loaded *next; /* in the order of loading */
} ez_loaded;

/* A variable that the client defined for an executable. */
typedef struct ez_definition {
    ez_agent *agent; /* NULL: for all */
    char *name;
    uint64_t address;
    struct ez_definition *next;
} ez_definition;

typedef struct ez_executable {
    hsa_profile_t profile;
    hsa_default_float_rounding_mode_t rounding;
    bool frozen;
    ez_loaded *loaded;
    ez_definition *definitions;
    struct ez_executable *next;
} ez_executable;

/* NULL: no executable has this handle. Call with loader_lock held. */
ez_executable *ez_executable_of(hsa_executable_t handle);
static inline hsa_executable_t ez_executable_handle(const ez_executable *executable) {
    return (hsa_executable_t){(uint64_t)(uintptr_t)executable};
}
/* Loads the code for an agent, with ez_rt.loader_lock held for writing. */
hsa_status_t ez_executable_load(ez_executable *executable, ez_agent *agent, ez_code *code,
                                ez_loaded **loaded);

ez_code *ez_code_new(const void *bytes, size_t size, int file);
void ez_code_drop(ez_code *code);
/* The kernel whose descriptor is at that device address; false: none. */
bool ez_kernel_at(uint64_t descriptor, ez_agent *agent, const ez_module **module, const ez_kernel **kernel);
void ez_executables_free(void);

/* ---- copies, handlers ------------------------------------------------------------------------ */

void ez_copies_stop(void);
void ez_handlers_stop(void);

/* ---- faults (fault.c) ------------------------------------------------------------------------ */

/* Reports why a dispatch stopped early and does what ROCr does then. */
void ez_fault_raise(ez_queue *queue, const ez_dispatch *dispatch, ez_status status, const ez_result *result,
                    const ez_error *err);
/* The same for a packet that cannot be processed. */
void ez_queue_fail(ez_queue *queue, hsa_status_t status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- traces (trace.c) ------------------------------------------------------------------------ */

void ez_trace_start(void);
void ez_trace_dispatch(const ez_queue *queue, const ez_dispatch *dispatch, const ez_result *result,
                       uint64_t start, uint64_t end);
void ez_trace_flush(void);
void ez_trace_copy(uint64_t bytes, uint64_t start, uint64_t end);
/* Before a module is unloaded: what was executed of it goes to the fidelity report. */
void ez_trace_module(ez_module *module);

/* ---- progress of long kernels (progress.c) --------------------------------------------------- */

/* The line on a terminal; zero at the start. */
typedef struct ez_progress_line {
    bool shown;
} ez_progress_line;
void ez_progress_show(ez_progress_line *line, const char *kernel, const ez_progress *progress);
void ez_progress_clear(ez_progress_line *line);

/* ---- the state (runtime.c) ------------------------------------------------------------------- */

typedef struct ez_runtime {
    pthread_mutex_t lock; /* of references, queues, handlers for events */
    unsigned references;  /* hsa_init minus hsa_shut_down */
    unsigned processors;  /* of the host; to ask the system for each dispatch costs as much as a small kernel */
    ez_agent agent[EZ_MAX_AGENTS];
    unsigned agent_count;

    bool keep_going; /* EXECZ_FAULTS=error */
    bool terminal;   /* standard error is one: long kernels show how far they are */
    hsa_amd_system_event_callback_t event;
    void *event_data;
    ez_queue *queues;
    uint64_t queue_ids;

    pthread_mutex_t signal_lock;
    ez_signal *free_signals;
    struct ez_slab *slabs;
    atomic_uint watch; /* futex of those who wait for several signals */

    pthread_mutex_t memory_lock;
    ez_block **block; /* sorted by base */
    size_t block_count, block_room;
    struct ez_host_range *host;
    size_t host_count, host_room;
    ez_alias *aliases;
    struct ez_vmem *vmem; /* NULL: not used yet */

    pthread_rwlock_t loader_lock;
    ez_executable *executables;

    struct ez_worker_state {
        pthread_mutex_t lock;
        pthread_t thread;
        bool running, stop;
        void *head; /* of its list */
    } copies, handlers;

    struct ez_trace {
        pthread_mutex_t lock;
        bool started, wanted; /* wanted: by a file or for the sums */
        bool stats;
        ez_fidelity_report *fidelity; /* NULL: not wanted */
        FILE *file; /* NULL: none */
        uint64_t events, dispatches, instructions, dispatch_ns, copies, bytes;
    } trace;
} ez_runtime;

extern ez_runtime ez_rt;

/* Ends the thread, which returns when it finds `stop`; what is left in the list is the caller's. */
void ez_worker_stop(struct ez_worker_state *worker);

uint64_t ez_now(void); /* ns: the ticks of this runtime */

/* What every call but hsa_init checks first. */
#define EZ_NEED_INIT()                                                                                       \
    do                                                                                                       \
        if (!ez_rt.references) return HSA_STATUS_ERROR_NOT_INITIALIZED;                                      \
    while (0)

/* NULL: no agent or pool has this handle. */
ez_agent *ez_agent_of(hsa_agent_t handle);
ez_pool *ez_pool_of(uint64_t handle);
static inline hsa_agent_t ez_agent_handle(const ez_agent *agent) {
    return (hsa_agent_t){(uint64_t)(uintptr_t)agent};
}
/* Makes the agents that EXECZ_TARGET names (agent.c). */
hsa_status_t ez_agents_make(void);
void ez_agents_free(void);

hsa_status_t ez_hsa_status(ez_status status);

#endif
