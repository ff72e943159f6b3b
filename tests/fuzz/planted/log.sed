# src/rewrite/witness/witness_replay.c
s/    SN_TRY(sn_check_fire(rw, r->g));//
