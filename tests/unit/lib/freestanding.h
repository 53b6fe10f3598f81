// SPDX-License-Identifier: MIT
/* Makes what is included after it believe that there is no C library. */
#pragma once
#pragma GCC system_header /* gcc warns about it elsewhere, and has no switch for that */
#undef __STDC_HOSTED__
#define __STDC_HOSTED__ 0
