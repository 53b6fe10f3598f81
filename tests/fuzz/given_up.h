// SPDX-License-Identifier: MIT
/*
 * tools/badram/message.h for targets: where the program would end with a message, an input is given
 * up. Leaks are not looked for then: fail() leaves its callers as it cannot in the program.
 */
#pragma once

#include <setjmp.h>

/* Where fail() goes: set by setjmp() before each call that may fail. */
extern jmp_buf given_up;
