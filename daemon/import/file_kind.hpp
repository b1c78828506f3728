// What a file that a user brought is, by its content, and who reads it then.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "daemon/base/error.hpp"
#include "daemon/model/imported_file.hpp"

namespace netperfd::import {

enum class FileKind { trace_dat, iperf3, graph_text };

// By its first bytes and lines. invalid_argument with what was found where it is none of them.
[[nodiscard]] Result<FileKind> recognize(std::span<const std::byte> file);

// They take the whole file.
struct FileReaders {
  std::function<Result<ImportedFile>(std::span<const std::byte>)> trace_dat, iperf3, graph_text;
};
[[nodiscard]] Result<ImportedFile> read_by_kind(std::span<const std::byte> file, const FileReaders& readers);

}  // namespace netperfd::import
