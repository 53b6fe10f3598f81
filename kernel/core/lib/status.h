// SPDX-License-Identifier: MIT
/* Why a call did not do what was asked. Outputs (ret_x) are written on STATUS_OK only. */
#pragma once

enum status {
    STATUS_OK = 0,
    STATUS_NOT_FOUND, /* there is none */
    STATUS_INVALID,   /* malformed input: table, option, notation */
    STATUS_NO_SPACE,  /* it does not fit into what was given */
    STATUS_TIMEOUT,   /* hardware did not answer before the deadline */
    STATUS_UNSUPPORTED,
};
