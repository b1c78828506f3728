// SPDX-License-Identifier: GPL-2.0-or-later
// When an imported run was measured.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "daemon/model/run_record.hpp"

namespace netperfd {

enum class DateSource {
  document,  // the iperf3 document says when its test began, by the clock of the measuring host
  file       // the time when the oldest of the files was last written, which may be that of a copy
};
[[nodiscard]] std::string_view to_string(DateSource source);

struct ImportDate {
  WallTime measured;
  DateSource source = DateSource::document;
};

// `started` is that of the run's record, which only a document tells. Absent: unknown.
[[nodiscard]] std::optional<ImportDate> date_of_import(const std::vector<SourceFile>& files,
                                                       const std::optional<WallTime>& started);

}  // namespace netperfd
