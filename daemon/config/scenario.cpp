#include "daemon/config/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "daemon/base/fd.hpp"
#include "daemon/config/job_reader.hpp"
#include "daemon/config/yaml.hpp"
#include "daemon/model/text.hpp"

namespace netperfd::config {
namespace {

constexpr std::string_view kExtension = ".yaml";

// A name that is asked for becomes part of a path, so it must not be able to leave the directory.
bool may_be_a_file(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  return !name.empty() && name.front() != '.' && name.front() != '-' && name.front() != '_' &&
         std::ranges::all_of(name, fits);
}

}  // namespace

ScenarioDirectory::ScenarioDirectory(std::string directory, JobLimits limits)
    : directory_(std::move(directory)), limits_(limits) {}

std::string ScenarioDirectory::path_of(const std::string& name) const {
  return fmt::format("{}/{}{}", directory_, name, kExtension);
}

// Sorted; hidden files are an editor's, others than *.yaml somebody's notes.
std::vector<std::string> ScenarioDirectory::names() const {
  std::vector<std::string> found;
  std::error_code error;
  for (std::filesystem::directory_iterator file(directory_, error), end; !error && file != end;
       file.increment(error)) {
    const std::string name = file->path().filename();
    const bool shown = name.ends_with(kExtension) && !name.starts_with('.') && is_printable(name);
    if (shown) found.push_back(file->path().stem());
  }
  std::ranges::sort(found);
  return found;
}

std::vector<core::ScenarioRow> ScenarioDirectory::list() {
  std::vector<core::ScenarioRow> rows;
  for (const std::string& name : names()) {
    core::ScenarioRow row{.name = name, .description = {}, .file = path_of(name), .error = {}};
    if (auto job = load(name, {})) {
      row.description = std::move(job->description);
    } else {
      row.error = std::move(job.error().message);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<JobSpec> ScenarioDirectory::load(const std::string& name, const core::JobOptions& options) {
  if (!may_be_a_file(name)) {
    return fail(ErrorKind::not_found,
                fmt::format("{} is no scenario's name, which has only letters, digits, '.', '_' "
                            "and '-' and begins with none of the signs",
                            in_quotes(name)));
  }
  const std::string path = path_of(name);
  std::error_code ignored;  // whatever it is, reading will meet it again
  if (!std::filesystem::exists(path, ignored) && !ignored) {
    const auto known = names();
    const std::vector<std::string_view> candidates(known.begin(), known.end());
    const auto meant = nearest(name, candidates);
    return fail(ErrorKind::not_found, fmt::format("{}: no such scenario in {}{}", in_quotes(name), directory_,
                                                  meant ? fmt::format("; did you mean `{}`?", *meant) : ""));
  }
  const auto text = read_file(path, kMaxYamlBytes);
  if (!text) return std::unexpected(text.error());
  return read_job({.text = *text, .origin = path, .expected_name = name}, options, limits_);
}

Result<JobSpec> ScenarioDirectory::parse(const std::string& text, const std::string& origin,
                                         const core::JobOptions& options) {
  return read_job({.text = text, .origin = origin, .expected_name = std::nullopt}, options, limits_);
}

}  // namespace netperfd::config
