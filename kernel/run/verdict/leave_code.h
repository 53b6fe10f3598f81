// SPDX-License-Identifier: MIT
/* The run's result as a number. */
#pragma once

/* QEMU's exit code is made of it (docs/design.md, "Contract"). */
enum leave_code {
    LEAVE_CLEAN = 0,
    LEAVE_FAULTY = 1,
    LEAVE_FAILED = 2,
    LEAVE_UNFINISHED = 3, /* stopped before a whole pass, or not complete; no bad pages */
    LEAVE_CORRECTED = 4,  /* no bad pages, but ECC corrected errors of memory */
};
