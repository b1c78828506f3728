// SPDX-License-Identifier: GPL-2.0-or-later
// Reads function_graph text the way an import does.
#pragma once

#include <span>
#include <stdexcept>
#include <string_view>

#include "daemon/trace/recording/graph_text_record.hpp"

namespace netperfd::trace::test {

inline Result<ImportedFile> read(std::string_view text) {
  return record_of_graph_text(std::as_bytes(std::span(text)));
}

inline FunctionProfile profile_of(std::string_view text) {
  const auto file = read(text);
  if (!file) throw std::runtime_error(file.error().message);
  return file->trace->profile.value();
}

}  // namespace netperfd::trace::test
