// Texts of iperf3, of files and of other hosts, made fit for the bus.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace netperfd::bus {

inline constexpr std::size_t kShortTextBytes = 1024;  // of a text that many rows or objects hold
inline constexpr std::size_t kLongTextBytes = std::size_t{16} * 1024;  // of a text that a message holds once

// `text` with U+FFFD in place of what D-Bus refuses, and with "…" at the end where it was cut to
// `limit_bytes`. sd-bus refuses a whole message for one such character: malformed UTF-8, NUL and also
// Unicode's noncharacters.
[[nodiscard]] std::string wire_text(std::string_view text, std::size_t limit_bytes);

}  // namespace netperfd::bus
