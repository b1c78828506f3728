// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/idle_cpus.hpp"

#include <charconv>
#include <chrono>
#include <string_view>

#include "daemon/base/fd.hpp"

namespace netperfd::trace {
namespace {

constexpr std::chrono::milliseconds kApart{100};
constexpr std::size_t kLongestFile = 256;

std::optional<double> read_idle_seconds(const std::string& file) {
  const auto text = read_file(file, kLongestFile);
  if (!text) return std::nullopt;
  const std::size_t space = text->find(' ');
  if (space == std::string::npos) return std::nullopt;
  const auto second = std::string_view(*text).substr(space + 1);
  double seconds = 0;
  const auto [end, error] = std::from_chars(second.data(), second.data() + second.size(), seconds);
  if (error != std::errc{}) return std::nullopt;
  return seconds;
}

}  // namespace

double IdleCpus::of_late(std::chrono::microseconds now) {
  if (last_ && now >= last_->at && now - last_->at < kApart) return idle_;
  const auto seconds = read_idle_seconds(file_);
  idle_ = 0;
  if (last_ && seconds && now > last_->at) {
    idle_ = (*seconds - last_->idle_seconds) / std::chrono::duration<double>(now - last_->at).count();
  }
  last_.reset();
  if (seconds) last_ = {now, *seconds};
  return idle_;
}

}  // namespace netperfd::trace
