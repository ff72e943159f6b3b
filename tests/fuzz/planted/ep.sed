# src/ep/ep_compute.c
s/^                !memcmp(x->dim, dim, rank \* sizeof \*dim);/                true;/
