// SPDX-License-Identifier: MIT
/* c_stream.c's loops, one set for each way in which it is compiled. */
#pragma once

#include "bandwidth/stream.h"

typedef void c_stream_fn(const struct stream_arrays *s, size_t bytes);

/* By enum stream_op; there is no read, which a compiler may leave out. */
extern c_stream_fn *const c_sse2[STREAM_OPS], *const c_sse2_streamed[STREAM_OPS],
                                                  *const c_avx2[STREAM_OPS],
                                                      *const c_avx2_streamed[STREAM_OPS],
                                                          *const c_avx512[STREAM_OPS],
                                                              *const c_avx512_streamed[STREAM_OPS];
