// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/config/scenario.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <ranges>
#include <string_view>
#include <utility>

#include "daemon/base/fd.hpp"
#include "daemon/config/job_reader.hpp"
#include "daemon/config/yaml.hpp"
#include "daemon/model/text.hpp"

namespace netperfd::config {
namespace {

constexpr std::string_view kExtension = ".yaml";

// The requested name becomes part of a path, so it must not be able to leave the directory.
bool may_be_a_file(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  return !name.empty() && name.front() != '.' && name.front() != '-' && name.front() != '_' &&
         std::ranges::all_of(name, fits);
}

std::string path_of(const std::string& directory, const std::string& name) {
  return fmt::format("{}/{}{}", directory, name, kExtension);
}

struct ScenarioFile {
  std::string text;
  std::string changeable;  // why it may have no commands; empty: it may
};

// Checks the same open file that it reads: two lookups of a path could find different files.
Result<ScenarioFile> read_scenario(const std::string& directory, const std::string& path, uid_t owner) {
  const std::string name = std::filesystem::path(path).filename();
  const Fd above{::open(directory.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  if (!above) return fail_errno(directory, errno);
  // O_NONBLOCK matters only for the open: a FIFO would wait there for its writer.
  const Fd file{::openat(above.get(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat of_directory{}, of_entry{}, of_file{};
  const bool known = file && ::fstat(above.get(), &of_directory) == 0 && ::fstat(file.get(), &of_file) == 0 &&
                     ::fstatat(above.get(), name.c_str(), &of_entry, AT_SYMLINK_NOFOLLOW) == 0;
  if (!known) return fail_errno(path, errno);
  auto text = read_file(file, path, kMaxYamlBytes);
  if (!text) return std::unexpected(std::move(text.error()));
  std::string why = changeable(of_directory, directory, owner);
  // With a link, other directories decide which file is read.
  if (why.empty() && S_ISLNK(of_entry.st_mode)) {
    why = fmt::format("{} is a symbolic link; put the file itself there", path);
  }
  if (why.empty()) why = changeable(of_file, path, owner);
  return ScenarioFile{std::move(*text), std::move(why)};
}

}  // namespace

std::string changeable(const struct stat& status, const std::string& path, uid_t owner) {
  if (status.st_uid != owner) {
    return fmt::format("{} belongs to user {}; mend that with `chown root {}`", path, status.st_uid, path);
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return fmt::format("others than its owner may write {}; mend that with `chmod go-w {}`", path, path);
  }
  return {};
}

ScenarioDirectories::ScenarioDirectories(std::vector<std::string> directories, JobLimits limits, uid_t owner)
    : directories_(std::move(directories)), limits_(limits), owner_(owner) {}

// Hidden files (of editors) and files other than *.yaml are ignored.
std::map<std::string, std::string> ScenarioDirectories::found() const {
  std::map<std::string, std::string> found;
  for (const std::string& directory : directories_) {
    std::error_code error;
    for (std::filesystem::directory_iterator file(directory, error), end; !error && file != end;
         file.increment(error)) {
      const std::string name = file->path().filename();
      const bool shown = name.ends_with(kExtension) && !name.starts_with('.') && is_printable(name);
      if (shown) found.try_emplace(file->path().stem(), directory);
    }
  }
  return found;
}

// A symbolic link to nothing is a file, too: root's link does not bring the shipped scenario to light.
std::optional<std::string> ScenarioDirectories::directory_of(const std::string& name) const {
  for (const std::string& directory : directories_) {
    std::error_code ignored;  // ignored: reading the file meets the same error
    const auto status = std::filesystem::symlink_status(path_of(directory, name), ignored);
    if (status.type() != std::filesystem::file_type::not_found) return directory;
  }
  return std::nullopt;
}

std::vector<core::ScenarioRow> ScenarioDirectories::list() {
  std::vector<core::ScenarioRow> rows;
  for (const auto& [name, directory] : found()) {
    core::ScenarioRow row{.name = name, .description = {}, .file = path_of(directory, name), .error = {}};
    if (auto job = load(name, {})) {
      row.description = std::move(job->description);
    } else {
      row.error = std::move(job.error().message);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<JobSpec> ScenarioDirectories::read(const JobText& job, const core::JobOptions& options) const {
  auto spec = read_job(job, options, limits_);
  if (spec || !options.limited || spec.error().kind != ErrorKind::access_denied) return spec;
  core::JobOptions not_limited = options;
  not_limited.limited = false;
  auto same = read_job(job, not_limited, limits_);
  if (!same) return spec;
  const auto installed = installed_of(*same);
  if (!installed || !is_same_place(*same, *installed)) return spec;
  if (sets_no_more(*same, *installed)) return same;
  // The ends are root's own, and what is set must be allowed.
  JobLimits limits = limits_;
  limits.allow = {.settings = limits_.allow.settings};
  return read_job(job, options, limits);
}

std::optional<JobSpec> ScenarioDirectories::installed_of(const JobSpec& spec) const {
  const auto directory = may_be_a_file(spec.name) ? directory_of(spec.name) : std::nullopt;
  if (!directory) return std::nullopt;
  const std::string path = path_of(*directory, spec.name);
  auto file = read_scenario(*directory, path, owner_);
  if (!file || !file->changeable.empty()) return std::nullopt;
  auto installed = read_job(
      {.text = std::move(file->text), .origin = path, .expected_name = spec.name, .commands_refused = {}}, {},
      limits_);
  return installed ? std::optional(std::move(*installed)) : std::nullopt;
}

Result<JobSpec> ScenarioDirectories::load(const std::string& name, const core::JobOptions& options) {
  if (!may_be_a_file(name)) {
    return fail(ErrorKind::not_found,
                fmt::format("{} is no scenario's name, which has only letters, digits, '.', '_' "
                            "and '-' and begins with none of the signs",
                            in_quotes(name)));
  }
  const auto directory = directory_of(name);
  if (!directory) {
    const auto known = found();
    const auto names = std::views::keys(known);
    const std::vector<std::string_view> candidates(names.begin(), names.end());
    const auto meant = nearest(name, candidates);
    return fail(ErrorKind::not_found,
                fmt::format("{}: no such scenario in {}{}", in_quotes(name), fmt::join(directories_, " or "),
                            meant ? fmt::format("; did you mean `{}`?", *meant) : ""));
  }
  const std::string path = path_of(*directory, name);
  auto file = read_scenario(*directory, path, owner_);
  if (!file) return std::unexpected(std::move(file.error()));
  return read({.text = std::move(file->text),
               .origin = path,
               .expected_name = name,
               .commands_refused = std::move(file->changeable)},
              options);
}

Result<JobSpec> ScenarioDirectories::parse(const std::string& text, const std::string& origin,
                                           const core::JobOptions& options) {
  return read({.text = text, .origin = origin, .expected_name = std::nullopt}, options);
}

Result<JobSpec> ScenarioDirectories::reread(const std::string& text, const std::string& origin,
                                            const core::JobOptions& options) {
  return read({.text = text, .origin = origin, .expected_name = std::nullopt, .commands_refused = {}},
              options);
}

}  // namespace netperfd::config
