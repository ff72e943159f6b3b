# src/run/npy.c
s/if (len > n - \*at)/if (len > n)/
