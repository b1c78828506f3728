// SPDX-License-Identifier: GPL-2.0-or-later
// Which of the files to import are documents of iperf3, as far as their beginning tells.
#pragma once

namespace netperfctl {

// Whether the file (borrowed, open for reading) is text with a line that begins as iperf3's document does: no
// trace has, but the bytes of a trace.dat may look like it. Sees through gzip and zstd. Only to find pairs;
// the daemon looks for itself.
[[nodiscard]] bool looks_like_document(int file);

}  // namespace netperfctl
