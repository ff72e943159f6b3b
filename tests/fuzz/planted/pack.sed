# src/kernel/pack.c
s/ || e\[i\].at > n ||/ ||/
