// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/import_date.hpp"

namespace netperfd {

std::string_view to_string(DateSource source) {
  return source == DateSource::document ? "document" : "file";
}

std::optional<ImportDate> date_of_import(const std::vector<SourceFile>& files,
                                         const std::optional<WallTime>& started) {
  if (started) return ImportDate{.measured = *started, .source = DateSource::document};
  std::optional<ImportDate> date;
  for (const SourceFile& file : files) {
    if (!file.modified || (date && date->measured <= *file.modified)) continue;
    date = ImportDate{.measured = *file.modified, .source = DateSource::file};
  }
  return date;
}

}  // namespace netperfd
