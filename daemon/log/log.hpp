// SPDX-License-Identifier: GPL-2.0-or-later
// The daemon's log: journald if systemd connected our stderr to it, otherwise stderr. Only main and bus write
// to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "daemon/base/error.hpp"

namespace netperfd::log {

enum class Level { debug, info, warning, error };

[[nodiscard]] std::optional<Level> parse_level(std::string_view name);
[[nodiscard]] std::string_view to_string(Level level);

// The subject of an entry. The journal has it in the fields NETPERFD_JOB and NETPERFD_RUN (`journalctl
// NETPERFD_RUN=41`). In both destinations the text begins with "run 41: " or, without a run, "job 12: ".
struct About {
  std::optional<std::int64_t> job = std::nullopt;
  std::optional<std::int64_t> run = std::nullopt;
};

// Chooses the destination from JOURNAL_STREAM and stderr as they are now. Nothing is written before this
// call.
[[nodiscard]] Status start_logging(Level level);

// Entries below `level` are dropped from now on.
void set_log_level(Level level);

// `text` is UTF-8 and may have several lines.
void debug(std::string_view text, const About& about = {});
void info(std::string_view text, const About& about = {});
void warn(std::string_view text, const About& about = {});
void error(std::string_view text, const About& about = {});

}  // namespace netperfd::log
