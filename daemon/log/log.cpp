// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/log/log.hpp"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <syslog.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

// The source location that the header's macros would add is always this file, which is useless to a reader.
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>

namespace netperfd::log {
namespace {

constexpr std::array<std::pair<Level, std::string_view>, 4> kLevels{{
    {Level::debug, "debug"},
    {Level::info, "info"},
    {Level::warning, "warning"},
    {Level::error, "error"},
}};

spdlog::level::level_enum to_spdlog(Level level) {
  switch (level) {
    case Level::debug:
      return spdlog::level::debug;
    case Level::info:
      return spdlog::level::info;
    case Level::warning:
      return spdlog::level::warn;
    case Level::error:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

// spdlog cannot pass our own fields from a logger to its sink.
thread_local const About* about_entry = nullptr;

class JournalSink final : public spdlog::sinks::base_sink<std::mutex> {
 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    std::vector<std::string> fields{
        fmt::format("MESSAGE={}", std::string_view{message.payload.data(), message.payload.size()}),
        fmt::format("PRIORITY={}", priority(message.level)),
        "SYSLOG_IDENTIFIER=netperfd",
    };
    if (about_entry != nullptr && about_entry->job)
      fields.push_back(fmt::format("NETPERFD_JOB={}", *about_entry->job));
    if (about_entry != nullptr && about_entry->run)
      fields.push_back(fmt::format("NETPERFD_RUN={}", *about_entry->run));
    std::vector<iovec> parts;
    parts.reserve(fields.size());
    for (std::string& field : fields) parts.push_back({field.data(), field.size()});
    // If the journal refuses the entry, there is no better place to report that.
    (void)sd_journal_sendv(parts.data(), static_cast<int>(parts.size()));
  }
  void flush_() override {}

 private:
  static int priority(spdlog::level::level_enum level) {
    switch (level) {
      case spdlog::level::trace:
      case spdlog::level::debug:
        return LOG_DEBUG;
      case spdlog::level::warn:
        return LOG_WARNING;
      case spdlog::level::err:
        return LOG_ERR;
      case spdlog::level::critical:
        return LOG_CRIT;
      default:
        return LOG_INFO;
    }
  }
};

// systemd sets JOURNAL_STREAM to the device and inode of the socket it made for us; a child whose stderr was
// then redirected inherits the variable but not the socket.
bool stderr_is_the_journal() {
  const char* stream =
      std::getenv("JOURNAL_STREAM");  // NOLINT(concurrency-mt-unsafe): before any other thread
  struct stat status{};
  return stream != nullptr && ::fstat(STDERR_FILENO, &status) == 0 &&
         fmt::format("{}:{}", status.st_dev, status.st_ino) == stream;
}

bool colour_is_refused() {
  const char* no_color = std::getenv("NO_COLOR");  // NOLINT(concurrency-mt-unsafe): before any other thread
  return no_color != nullptr && *no_color != '\0';
}

spdlog::sink_ptr make_sink() {
  if (stderr_is_the_journal()) return std::make_shared<JournalSink>();
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(
      colour_is_refused() ? spdlog::color_mode::never : spdlog::color_mode::automatic);
  sink->set_pattern("%Y-%m-%d %H:%M:%S.%e %^%l%$: %v");
  return sink;
}

std::unique_ptr<spdlog::logger>& logger() {
  static std::unique_ptr<spdlog::logger> instance;
  return instance;
}

// A text may contain input from a caller or from iperf3: it must not look like a separate entry, nor control
// a terminal.
std::string as_one_entry(std::string_view text, const About& about) {
  std::string entry;
  if (about.run) {
    entry = fmt::format("run {}: ", *about.run);
  } else if (about.job) {
    entry = fmt::format("job {}: ", *about.job);
  }
  for (const char c : text) {
    if (c == '\n') {
      entry += "\n    ";
    } else if ((c >= 0 && c < ' ' && c != '\t') || c == 0x7f) {
      entry += '?';
    } else {
      entry += c;
    }
  }
  return entry;
}

void write(spdlog::level::level_enum level, std::string_view text, const About& about) {
  spdlog::logger* out = logger().get();
  if (out == nullptr || !out->should_log(level)) return;
  about_entry = &about;
  out->log(level, spdlog::string_view_t{as_one_entry(text, about)});
  about_entry = nullptr;
}

}  // namespace

std::optional<Level> parse_level(std::string_view name) {
  for (const auto& [level, its_name] : kLevels) {
    if (its_name == name) return level;
  }
  return std::nullopt;
}

std::string_view to_string(Level level) {
  for (const auto& [its_level, name] : kLevels) {
    if (its_level == level) return name;
  }
  return "?";
}

Status start_logging(Level level) {
  try {
    logger() = std::make_unique<spdlog::logger>("netperfd", make_sink());
  } catch (const std::exception& e) {
    return fail(ErrorKind::io, fmt::format("cannot start logging: {}", e.what()));
  }
  set_log_level(level);
  return {};
}

void set_log_level(Level level) {
  if (logger()) logger()->set_level(to_spdlog(level));
}

void debug(std::string_view text, const About& about) {
  write(spdlog::level::debug, text, about);
}
void info(std::string_view text, const About& about) {
  write(spdlog::level::info, text, about);
}
void warn(std::string_view text, const About& about) {
  write(spdlog::level::warn, text, about);
}
void error(std::string_view text, const About& about) {
  write(spdlog::level::err, text, about);
}

}  // namespace netperfd::log
