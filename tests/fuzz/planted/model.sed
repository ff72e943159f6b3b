# src/backend/cpu/transpose.c
s/i < i1; i++)  /i < i1 + (j == b - 1 \&\& i1 == a); i++)/
