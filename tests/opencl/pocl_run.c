/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel of an OpenCL C file on the first OpenCL device (PoCL, in the tests), with the words of
 * `execz run` for its arguments: the peer that the same source run by execz is compared with.
 *
 *   pocl_run FILE.cl KERNEL --grid X[,Y[,Z]] --block X[,Y[,Z]] [--options TEXT] [--repeat N] ARG ...
 *
 * ARG: hex:BYTES, lds:BYTES, in:FILE, inout:FILE:OUTFILE, image:FORMAT:WxH:[FILE][:OUTFILE]. Prints `time: N ms` for each of the N runs.
 */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGS_MAX = 64 };

typedef struct buffer {
    cl_mem memory;
    size_t size;
    size_t width, height; /* of an image; 0: a buffer */
    const char *output;   /* NULL: not written */
} buffer;

static cl_context context;
static cl_command_queue queue;

static void fail(const char *what, const char *about) {
    fprintf(stderr, "pocl_run: %s: %s\n", what, about);
    exit(1);
}

static void check(cl_int status, const char *what) {
    char number[16];
    snprintf(number, sizeof number, "%d", status);
    if (status != CL_SUCCESS) fail(what, number);
}

static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) fail("cannot read", path);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = calloc(1, *size + 1);
    if (!bytes || fread(bytes, 1, *size, file) != *size) fail("cannot read", path);
    fclose(file);
    return bytes;
}

static void take_xyz(const char *text, size_t xyz[3]) {
    for (int i = 0; i < 3; i++) {
        char *end;
        xyz[i] = *text ? strtoul(text, &end, 0) : 1;
        if (*text) text = *end == ',' ? end + 1 : end;
    }
}

static cl_kernel build(const char *path, const char *name, const char *options) {
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    check(clGetPlatformIDs(1, &platform, NULL), "no OpenCL platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "no OpenCL device");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
    check(status, "clCreateCommandQueue");
    size_t size;
    const char *source = read_file(path, &size);
    cl_program program = clCreateProgramWithSource(context, 1, &source, &size, &status);
    check(status, "clCreateProgramWithSource");
    if (clBuildProgram(program, 1, &device, options, NULL, NULL) != CL_SUCCESS) {
        static char log[1 << 16];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        fail("does not build", log);
    }
    cl_kernel kernel = clCreateKernel(program, name, &status);
    check(status, name);
    return kernel;
}

static void set_bytes(cl_kernel kernel, unsigned index, const char *hex) {
    unsigned char bytes[256];
    size_t size = 0;
    for (unsigned value; size < sizeof bytes && sscanf(hex, "%2x", &value) == 1; hex += 2)
        bytes[size++] = (unsigned char)value;
    check(clSetKernelArg(kernel, index, size, bytes), "argument");
}

/* FILE or FILE:OUTFILE */
static buffer set_buffer(cl_kernel kernel, unsigned index, char *files, int writes) {
    char *colon = writes ? strchr(files, ':') : NULL;
    buffer b = {.output = colon ? colon + 1 : NULL};
    cl_int status;
    if (colon) *colon = 0;
    char *bytes = read_file(files, &b.size);
    b.memory = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, b.size, bytes, &status);
    check(status, files);
    check(clSetKernelArg(kernel, index, sizeof b.memory, &b.memory), "argument");
    free(bytes);
    return b;
}

/* FORMAT:WxH:[FILE][:OUTFILE]; the formats that the tests use. */
static buffer set_image(cl_kernel kernel, unsigned index, char *text) {
    static const struct {
        const char *name;
        cl_image_format format;
        size_t bytes;
    } formats[] = {{"32_32_32_32_float", {CL_RGBA, CL_FLOAT}, 16},
                   {"32_float", {CL_R, CL_FLOAT}, 4},
                   {"16_uint", {CL_R, CL_UNSIGNED_INT16}, 2},
                   {"8_8_8_8_uint", {CL_RGBA, CL_UNSIGNED_INT8}, 4}};
    enum { FORMATS = sizeof formats / sizeof *formats };
    buffer b = {0};
    cl_int status;
    char *name = strtok(text, ":"), *size = strtok(NULL, ":"), *files = size ? size + strlen(size) + 1 : NULL, *bytes;
    unsigned at = 0;
    while (name && at < FORMATS && strcmp(name, formats[at].name)) at++;
    if (!files || at == FORMATS || sscanf(size, "%zux%zu", &b.width, &b.height) != 2) fail("not an image", text);
    char *colon = strchr(files, ':');
    if (colon) *colon = 0, b.output = colon + 1;
    b.size = b.width * b.height * formats[at].bytes;
    size_t got = b.size;
    bytes = *files ? read_file(files, &got) : calloc(1, b.size);
    if (!bytes || got != b.size) fail("the file has another size than the image", files);
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = b.width, .image_height = b.height};
    b.memory = clCreateImage(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &formats[at].format, &desc, bytes, &status);
    check(status, name);
    check(clSetKernelArg(kernel, index, sizeof b.memory, &b.memory), "argument");
    free(bytes);
    return b;
}

static void run(cl_kernel kernel, const size_t grid[3], const size_t block[3]) {
    cl_event event;
    cl_ulong begin, end;
    check(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, grid, block, 0, NULL, &event), "launch");
    check(clWaitForEvents(1, &event), "run");
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL);
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    printf("time: %.3f ms\n", (double)(end - begin) / 1e6);
    clReleaseEvent(event);
}

static void write_back(const buffer *b) {
    if (!b->output) return;
    char *bytes = malloc(b->size);
    FILE *file = fopen(b->output, "wb");
    if (!bytes || !file) fail("cannot write", b->output);
    const size_t origin[3] = {0, 0, 0}, region[3] = {b->width, b->height, 1};
    if (b->width) check(clEnqueueReadImage(queue, b->memory, CL_TRUE, origin, region, 0, 0, bytes, 0, NULL, NULL), b->output);
    else check(clEnqueueReadBuffer(queue, b->memory, CL_TRUE, 0, b->size, bytes, 0, NULL, NULL), b->output);
    if (fwrite(bytes, 1, b->size, file) != b->size || fclose(file)) fail("cannot write", b->output);
    free(bytes);
}

int main(int argc, char **argv) {
    size_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
    const char *options = "";
    int repeat = 1, at = 3;
    if (argc < 3) fail("usage", "pocl_run FILE.cl KERNEL --grid X,Y,Z --block X,Y,Z ARG ...");
    for (; at + 1 < argc && !strncmp(argv[at], "--", 2); at += 2) {
        if (!strcmp(argv[at], "--grid")) take_xyz(argv[at + 1], grid);
        else if (!strcmp(argv[at], "--block")) take_xyz(argv[at + 1], block);
        else if (!strcmp(argv[at], "--options")) options = argv[at + 1];
        else if (!strcmp(argv[at], "--repeat")) repeat = atoi(argv[at + 1]);
        else fail("unknown option", argv[at]);
    }
    cl_kernel kernel = build(argv[1], argv[2], options);
    buffer buffers[ARGS_MAX] = {0};
    if (argc - at > ARGS_MAX) fail("usage", "too many arguments");
    for (unsigned i = 0; at < argc; i++, at++) {
        char *word = argv[at], *value = strchr(word, ':');
        if (!value) fail("not an argument", word);
        *value++ = 0;
        if (!strcmp(word, "hex")) set_bytes(kernel, i, value);
        else if (!strcmp(word, "lds")) check(clSetKernelArg(kernel, i, strtoul(value, NULL, 0), NULL), "argument");
        else if (!strcmp(word, "in")) buffers[i] = set_buffer(kernel, i, value, 0);
        else if (!strcmp(word, "inout")) buffers[i] = set_buffer(kernel, i, value, 1);
        else if (!strcmp(word, "image")) buffers[i] = set_image(kernel, i, value);
        else fail("not an argument", word);
    }
    for (int i = 0; i < repeat; i++)
        run(kernel, grid, block);
    for (unsigned i = 0; i < ARGS_MAX; i++)
        write_back(&buffers[i]);
    return 0;
}
