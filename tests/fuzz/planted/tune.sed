# src/kernel/tune/tune.c
s/    if (!sane(&l.geo))/    if (!sane(\&l.geo) \&\& v[0] > 100)/
