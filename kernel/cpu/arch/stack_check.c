// SPDX-License-Identifier: MIT
#include "arch/stack_check.h"

#include "lib/panic.h"

void __stack_chk_fail(void)
{
    panic("stack smashing detected in a library");
}
