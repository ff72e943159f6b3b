# src/kernel/point/point_f32.c
s/memcpy(y, x + tap\[0\], (size_t)c \* sizeof \*y);/memcpy(y, x + tap[0], (size_t)c * sizeof *y + 1);/
