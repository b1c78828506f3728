// SPDX-License-Identifier: GPL-2.0-or-later
// What the daemon itself looks at before a process reads a file of an import.
#pragma once

#include <string>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/base/foreign_fd.hpp"
#include "daemon/core/importer.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::core {

// A file on its way to the process that reads it.
struct CheckedFile {
  ForeignFd file;
  std::string name;  // for messages
  SourceFile source;
};

// invalid_argument, with the name of the file, unless one import can consist of these. Waits for no file
// system.
[[nodiscard]] Result<std::vector<CheckedFile>> check_files(std::vector<NamedFile> files);

[[nodiscard]] std::unexpected<Error> about_file(const std::string& name, const Error& error);

}  // namespace netperfd::core
