/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

/* malloc() and free() in kernels: lists of nodes of many sizes that one kernel makes and another sums up and frees. */
struct Node {
    Node *next;
    int value;
};

__global__ void build(Node **head, int nodes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    head[i] = nullptr;
    for (int k = 0; k < nodes; k++) {
        Node *node = (Node *)malloc(sizeof(Node) + (size_t)(i * 7 + k) % 300);
        if (!node) return;
        node->next = head[i];
        node->value = i * nodes + k;
        head[i] = node;
    }
}

__global__ void take_apart(Node **head, int *sum) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    sum[i] = 0;
    for (Node *node = head[i], *next; node; node = next) {
        next = node->next;
        sum[i] += node->value;
        free(node);
    }
}

int main() {
    const int lists = 256, nodes = 4;
    Node **head = device<Node *>(lists);
    int *sum = device<int>(lists);
    for (int round = 0; round < 2; round++) {
        build<<<lists / 64, 64>>>(head, nodes);
        take_apart<<<lists / 128, 128>>>(head, sum);
        std::vector<int> got = host(sum, lists);
        for (int i = 0; i < lists; i++) EXPECT(i, got[i], i * nodes * nodes + nodes * (nodes - 1) / 2);
    }
    return done();
}
