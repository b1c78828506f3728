// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/catalogue/kernel_config.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <memory>
#include <utility>

namespace netperfd::trace {
namespace {

// A distribution's configuration has 300 KiB.
constexpr std::size_t kConfigLimit = std::size_t{8} << 20;

// Also handles an uncompressed file, which zlib passes through. Empty if it cannot be read completely.
std::string read_config(const std::string& path) {
  const std::unique_ptr<gzFile_s, decltype(&::gzclose)> file(::gzopen(path.c_str(), "rbe"), &::gzclose);
  if (!file) return "";
  std::string text;
  std::array<char, 16384> chunk{};
  for (;;) {
    const int got = ::gzread(file.get(), chunk.data(), static_cast<unsigned>(chunk.size()));
    if (got < 0 || text.size() > kConfigLimit) return "";
    if (got == 0) return text;
    text.append(chunk.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

KernelConfig::KernelConfig(std::string gzipped, std::string plain)
    : gzipped_(std::move(gzipped)), plain_(std::move(plain)) {}

std::optional<std::string> KernelConfig::value(std::string_view option) {
  if (!text_) {
    text_ = read_config(gzipped_);
    if (text_->empty()) text_ = read_config(plain_);
    if (!text_->empty()) text_->insert(text_->begin(), '\n');
  }
  if (text_->empty()) return std::nullopt;
  const std::string start = fmt::format("\n{}=", option);
  const auto found = text_->find(start);
  if (found == std::string::npos) return "n";
  const auto begin = found + start.size();
  return text_->substr(begin, text_->find('\n', begin) - begin);
}

}  // namespace netperfd::trace
