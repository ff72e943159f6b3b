# src/quant/profile/profile_json.c
/^get_string/,/^}/s/if (!json_is_string(v) ||/if (/
