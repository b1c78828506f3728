// SPDX-License-Identifier: GPL-2.0-or-later
// Only a translation unit for the precompiled headers.
