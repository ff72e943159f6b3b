# dsl/syntax/unexpected.c
s/sn_error(P->d, t->pos, "SN001", "expected %s, not %s"/sn_error(P->d, e.more ? (SnPos){0} : t->pos, "SN001", "expected %s, not %s"/
