// SPDX-License-Identifier: MIT
/* Keys that are not printable characters. A printable one is its own lower-case letter. */
#pragma once

enum {
    KEY_NONE = -1,
    KEY_ENTER = '\r',
    KEY_ESCAPE = 0x1b,
};
