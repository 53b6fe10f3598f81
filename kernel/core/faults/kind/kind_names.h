// SPDX-License-Identifier: MIT
/* Kinds of faults and confidence, in words. */
#pragma once

#include "kind/kind.h"

/* "a row (word line)", for people; "row", for JSON. */
const char *kind_name(enum kind kind);
const char *kind_word(enum kind kind);

/* "sure", "likely", "possible". */
const char *kind_confidence_name(enum kind_confidence confidence);
