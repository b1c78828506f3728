// SPDX-License-Identifier: GPL-2.0-or-later
// Which of the files to import are documents of iperf3 and which are traces, as far as their beginning tells.
// Only to find pairs: the daemon looks for itself. Both see through gzip and zstd, and borrow a file that is
// open for reading.
#pragma once

namespace netperfctl {

// Whether the file is text with a line that begins as iperf3's document does: no trace has, but the bytes of
// a trace.dat may look like it.
[[nodiscard]] bool looks_like_document(int file);
// Whether the file is a trace.dat, or has a sign of a trace's text. Every trace that the daemon reads has
// one; some other texts have one too.
[[nodiscard]] bool looks_like_trace(int file);

}  // namespace netperfctl
