// SPDX-License-Identifier: GPL-2.0-or-later
// netperfctl's exit codes. Written out here instead of taken from the client, so that a test notices a
// change.
#pragma once

namespace netperfd::system_test {

inline constexpr int kOther = 1;
inline constexpr int kUsage = 2;
inline constexpr int kUnreachable = 3;
inline constexpr int kDenied = 4;
inline constexpr int kNotFound = 5;
inline constexpr int kInconclusive = 6;
inline constexpr int kRunFailed = 7;
inline constexpr int kRegression = 8;
inline constexpr int kQuota = 9;
inline constexpr int kCanceled = 10;
inline constexpr int kDifference = 11;
inline constexpr int kInterrupted = 130;

}  // namespace netperfd::system_test
