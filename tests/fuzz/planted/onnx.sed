# src/onnx/proto/onnx_read.c
s/v > (uint64_t)(end - \*p))/v > (uint64_t)(end - *p) + 64)/
