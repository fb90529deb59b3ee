/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels that stop early. Standard error gets a report first. Then, as ROCr does it: a memory fault is an event for
 * the handler that the client has registered, or else the end of the process; all else goes to the error callback
 * of the queue. With EXECZ_FAULTS=error the report is all, and the queue goes on.
 */
#define _GNU_SOURCE
#include "hsa/runtime.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the report ---- */

static void print_code(FILE *out, const ez_target *target, const ez_kernel *kernel,
                       const ez_fault_report *f) {
    char text[EZ_TEXT_MAX] = "(cannot be decoded)";
    ez_inst inst;
    unsigned wave = 0;
    if (ez_target_has_wave(target, 32) && ez_target_has_wave(target, 64))
        wave = ez_descriptor_get(&kernel->descriptor, EZ_KD_ENABLE_WAVEFRONT_SIZE32) ? 32 : 64;
    if (ez_decode(target, wave, f->bytes, f->byte_count, &inst) == EZ_OK)
        ez_print(&inst, EZ_TEXT_DEFAULT, text, sizeof text);
    fprintf(out, "  code       %s\n", text);
}

static void print_place(FILE *out, const ez_fault_report *f) {
    fprintf(out, "  group      %u, %u, %u\n  wave       %u\n", f->workgroup[0], f->workgroup[1],
            f->workgroup[2], f->wave);
    fprintf(out, "  pc         0x%" PRIx64 " in the code object, 0x%" PRIx64 " on the device\n",
            f->code_offset, f->pc);
    if (f->lane != EZ_NO_LANE)
        fprintf(out, "  lane       %u, work-item %u, %u, %u of the group\n", f->lane, f->work_item[0],
                f->work_item[1], f->work_item[2]);
    if (f->has_address) fprintf(out, "  address    0x%" PRIx64 "\n", f->address);
}

static void print_source(FILE *out, const ez_object *object, const ez_fault_report *f) {
    ez_source_line line;
    if (ez_object_source_line(object, f->code_offset, &line))
        fprintf(out, "  source     %s:%u\n", line.file, line.line);
}

static void report(const ez_queue *q, const ez_dispatch *dispatch, const ez_result *result,
                   const ez_error *err) {
    const ez_fault_report *f = &result->fault;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size); /* so that reports of several threads do not mix */
    if (!out) return;
    fprintf(out, "execz: %s\n  kernel     %s on %s\n", err->message, dispatch->kernel->name,
            ez_target_name(q->agent->target));
    if (f->byte_count || f->pc) {
        print_place(out, f);
        print_source(out, ez_module_object(dispatch->module), f);
        print_code(out, q->agent->target, dispatch->kernel, f);
    }
    fclose(out);
    fputs(text, stderr);
    free(text);
}

/* ---- what follows ---- */

static hsa_status_t status_of(ez_status status, const ez_result *result) {
    if (status == EZ_ERR_NOMEM) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    if (status == EZ_ERR_ARGUMENT) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    switch (result->fault.kind) {
    case EZ_FAULT_FETCH:
    case EZ_FAULT_ILLEGAL:
    case EZ_FAULT_UNSUPPORTED:
    case EZ_FAULT_REGISTER: return (hsa_status_t)HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION;
    case EZ_FAULT_MEMORY: return (hsa_status_t)HSA_STATUS_ERROR_MEMORY_FAULT;
    case EZ_FAULT_NOMEM: return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    default: return HSA_STATUS_ERROR_EXCEPTION;
    }
}

static void memory_event(const ez_queue *q, const ez_fault_report *f) {
    pthread_mutex_lock(&ez_rt.lock);
    hsa_amd_system_event_callback_t event = ez_rt.event;
    void *data = ez_rt.event_data;
    pthread_mutex_unlock(&ez_rt.lock);
    bool read_only = f->has_nearest && f->distance == 0;
    hsa_amd_event_t e = {.event_type = HSA_AMD_GPU_MEMORY_FAULT_EVENT,
                         .memory_fault = {.agent = ez_agent_handle(q->agent),
                                          .virtual_address = f->address,
                                          .fault_reason_mask = read_only
                                                                   ? HSA_AMD_MEMORY_FAULT_READ_ONLY
                                                                   : HSA_AMD_MEMORY_FAULT_PAGE_NOT_PRESENT}};
    if (event && event(&e, data) == HSA_STATUS_SUCCESS) return;
    abort();
}

static void call_back(ez_queue *q, hsa_status_t status) {
    if (q->error) q->error(status, &q->abi.hsa_queue, q->error_data);
}

void ez_fault_raise(ez_queue *q, const ez_dispatch *dispatch, ez_status status, const ez_result *result,
                    const ez_error *err) {
    report(q, dispatch, result, err);
    ez_trace_flush(); /* the process may end without another word */
    if (ez_rt.keep_going) return;
    hsa_status_t code = status_of(status, result);
    if ((int)code == HSA_STATUS_ERROR_MEMORY_FAULT) memory_event(q, &result->fault);
    call_back(q, code);
}

void ez_queue_fail(ez_queue *q, hsa_status_t status, const char *format, ...) {
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "execz: queue %" PRIu64 ": %s\n", q->abi.hsa_queue.id, text);
    if (!ez_rt.keep_going) call_back(q, status);
}
