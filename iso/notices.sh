#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints NOTICE.txt as it goes onto the image: NOTICE, the packages that the files given come from,
# and the licences.
#
#   iso/notices.sh FILE...

set -eu
export LC_ALL=C # the order of the licences
cd "$(dirname "$0")/.."

package_of() {
    if owner=$(dpkg-query -S "$1" 2>/dev/null); then
        # A package of signed programs is built from another source: Built-Using.
        # shellcheck disable=SC2016 # the fields are dpkg's
        dpkg-query -W -f '${Package} ${Version}, source package ${source:Package} ${source:Version}, ${Built-Using}\n' \
            "${owner%%:*}" | sed 's/, $//; s/, \([^ ]*\) (= \(.*\))$/, built from \1 \2/'
    elif command -v rpm >/dev/null && rpm -qf "$1" >/dev/null 2>&1; then
        rpm -qf --qf '%{NAME} %{VERSION}-%{RELEASE}, source package %{SOURCERPM}\n' "$1"
    else
        echo "$1 (no package manager knows where it comes from)"
    fi
}

system() {
    # shellcheck disable=SC1091
    (. /etc/os-release && echo "$PRETTY_NAME") 2>/dev/null || uname -sr
}

cat NOTICE
printf '\nThis image was built on %s with these packages:\n' "$(system)"
for file; do
    printf '    %s\n' "$(package_of "$file")"
done | awk '!seen[$0]++'
for licence in iso/licenses/*.txt; do
    printf '\n\n======== %s\n\n' "$(basename "$licence" .txt)"
    cat "$licence"
done
