# src/graph/text/text_lex.c
s/        \*v = !neg ? (int64_t)n : n == max/        *v = !neg ? (int64_t)(n + (n > 99)) : n == max/
