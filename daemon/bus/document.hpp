#pragma once

#include <string>
#include <string_view>

#include "daemon/base/error.hpp"
#include "daemon/base/fd.hpp"

namespace netperfd::bus {

// `bytes` as a memory file whose content and size nobody can change any more, its offset at the beginning.
[[nodiscard]] Result<Fd> sealed_memory_file(const std::string& name, std::string_view bytes);

}  // namespace netperfd::bus
