// SPDX-License-Identifier: GPL-2.0-or-later
// Detects the type of an imported file from its content, and selects its reader.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "daemon/base/error.hpp"
#include "daemon/model/imported_file.hpp"

namespace netperfd::import {

enum class FileKind { trace_dat, iperf3, iperf3_text, graph_text, netperf, sockperf, flent, table, bundle };

// Detects the type from the first bytes and lines. If it is none of them, invalid_argument with the text
// found.
[[nodiscard]] Result<FileKind> recognize(std::span<const std::byte> file);

// The readers take the whole file, unpacked and as UTF-8.
struct FileReaders {
  using Read = std::function<Result<ImportedFile>(std::span<const std::byte>)>;
  Read trace_dat, iperf3, graph_text, iperf3_text, netperf, sockperf, flent, table;
  Read bundle = {};  // may be absent: bundles are refused
};
[[nodiscard]] Result<ImportedFile> read_by_kind(std::span<const std::byte> file, const FileReaders& readers);

}  // namespace netperfd::import
