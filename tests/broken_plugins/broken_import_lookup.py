"""Asks for plugins while plugins are being discovered."""

import good_plugin

NAMES = good_plugin.ASKED[-1].names("adapter")
