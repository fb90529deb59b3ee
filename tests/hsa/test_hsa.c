/* SPDX-License-Identifier: Apache-2.0 */
/* The HSA interface called as clients call it. Expected: what the HSA specification and ROCr's headers say. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ext_image.h>

#include "hsa/newer.h"

#define OK(x) assert_int_equal(x, HSA_STATUS_SUCCESS)

static hsa_agent_t cpu, gpu;
static hsa_amd_memory_pool_t host_pool, device_pool;
static hsa_executable_t executable;

/* ---- set-up ---- */

static hsa_status_t take_agent(hsa_agent_t agent, void *data) {
    hsa_device_type_t type;
    (void)data;
    OK(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
    *(type == HSA_DEVICE_TYPE_GPU ? &gpu : &cpu) = agent;
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t take_pool(hsa_amd_memory_pool_t pool, void *data) {
    hsa_amd_segment_t segment;
    hsa_amd_memory_pool_t *wanted = data;
    OK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
    if (segment == HSA_AMD_SEGMENT_GLOBAL && !wanted->handle) *wanted = pool;
    return HSA_STATUS_SUCCESS;
}

static void load(void) {
    hsa_code_object_reader_t reader;
    FILE *file = fopen(HSA_KERNELS, "rb");
    assert_non_null(file);
    OK(hsa_code_object_reader_create_from_file(fileno(file), &reader));
    fclose(file);
    OK(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL,
                                 &executable));
    OK(hsa_executable_load_agent_code_object(executable, gpu, reader, NULL, NULL));
    OK(hsa_code_object_reader_destroy(reader));
    OK(hsa_executable_freeze(executable, NULL));
}

static int begin(void **state) {
    (void)state;
    if (access(HSA_KERNELS, R_OK)) return -1;
    setenv("EXECZ_TARGET", "gfx90a", 1);
    host_pool.handle = device_pool.handle = 0;
    OK(hsa_init());
    OK(hsa_iterate_agents(take_agent, NULL));
    OK(hsa_amd_agent_iterate_memory_pools(cpu, take_pool, &host_pool));
    OK(hsa_amd_agent_iterate_memory_pools(gpu, take_pool, &device_pool));
    load();
    return 0;
}

static int end(void **state) {
    (void)state;
    OK(hsa_executable_destroy(executable));
    OK(hsa_shut_down());
    assert_int_equal(hsa_shut_down(), HSA_STATUS_ERROR_NOT_INITIALIZED);
    return 0;
}

static uint64_t kernel(const char *name) {
    hsa_executable_symbol_t symbol;
    uint64_t object = 0;
    OK(hsa_executable_get_symbol_by_name(executable, name, &gpu, &symbol));
    OK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object));
    return object;
}

static void *allocate(size_t size) {
    void *p;
    OK(hsa_amd_memory_pool_allocate(host_pool, size, 0, &p));
    OK(hsa_amd_agents_allow_access(1, &gpu, NULL, p));
    return p;
}

static void ring(hsa_queue_t *q, uint64_t index, const void *packet, uint16_t header) {
    char *slot = (char *)q->base_address + index % q->size * 64;
    memcpy(slot + 2, (const char *)packet + 2, 62);
    __atomic_store_n((uint16_t *)(void *)slot, header, __ATOMIC_RELEASE);
    hsa_signal_store_screlease(q->doorbell_signal, (hsa_signal_value_t)index);
}

enum {
    DISPATCH = HSA_PACKET_TYPE_KERNEL_DISPATCH | 1 << HSA_PACKET_HEADER_BARRIER,
    AND = HSA_PACKET_TYPE_BARRIER_AND | 1 << HSA_PACKET_HEADER_BARRIER,
    OR = HSA_PACKET_TYPE_BARRIER_OR | 1 << HSA_PACKET_HEADER_BARRIER
};

static void launch(hsa_queue_t *q, uint64_t object, void *kernarg, uint32_t items, hsa_signal_t done) {
    uint64_t index = hsa_queue_add_write_index_scacq_screl(q, 1);
    while (index - hsa_queue_load_read_index_scacquire(q) >= q->size)
        usleep(10);
    hsa_kernel_dispatch_packet_t p = {.setup = 1,
                                      .workgroup_size_x = 64,
                                      .workgroup_size_y = 1,
                                      .workgroup_size_z = 1,
                                      .grid_size_x = items,
                                      .grid_size_y = 1,
                                      .grid_size_z = 1,
                                      .kernel_object = object,
                                      .kernarg_address = kernarg,
                                      .completion_signal = done};
    ring(q, index, &p, DISPATCH);
}

static void barrier(hsa_queue_t *q, uint16_t header, hsa_signal_t a, hsa_signal_t b, hsa_signal_t done) {
    uint64_t index = hsa_queue_add_write_index_scacq_screl(q, 1);
    hsa_barrier_and_packet_t p = {.dep_signal = {a, b}, .completion_signal = done};
    ring(q, index, &p, header);
}

static hsa_signal_t new_signal(int64_t value) {
    hsa_signal_t s;
    OK(hsa_signal_create(value, 0, NULL, &s));
    return s;
}

static int64_t wait_zero(hsa_signal_t s) {
    return hsa_signal_wait_scacquire(s, HSA_SIGNAL_CONDITION_LT, 1, 30000000000u, HSA_WAIT_STATE_BLOCKED);
}

static hsa_queue_t *new_queue(uint32_t size) {
    hsa_queue_t *q;
    OK(hsa_queue_create(gpu, size, HSA_QUEUE_TYPE_MULTI, NULL, NULL, UINT32_MAX, UINT32_MAX, &q));
    return q;
}

/* ---- signals ---- */

static void signal_operations(void **state) {
    (void)state;
    hsa_signal_t s = new_signal(5);
    hsa_signal_add_relaxed(s, 3);
    hsa_signal_subtract_screlease(s, 1);
    assert_int_equal(hsa_signal_load_scacquire(s), 7);
    hsa_signal_and_scacq_screl(s, 6);
    hsa_signal_or_acquire(s, 9);
    hsa_signal_xor_relaxed(s, 1);
    assert_int_equal(hsa_signal_load_relaxed(s), 14);
    assert_int_equal(hsa_signal_exchange_scacq_screl(s, 20), 14);
    assert_int_equal(hsa_signal_cas_scacq_screl(s, 1, 2), 20);
    assert_int_equal(hsa_signal_cas_relaxed(s, 20, -3), 20);
    assert_int_equal(hsa_signal_load_acquire(s), -3);
    assert_int_equal(hsa_signal_wait_relaxed(s, HSA_SIGNAL_CONDITION_EQ, 0, 1000000, HSA_WAIT_STATE_ACTIVE),
                     -3);
    OK(hsa_signal_destroy(s));
}

static atomic_int calls;
static bool count_call(hsa_signal_value_t value, void *argument) {
    (void)value;
    (void)argument;
    return atomic_fetch_add(&calls, 1) < 1; /* twice */
}

static void *store_later(void *argument) {
    usleep(20000);
    hsa_signal_store_screlease(*(hsa_signal_t *)argument, 1);
    return NULL;
}

static void waiting(void **state) {
    (void)state;
    hsa_signal_t s[3] = {new_signal(0), new_signal(0), new_signal(0)};
    hsa_signal_condition_t conditions[3] = {HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_EQ,
                                            HSA_SIGNAL_CONDITION_EQ};
    hsa_signal_value_t compare[3] = {1, 1, 1}, value = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, store_later, &s[1]);
    assert_int_equal(
        hsa_amd_signal_wait_any(3, s, conditions, compare, UINT64_MAX, HSA_WAIT_STATE_BLOCKED, &value), 1);
    assert_int_equal(value, 1);
    pthread_join(thread, NULL);
    assert_int_equal(hsa_amd_signal_wait_any(1, s, conditions, compare, 1000, HSA_WAIT_STATE_BLOCKED, NULL),
                     UINT32_MAX);
    atomic_store(&calls, 0);
    OK(hsa_amd_signal_async_handler(s[2], HSA_SIGNAL_CONDITION_GTE, 1, count_call, NULL));
    hsa_signal_store_relaxed(s[2], 1);
    for (int i = 0; i < 5000 && atomic_load(&calls) < 2; i++)
        usleep(1000);
    usleep(20000);
    assert_int_equal(atomic_load(&calls), 2);
    for (int i = 0; i < 3; i++)
        OK(hsa_signal_destroy(s[i]));
}

static void shared_signal(void **state) {
    (void)state;
    hsa_signal_t s, other;
    hsa_amd_ipc_signal_t handle;
    OK(hsa_amd_signal_create(1, 0, NULL, HSA_AMD_SIGNAL_IPC, &s));
    OK(hsa_amd_ipc_signal_create(s, &handle));
    pid_t child = fork();
    if (child == 0) {
        if (hsa_amd_ipc_signal_attach(&handle, &other)) _exit(1);
        usleep(10000);
        hsa_signal_subtract_relaxed(other, 1);
        _exit(0);
    }
    assert_int_equal(wait_zero(s), 0);
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    OK(hsa_signal_destroy(s));
}

/* ---- queues ---- */

struct producer {
    hsa_queue_t *queue;
    void *kernarg;
    hsa_signal_t done;
    int launches;
};

static void *produce(void *argument) {
    struct producer *p = argument;
    uint64_t object = kernel("count.kd");
    for (int i = 0; i < p->launches; i++)
        launch(p->queue, object, p->kernarg, 64, p->done);
    return NULL;
}

/* Four threads write to one small ring, which wraps around many times; nothing is lost or run twice. */
static void many_producers(void **state) {
    (void)state;
    enum { THREADS = 4, LAUNCHES = 250 };
    hsa_queue_t *q = new_queue(64);
    uint32_t *counter = allocate(4);
    void **kernarg = allocate(8);
    *kernarg = counter;
    struct producer p = {q, kernarg, new_signal(THREADS * LAUNCHES), LAUNCHES};
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, produce, &p);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(wait_zero(p.done), 0);
    assert_int_equal(*counter, THREADS * LAUNCHES * 64);
    assert_int_equal(hsa_queue_load_read_index_relaxed(q), THREADS * LAUNCHES);
    OK(hsa_queue_destroy(q));
    OK(hsa_signal_destroy(p.done));
    OK(hsa_amd_memory_pool_free(counter));
    OK(hsa_amd_memory_pool_free(kernarg));
}

/* 1,000 launches by 4 threads, each on all of 4 queues in turn, 20 times over: none is lost, none runs twice, none hangs. */
enum { STRESS_THREADS = 4, STRESS_QUEUES = 4, STRESS_LAUNCHES = 250, STRESS_ROUNDS = 20 };

struct stress {
    hsa_queue_t **queue;
    uint64_t object;
    void *kernarg;
    hsa_signal_t done;
    int first;
};

static void *stress_thread(void *argument) {
    struct stress *s = argument;
    for (int i = 0; i < STRESS_LAUNCHES; i++)
        launch(s->queue[(s->first + i) % STRESS_QUEUES], s->object, s->kernarg, 64, s->done);
    return NULL;
}

static void stress(void **state) {
    (void)state;
    hsa_queue_t *queue[STRESS_QUEUES];
    uint32_t *counter = allocate(4);
    void **kernarg = allocate(8);
    *kernarg = counter;
    *counter = 0;
    for (int i = 0; i < STRESS_QUEUES; i++)
        queue[i] = new_queue(64);
    for (int round = 1; round <= STRESS_ROUNDS; round++) {
        struct stress s[STRESS_THREADS];
        pthread_t thread[STRESS_THREADS];
        hsa_signal_t done = new_signal(STRESS_THREADS * STRESS_LAUNCHES);
        for (int i = 0; i < STRESS_THREADS; i++) {
            s[i] = (struct stress){queue, kernel("count.kd"), kernarg, done, i};
            pthread_create(&thread[i], NULL, stress_thread, &s[i]);
        }
        for (int i = 0; i < STRESS_THREADS; i++)
            pthread_join(thread[i], NULL);
        assert_int_equal(wait_zero(done), 0);
        assert_int_equal(*counter, round * STRESS_THREADS * STRESS_LAUNCHES * 64);
        OK(hsa_signal_destroy(done));
    }
    for (int i = 0; i < STRESS_QUEUES; i++)
        OK(hsa_queue_destroy(queue[i]));
    OK(hsa_amd_memory_pool_free(counter));
    OK(hsa_amd_memory_pool_free(kernarg));
}

static void barriers(void **state) {
    (void)state;
    hsa_queue_t *q = new_queue(128);
    hsa_signal_t a = new_signal(1), b = new_signal(1), done = new_signal(2), none = {0};
    uint32_t *counter = allocate(4);
    void **kernarg = allocate(8);
    *kernarg = counter;
    barrier(q, AND, a, b, none);
    launch(q, kernel("count.kd"), kernarg, 64, done);
    usleep(20000);
    assert_int_equal(*(volatile uint32_t *)counter, 0);
    hsa_signal_store_relaxed(a, 0);
    usleep(20000);
    assert_int_equal(*(volatile uint32_t *)counter, 0);
    hsa_signal_store_relaxed(b, 0);
    assert_int_equal(
        hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 2, UINT64_MAX, HSA_WAIT_STATE_BLOCKED), 1);
    assert_int_equal(*counter, 64);
    hsa_signal_store_relaxed(a, 1);
    barrier(q, OR, a, b, done);
    assert_int_equal(wait_zero(done), 0);
    hsa_amd_profiling_dispatch_time_t time;
    OK(hsa_amd_profiling_get_dispatch_time(gpu, done, &time));
    assert_true(time.start && time.start <= time.end);
    OK(hsa_queue_destroy(q));
    OK(hsa_amd_memory_pool_free(counter));
    OK(hsa_amd_memory_pool_free(kernarg));
    OK(hsa_signal_destroy(a));
    OK(hsa_signal_destroy(b));
    OK(hsa_signal_destroy(done));
}

/* ---- memory, symbols ---- */

static void locked_memory(void **state) {
    (void)state;
    uint32_t value[2] = {0, 0};
    void *agent_pointer;
    hsa_queue_t *q = new_queue(64);
    hsa_signal_t done = new_signal(1);
    OK(hsa_amd_memory_lock(value, sizeof value, &gpu, 1, &agent_pointer));
    void **kernarg = allocate(8);
    *kernarg = agent_pointer;
    launch(q, kernel("count.kd"), kernarg, 128, done);
    assert_int_equal(wait_zero(done), 0);
    assert_int_equal(value[0], 128);
    hsa_amd_pointer_info_t info = {.size = sizeof info};
    OK(hsa_amd_pointer_info(agent_pointer, &info, NULL, NULL, NULL));
    assert_int_equal(info.type, HSA_EXT_POINTER_TYPE_LOCKED);
    assert_ptr_equal(info.hostBaseAddress, value);
    assert_ptr_equal(info.agentBaseAddress, agent_pointer);
    OK(hsa_amd_memory_unlock(value));
    OK(hsa_amd_pointer_info(agent_pointer, &info, NULL, NULL, NULL));
    assert_int_equal(info.type, HSA_EXT_POINTER_TYPE_UNKNOWN);
    OK(hsa_amd_memory_pool_free(kernarg));
    OK(hsa_queue_destroy(q));
    OK(hsa_signal_destroy(done));
}

static void shared_memory(void **state) {
    (void)state;
    char *p = allocate(10000), *seen;
    strcpy(p + 5000, "before");
    hsa_amd_ipc_memory_t handle;
    OK(hsa_amd_ipc_memory_create(p, 10000, &handle));
    pid_t child = fork();
    if (child == 0) {
        if (hsa_amd_ipc_memory_attach(&handle, 10000, 1, &gpu, (void **)&seen)) _exit(1);
        if (strcmp(seen + 5000, "before")) _exit(2);
        strcpy(seen + 5000, "after");
        _exit(hsa_amd_ipc_memory_detach(seen) ? 3 : 0);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_string_equal(p + 5000, "after");
    OK(hsa_amd_memory_pool_free(p));
    handle.handle[0] ^= 1;
    assert_int_equal(hsa_amd_ipc_memory_attach(&handle, 10000, 1, &gpu, (void **)&seen),
                     HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

/* ---- virtual memory; expected: what ROCm's header says of each function ---- */

/* Two addresses of one memory show the same bytes; kernels reach it when their agent was given access. */
static void virtual_memory(void **state) {
    (void)state;
    enum { SIZE = 1 << 16 };
    void *at, *other;
    ez_vmem_handle handle, same;
    hsa_amd_memory_pool_t pool;
    hsa_access_permission_t access;
    uint32_t type = 7;
    ez_vmem_access read_write = {HSA_ACCESS_PERMISSION_RW, gpu};
    OK(ez_vmem_reserve_align(&at, 4 * SIZE, 0, 1 << 21, 0));
    assert_int_equal((uintptr_t)at % (1 << 21), 0);
    OK(ez_vmem_reserve(&other, SIZE, 0, 0));
    assert_int_equal(ez_vmem_reserve(&other, SIZE + 1, 0, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    OK(ez_vmem_create(device_pool, SIZE, 1, 0, &handle));
    OK(ez_vmem_properties(handle, &pool, &type));
    assert_int_equal(pool.handle, device_pool.handle);
    assert_int_equal(type, 1);
    OK(ez_vmem_map(at, SIZE, 0, handle, 0));
    OK(ez_vmem_map(other, SIZE, 0, handle, 0));
    assert_int_equal(ez_vmem_map(at, SIZE, 0, handle, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT); /* taken */
    assert_int_equal(ez_vmem_map(&type, SIZE, 0, handle, 0), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    strcpy(at, "the same bytes");
    assert_string_equal(other, "the same bytes");
    assert_int_equal(ez_vmem_get_access(at, &access, gpu), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    OK(ez_vmem_set_access(at, SIZE, &read_write, 1));
    OK(ez_vmem_get_access(at, &access, gpu));
    assert_int_equal(access, HSA_ACCESS_PERMISSION_RW);
    assert_int_equal(ez_vmem_get_access(other, &access, gpu), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    hsa_amd_pointer_info_t info = {.size = sizeof info};
    OK(hsa_amd_pointer_info((char *)at + 100, &info, NULL, NULL, NULL));
    assert_int_equal(info.type, HSA_EXT_POINTER_TYPE_HSA);
    assert_ptr_equal(info.agentBaseAddress, at);
    assert_int_equal(info.sizeInBytes, SIZE);

    hsa_queue_t *q = new_queue(64);
    hsa_signal_t done = new_signal(1);
    void **kernarg = allocate(8);
    *kernarg = at;
    memset(at, 0, 4);
    launch(q, kernel("count.kd"), kernarg, 128, done);
    assert_int_equal(wait_zero(done), 0);
    assert_int_equal(*(uint32_t *)other, 128);

    OK(ez_vmem_retain(&same, at));
    assert_int_equal(same.handle, handle.handle);
    OK(ez_vmem_release(same));
    OK(ez_vmem_release(handle)); /* mapped: the memory stays */
    assert_int_equal(ez_vmem_release(handle), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    assert_int_equal(ez_vmem_free(at, 4 * SIZE), HSA_STATUS_ERROR_RESOURCE_FREE);
    assert_int_equal(ez_vmem_unmap(at, 2 * SIZE), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    OK(ez_vmem_unmap(at, SIZE));
    assert_int_equal(*(uint32_t *)other, 128);
    OK(ez_vmem_unmap(other, SIZE));
    assert_int_equal(ez_vmem_unmap(other, SIZE), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    OK(ez_vmem_free(at, 4 * SIZE));
    OK(ez_vmem_free(other, SIZE));
    OK(hsa_queue_destroy(q));
    OK(hsa_signal_destroy(done));
    OK(hsa_amd_memory_pool_free(kernarg));
}

/* By a file descriptor, as between processes: virtual memory, and an allocation. */
static void exported_memory(void **state) {
    (void)state;
    enum { SIZE = 1 << 16 };
    void *at;
    ez_vmem_handle handle, imported;
    int file;
    uint64_t offset;
    OK(ez_vmem_reserve(&at, 2 * SIZE, 0, 0));
    OK(ez_vmem_create(device_pool, SIZE, 0, 0, &handle));
    OK(ez_vmem_export(&file, handle, 0));
    OK(ez_vmem_import(file, &imported));
    OK(ez_dmabuf_close(file));
    OK(ez_vmem_map(at, SIZE, 0, handle, 0));
    OK(ez_vmem_map((char *)at + SIZE, SIZE, 0, imported, 0));
    strcpy((char *)at + 8, "here and there");
    assert_string_equal((char *)at + SIZE + 8, "here and there");
    OK(ez_vmem_unmap(at, SIZE));
    OK(ez_vmem_unmap((char *)at + SIZE, SIZE));
    OK(ez_vmem_release(handle));
    OK(ez_vmem_release(imported));
    OK(ez_vmem_free(at, 2 * SIZE));

    char *p = allocate(10000);
    strcpy(p + 5000, "allocated");
    OK(ez_dmabuf_export(p + 5000, 100, &file, &offset));
    assert_int_equal(offset, 5000);
    char text[10];
    assert_int_equal(pread(file, text, 10, 5000), 10);
    assert_string_equal(text, "allocated");
    OK(ez_dmabuf_close(file));
    OK(hsa_amd_memory_pool_free(p));
}

static void newer_functions(void **state) {
    (void)state;
    hsa_signal_t s[2] = {new_signal(0), new_signal(1)};
    hsa_signal_condition_t conditions[2] = {HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_EQ};
    hsa_signal_value_t compare[2] = {1, 1}, values[2] = {0};
    assert_int_equal(ez_signal_wait_all(2, s, conditions, compare, 1000, HSA_WAIT_STATE_BLOCKED, values), UINT32_MAX);
    pthread_t thread;
    pthread_create(&thread, NULL, store_later, &s[0]);
    assert_int_equal(ez_signal_wait_all(2, s, conditions, compare, UINT64_MAX, HSA_WAIT_STATE_BLOCKED, values), 0);
    assert_true(values[0] == 1 && values[1] == 1);
    pthread_join(thread, NULL);
    hsa_queue_t *q = new_queue(64);
    hsa_agent_t agent = {0};
    OK(ez_queue_info(q, EZ_QUEUE_AGENT, &agent));
    assert_int_equal(agent.handle, gpu.handle);
    uint64_t before, after;
    OK(hsa_agent_get_info(gpu, (hsa_agent_info_t)EZ_AGENT_MEMORY_AVAIL, &before));
    void *p;
    OK(hsa_amd_memory_pool_allocate(device_pool, 1 << 20, 0, &p));
    OK(hsa_agent_get_info(gpu, (hsa_agent_info_t)EZ_AGENT_MEMORY_AVAIL, &after));
    assert_int_equal(before - after, 1 << 20);
    OK(hsa_amd_memory_pool_free(p));
    bool supported = false;
    OK(hsa_system_get_info((hsa_system_info_t)EZ_SYSTEM_VIRTUAL_MEM_API_SUPPORTED, &supported));
    assert_true(supported);
    OK(hsa_queue_destroy(q));
    OK(hsa_signal_destroy(s[0]));
    OK(hsa_signal_destroy(s[1]));
}

/* ---- images; tests/hip has programs that sample them ---- */

static hsa_ext_image_t new_image(const hsa_ext_image_descriptor_t *d, void **data) {
    hsa_ext_image_data_info_t info;
    hsa_ext_image_t image;
    OK(hsa_ext_image_data_get_info(gpu, d, HSA_ACCESS_PERMISSION_RW, &info));
    assert_true(info.size >= d->width * d->height * 4 && info.alignment <= 4096);
    *data = allocate(info.size);
    OK(hsa_ext_image_create(gpu, d, *data, HSA_ACCESS_PERMISSION_RW, &image));
    return image;
}

static void images(void **state) {
    (void)state;
    enum { WIDTH = 5, HEIGHT = 3, PITCH = 7 };
    hsa_ext_image_descriptor_t d = {
        .geometry = HSA_EXT_IMAGE_GEOMETRY_2D,
        .width = WIDTH,
        .height = HEIGHT,
        .format = {HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8, HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA}};
    uint32_t in[HEIGHT][PITCH], out[2][2], mask;
    void *data[2];
    OK(hsa_ext_image_get_capability(gpu, d.geometry, &d.format, &mask));
    assert_true(mask & HSA_EXT_IMAGE_CAPABILITY_READ_WRITE);
    hsa_ext_image_t a = new_image(&d, &data[0]), b = new_image(&d, &data[1]);
    for (uint32_t i = 0; i < HEIGHT * PITCH; i++)
        in[i / PITCH][i % PITCH] = i * 0x01010101;
    hsa_ext_image_region_t all = {{0, 0, 0}, {WIDTH, HEIGHT, 1}}, part = {{2, 1, 0}, {2, 2, 1}}, beyond = {{4, 0, 0}, {2, 1, 1}};
    OK(hsa_ext_image_import(gpu, in, sizeof in[0], 0, a, &all));
    OK(hsa_ext_image_export(gpu, a, out, 0, 0, &part));
    assert_true(out[0][0] == in[1][2] && out[0][1] == in[1][3] && out[1][0] == in[2][2] && out[1][1] == in[2][3]);
    assert_int_equal(hsa_ext_image_export(gpu, a, out, 0, 0, &beyond), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    float half[4] = {1, 0.5f, 0, 1};
    OK(hsa_ext_image_clear(gpu, b, half, &all));
    OK(hsa_ext_image_copy(gpu, a, &(hsa_dim3_t){0, 0, 0}, b, &(hsa_dim3_t){3, 1, 0}, &(hsa_dim3_t){1, 1, 1}));
    OK(hsa_ext_image_export(gpu, b, out, 0, 0, &part));
    assert_true(out[0][0] == 0xff0080ff && out[0][1] == in[0][0] && out[1][0] == 0xff0080ff);
    OK(hsa_ext_image_destroy(gpu, a));
    OK(hsa_ext_image_destroy(gpu, b));
    assert_int_equal(hsa_ext_image_destroy(gpu, b), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    d.width = 1 << 15; /* resources have 14 bits */
    hsa_ext_image_data_info_t info;
    assert_int_equal(hsa_ext_image_data_get_info(gpu, &d, HSA_ACCESS_PERMISSION_RW, &info),
                     HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED);
    d.format.channel_type = HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT24;
    assert_int_equal(hsa_ext_image_data_get_info(gpu, &d, HSA_ACCESS_PERMISSION_RW, &info),
                     HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED);
    hsa_ext_sampler_t sampler;
    hsa_ext_sampler_descriptor_t s = {HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED, HSA_EXT_SAMPLER_FILTER_MODE_LINEAR,
                                      HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT};
    OK(hsa_ext_sampler_create(gpu, &s, &sampler));
    OK(hsa_ext_sampler_destroy(gpu, sampler));
    OK(hsa_amd_memory_pool_free(data[0]));
    OK(hsa_amd_memory_pool_free(data[1]));
}

/* A copy that waits holds up no other. */
static void copies(void **state) {
    (void)state;
    enum { SIZE = 1 << 20 };
    char *a = allocate(SIZE), *b = allocate(SIZE), *c = allocate(SIZE);
    hsa_signal_t need = new_signal(1), first = new_signal(1), second = new_signal(1);
    memset(a, 7, SIZE);
    OK(hsa_amd_memory_async_copy(b, gpu, a, cpu, SIZE, 1, &need, first));
    OK(hsa_amd_memory_async_copy(c, gpu, a, cpu, SIZE, 0, NULL, second));
    assert_int_equal(wait_zero(second), 0);
    assert_memory_equal(a, c, SIZE);
    assert_int_equal(hsa_signal_load_relaxed(first), 1);
    hsa_signal_store_relaxed(need, 0);
    assert_int_equal(wait_zero(first), 0);
    assert_memory_equal(a, b, SIZE);
    OK(hsa_amd_memory_fill(b, 0x01020304, SIZE / 4));
    assert_int_equal(((uint32_t *)(void *)b)[SIZE / 4 - 1], 0x01020304);
    OK(hsa_amd_memory_pool_free(a));
    OK(hsa_amd_memory_pool_free(b));
    OK(hsa_amd_memory_pool_free(c));
    OK(hsa_signal_destroy(need));
    OK(hsa_signal_destroy(first));
    OK(hsa_signal_destroy(second));
}

static hsa_status_t count_symbol(hsa_executable_t e, hsa_agent_t agent, hsa_executable_symbol_t symbol,
                                 void *data) {
    char name[64] = "";
    uint32_t length;
    (void)e;
    (void)agent;
    OK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH, &length));
    assert_true(length < sizeof name);
    OK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME, name));
    ++*(int *)data;
    return HSA_STATUS_SUCCESS;
}

static void symbols(void **state) {
    (void)state;
    hsa_executable_symbol_t symbol;
    uint64_t address;
    uint32_t size;
    int count = 0;
    OK(hsa_executable_get_symbol_by_name(executable, "answer", &gpu, &symbol));
    OK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, &address));
    OK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE, &size));
    assert_int_equal(size, 4);
    assert_int_equal(*(uint32_t *)(uintptr_t)address, 42);
    assert_int_equal(hsa_executable_get_symbol_by_name(executable, "question", &gpu, &symbol),
                     HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
    OK(hsa_executable_iterate_agent_symbols(executable, gpu, count_symbol, &count));
    assert_int_equal(count, 5); /* four kernels and a variable */
    assert_int_equal(hsa_executable_freeze(executable, NULL), HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
}

/* ---- faults ---- */

static const char *program; /* argv[0]: /proc/self/exe is the tool where one runs the test */

/* In a child process that starts the runtime itself, for threads do not survive a fork; text: its standard error, which
 * is ends[1]. Its wait status. */
static int run_child(const char *how, int ends[2], char *text, size_t size) {
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        execl(program, program, how, NULL);
        _exit(9);
    }
    close(ends[1]);
    size_t used = 0;
    for (ssize_t n; used + 1 < size && (n = read(ends[0], text + used, size - used - 1)) > 0;)
        used += (size_t)n;
    text[used] = 0;
    close(ends[0]);
    int status;
    waitpid(child, &status, 0);
    return status;
}

static int run_piped(const char *how, char *text, size_t size) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    return run_child(how, ends, text, size);
}

/* Where kernels.s has the instruction, as a report names it. */
static void source_line(const char *instruction, char *text, size_t size) {
    char line[200];
    FILE *file = fopen(HSA_SOURCE, "r");
    assert_non_null(file);
    unsigned number = 1;
    while (fgets(line, sizeof line, file) && !strstr(line, instruction))
        number++;
    fclose(file);
    snprintf(text, size, "kernels.s:%u\n", number);
}

static void faults(void **state) {
    (void)state;
    char text[4000], place[40];
    int status = run_piped("wild", text, sizeof text);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_non_null(strstr(text, "wild on gfx90a"));
    assert_non_null(strstr(text, "address    0x40"));
    assert_non_null(strstr(text, "lane       0, work-item 0, 0, 0"));
    assert_non_null(strstr(text, "global_store_dword v[0:1], v1, off"));
    source_line("global_store_dword", place, sizeof place);
    assert_true((strstr(text, place) != NULL) == HAS_SOURCE_LINES);
    setenv("EXECZ_FAULTS", "error", 1);
    status = run_piped("wild", text, sizeof text);
    unsetenv("EXECZ_FAULTS");
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_non_null(strstr(text, "wild on gfx90a"));
}

static int wild(void) {
    if (begin(NULL)) return 8;
    hsa_signal_t done = new_signal(1);
    launch(new_queue(64), kernel("wild.kd"), NULL, 1, done);
    return (int)wait_zero(done);
}

/* ---- kernels that take long ---- */

/* A kernel ends with its queue. */
static int endless(void) {
    if (begin(NULL)) return 8;
    hsa_queue_t *q = new_queue(64);
    alarm(60); /* instead of a hang */
    launch(q, kernel("endless.kd"), NULL, 64, new_signal(1));
    usleep(2500000);
    OK(hsa_queue_destroy(q));
    return end(NULL) != 0;
}

static void progress(void **state) {
    (void)state;
    char text[4000];
    int ends[2];
    assert_int_equal(run_piped("endless", text, sizeof text), 0);
    assert_string_equal(text, "");
    assert_int_equal(openpty(&ends[0], &ends[1], NULL, NULL, NULL), 0);
    assert_int_equal(run_child("endless", ends, text, sizeof text), 0);
    assert_non_null(strstr(text, "execz: endless: 0% of 1 workgroups, "));
}

/* ---- pools ---- */

/* As ROCr has it: memory of the host is for all, that of a GPU is not, although it can be given to others. */
static void pools(void **state) {
    (void)state;
    bool for_all = false;
    OK(hsa_amd_memory_pool_get_info(host_pool, HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL, &for_all));
    assert_true(for_all);
    OK(hsa_amd_memory_pool_get_info(device_pool, HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL, &for_all));
    assert_false(for_all);
}

/* As AMD's driver aligns, up to a huge page, with other memory between. */
static void alignment(void **state) {
    (void)state;
    static const size_t sizes[][2] = {{1, 4096}, {8191, 4096}, {8192, 8192}, {2 << 20, 2 << 20}, {5 << 20, 2 << 20}};
    void *p[5][2];
    for (unsigned i = 0; i < 10; i++) {
        OK(hsa_amd_memory_pool_allocate(device_pool, sizes[i / 2][0], 0, &p[i / 2][i % 2]));
        assert_int_equal((uintptr_t)p[i / 2][i % 2] % sizes[i / 2][1], 0);
    }
    for (unsigned i = 0; i < 10; i++)
        OK(hsa_amd_memory_pool_free(p[i / 2][i % 2]));
}

/* ---- what was executed ---- */

static int traced(void) {
    if (begin(NULL)) return 8;
    hsa_queue_t *q = new_queue(64);
    hsa_signal_t done = new_signal(3);
    char *p = allocate(4096);
    for (int i = 0; i < 2; i++)
        launch(q, kernel("nothing.kd"), NULL, 64, done);
    OK(hsa_amd_memory_async_copy(p, gpu, p + 2048, cpu, 1000, 0, NULL, done));
    int result = (int)wait_zero(done);
    pid_t child = fork(); /* which ends as programs do, and leaves the trace alone */
    if (child == 0) exit(0);
    waitpid(child, NULL, 0);
    return result;
}

static unsigned occurrences(const char *text, const char *what) {
    unsigned count = 0;
    while ((text = strstr(text, what)) != NULL) {
        text += strlen(what);
        count++;
    }
    return count;
}

static void traces(void **state) {
    (void)state;
    char text[4000], name[] = "/tmp/hsa_trace_XXXXXX";
    int file = mkstemp(name);
    setenv("EXECZ_TRACE", name, 1);
    setenv("EXECZ_STATS", "1", 1);
    assert_int_equal(run_piped("traced", text, sizeof text), 0);
    unsetenv("EXECZ_TRACE");
    unsetenv("EXECZ_STATS");
    assert_int_equal(occurrences(text, "execz: 2 dispatches, 2 instructions in "), 1);
    assert_non_null(strstr(text, "1 copies of 1000 bytes"));
    ssize_t size = read(file, text, sizeof text - 1);
    assert_true(size > 0);
    text[size] = 0;
    close(file);
    unlink(name);
    assert_true(text[0] == '[' && !strcmp(text + size - 3, "\n]\n"));
    assert_int_equal(occurrences(text, "{"), 6); /* two an event */
    assert_int_equal(occurrences(text, "{\"name\":\"nothing\",\"ph\":\"X\","), 2);
    assert_int_equal(occurrences(text, "{\"bytes\":1000}}"), 1);
}

/* ---- the time of an empty kernel, beside a ping-pong of two threads ---- */

static hsa_signal_t ping, pong;
enum { ROUNDS = 2000 };

static void *answer(void *unused) {
    for (int i = 1; i <= ROUNDS; i++) {
        hsa_signal_wait_scacquire(ping, HSA_SIGNAL_CONDITION_EQ, i, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
        hsa_signal_store_screlease(pong, i);
    }
    return unused;
}

static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int compare_times(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int first(void) {
    if (begin(NULL)) return 8;
    hsa_signal_t done = new_signal(1);
    launch(new_queue(64), kernel("nothing.kd"), NULL, 64, done);
    return (int)wait_zero(done);
}

/* From the start of a process to its first kernel's end: the process is over then. */
static void first_kernel(void) {
    enum { RUNS = 21 };
    uint64_t times[RUNS];
    for (int i = 0; i < RUNS; i++) {
        char text[10];
        uint64_t start = now();
        if (run_piped("first", text, sizeof text)) return;
        times[i] = now() - start;
    }
    qsort(times, RUNS, sizeof times[0], compare_times);
    printf("a process with one kernel: %.1f ms (median of %d)\n", (double)times[RUNS / 2] / 1e6, RUNS);
}

static int latency(void) {
    static uint64_t times[2][ROUNDS];
    if (begin(NULL)) return 8;
    ping = new_signal(0);
    pong = new_signal(0);
    pthread_t thread;
    pthread_create(&thread, NULL, answer, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t start = now();
        hsa_signal_store_screlease(ping, i + 1);
        hsa_signal_wait_scacquire(pong, HSA_SIGNAL_CONDITION_EQ, i + 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
        times[0][i] = now() - start;
    }
    pthread_join(thread, NULL);
    hsa_queue_t *q = new_queue(256);
    uint64_t object = kernel("nothing.kd");
    for (int i = 0; i < ROUNDS; i++) {
        hsa_signal_t done = new_signal(1);
        uint64_t start = now();
        launch(q, object, NULL, 64, done);
        wait_zero(done);
        times[1][i] = now() - start;
        OK(hsa_signal_destroy(done));
    }
    for (int k = 0; k < 2; k++)
        qsort(times[k], ROUNDS, sizeof times[k][0], compare_times);
    double a = (double)times[0][ROUNDS / 2] / 1e3, b = (double)times[1][ROUNDS / 2] / 1e3;
    first_kernel();
    printf("ping-pong %.1f us, empty kernel %.1f us: %.2f times (medians of %d)\n", a, b, b / a, ROUNDS);
    return 0;
}

int main(int argc, char **argv) {
    program = argv[0];
    if (argc == 2 && !strcmp(argv[1], "wild")) return wild();
    if (argc == 2 && !strcmp(argv[1], "endless")) return endless();
    if (argc == 2 && !strcmp(argv[1], "traced")) return traced();
    if (argc == 2 && !strcmp(argv[1], "first")) return first();
    if (argc == 2 && !strcmp(argv[1], "latency")) return latency();
    if (access(HSA_KERNELS, R_OK)) {
        printf("%s is missing (no llvm-mc-22): skipped\n", HSA_KERNELS);
        return 77;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(signal_operations), cmocka_unit_test(waiting),
                                       cmocka_unit_test(shared_signal),     cmocka_unit_test(many_producers),
                                       cmocka_unit_test(barriers),          cmocka_unit_test(locked_memory),
                                       cmocka_unit_test(shared_memory),     cmocka_unit_test(copies),
                                       cmocka_unit_test(symbols),           cmocka_unit_test(faults),
                                       cmocka_unit_test(progress),          cmocka_unit_test(traces),
                                       cmocka_unit_test(virtual_memory),    cmocka_unit_test(exported_memory),
                                       cmocka_unit_test(newer_functions),   cmocka_unit_test(stress),
                                       cmocka_unit_test(images),            cmocka_unit_test(pools),
                                       cmocka_unit_test(alignment)};
    return cmocka_run_group_tests(tests, begin, end);
}
