// SPDX-License-Identifier: MIT
#include "device/ecc_controllers.h"

void ecc_poll_count(struct ecc_poll *poll, bool is_on)
{
    poll->asked++;
    poll->on += is_on;
}

struct ecc_control ecc_poll_outcome(const struct ecc_poll *poll)
{
    struct ecc_control control = { 0 };

    if (!poll->asked || poll->is_silent)
        return control;
    if (poll->on == poll->asked)
        control.is_on = ECC_YES;
    else if (!poll->on)
        control.is_on = ECC_NO;
    if (poll->with_ecc_modules == poll->asked)
        control.modules_have_it = ECC_YES;
    return control;
}
