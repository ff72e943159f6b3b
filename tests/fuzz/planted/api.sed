# src/api/api_session.c
s/    if (st != SINTER_OK) {/    if (st != SINTER_OK \&\& st != SINTER_ENOMEM) {/
