# SPDX-License-Identifier: Apache-2.0
# The manual page of sinter-gen, from what its --help prints.
# Usage: gen_man.sh SINTER-GEN
. "${0%/*}/help.sh"
set -u
gen=${1:?usage: gen_man.sh SINTER-GEN}
date=$(sed -n 's/^#define SN_VERSION_DATE "\(.*\)".*/\1/p' src/base/version.h)
version=$(sed -n 's/^#define SN_VERSION "\(.*\)".*/\1/p' src/base/version.h)
cat <<END
.Dd $date
.Dt SINTER-GEN 1
.Os sinter $version
.Sh NAME
.Nm sinter-gen
.Nd check declarations of nodes and rewrites, prove them and write C
.Sh SYNOPSIS
.Nm sinter-gen
.Op Ar OPTION ...
.Sh DESCRIPTION
.Bd -literal
END
"$gen" --help | sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^[.']/\\\\&&/"
cat <<'END'
.Ed
.Sh SEE ALSO
.Xr sinter 1
END
