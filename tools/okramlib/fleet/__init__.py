# SPDX-License-Identifier: MIT
"""Many machines: `okram fleet`."""
