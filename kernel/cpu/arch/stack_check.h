// SPDX-License-Identifier: MIT
/*
 * What libraries that have a stack protector call if its guard, which is in struct percpu, was
 * overwritten: a panic. The kernel's own code has none.
 */
#pragma once

_Noreturn void __stack_chk_fail(void);
