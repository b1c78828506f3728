#pragma once

#include <string>
#include <string_view>

#include "daemon/base/error.hpp"
#include "daemon/base/fd.hpp"

namespace netperfd::bus {

// A memory file that holds `bytes`, sealed against changes of content and size, with offset 0.
[[nodiscard]] Result<Fd> sealed_memory_file(const std::string& name, std::string_view bytes);

}  // namespace netperfd::bus
