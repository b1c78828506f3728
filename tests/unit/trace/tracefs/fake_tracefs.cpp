// SPDX-License-Identifier: GPL-2.0-or-later
// The fake's interface: recording, refusing and reading. fake_tracefs_kernel.cpp has the effects of writes.
#include "tests/unit/trace/tracefs/fake_tracefs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <utility>

#include "daemon/trace/tracefs/tracefs_error.hpp"
#include "tests/unit/trace/tracefs/fake_tracefs_kernel.hpp"

namespace netperfd::trace {

using Kind = FakeTracefs::Operation::Kind;

// Shared by open files and the tree; a file may outlive the fake.
struct FakeTracefs::Shared {
  std::map<std::string, std::deque<std::vector<std::byte>>> subbuffers;  // by path
  std::map<std::string, std::vector<std::string>> marks;                 // by trace directory
  std::map<std::string, std::size_t> open;                               // by path
  std::function<bool(const std::string& directory)> tracing;             // empty once the fake is gone
};

class FakeTracefs::File final : public TracefsFile {
 public:
  File(std::shared_ptr<Shared> shared, std::string path, std::string directory, std::string text)
      : shared_(std::move(shared)),
        path_(std::move(path)),
        directory_(std::move(directory)),
        text_(std::move(text)) {
    ++shared_->open[path_];
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() override {
    if (--shared_->open[path_] == 0) shared_->open.erase(path_);
  }

  Result<std::size_t> read(std::span<std::byte> out) override {
    const auto queue = shared_->subbuffers.find(path_);
    if (queue != shared_->subbuffers.end() && !queue->second.empty()) {
      const std::vector<std::byte> bytes = std::move(queue->second.front());
      queue->second.pop_front();
      const std::size_t count = std::min(bytes.size(), out.size());
      std::memcpy(out.data(), bytes.data(), count);
      return count;
    }
    const std::size_t count = std::min(text_.size(), out.size());
    std::memcpy(out.data(), text_.data(), count);
    text_.erase(0, count);
    return count;
  }

  Status write(const std::string& text) override {
    if (!path_.ends_with("trace_marker")) return refused(writing(path_, text), EBADF);
    if (!shared_->tracing || !shared_->tracing(directory_)) return refused(writing(path_, text), EBADF);
    shared_->marks[directory_].push_back(text);
    return {};
  }

 private:
  std::shared_ptr<Shared> shared_;
  std::string path_;
  std::string directory_;
  std::string text_;
};

FakeTracefs::FakeTracefs(FakeKernel kernel)
    : kernel_(std::move(kernel)), shared_(std::make_shared<Shared>()) {
  shared_->tracing = [this](const std::string& directory) {
    return get(below(directory, "tracing_on")) == "1\n";
  };
  make_trace_directory("");
  directories_.insert("instances");
  for (const auto& [path, text] : top_files(kernel_)) files_[path] = text;
  refresh_functions();
}

FakeTracefs::~FakeTracefs() {
  shared_->tracing = nullptr;
}

std::unique_ptr<FakeTracefs> FakeTracefs::clone() const {
  auto copy = std::make_unique<FakeTracefs>(kernel_);
  copy->files_ = files_;
  copy->directories_ = directories_;
  return copy;
}

// ---- Interface --------------------------------------------------------------------------------------------

Status FakeTracefs::perform(Operation operation, const std::function<int()>& act) {
  if (before_) before_(operation);
  int error_number = 0;
  if (fail_at_ > 0 && --fail_at_ == 0) error_number = fail_errno_;
  if (const auto failure = path_failures_.find(operation.path); failure != path_failures_.end()) {
    error_number = failure->second;
  }
  if (error_number == 0) error_number = act();
  operation.refused = error_number != 0;
  operations_.push_back(operation);
  if (after_) after_(operation);
  if (error_number == 0) return {};
  return refused(describe(operation), error_number);
}

Result<std::string> FakeTracefs::read(const std::string& path) {
  if (const auto failure = path_failures_.find(path); failure != path_failures_.end()) {
    return refused(path, failure->second);
  }
  if (!files_.contains(path)) return refused(path, ENOENT);
  if (locked(place(path))) return refused(path, EPERM);
  if (path.ends_with("/enable") && event_of(place(path)).empty()) return event_summary(path);
  if (place(path).file == "set_event") return enabled_events(place(path).directory);
  return files_.at(path);
}

Status FakeTracefs::change(const std::string& path, const std::string& text, bool truncate) {
  return perform({.kind = truncate ? Kind::write : Kind::append, .path = path, .text = text}, [&] {
    if (!files_.contains(path)) return ENOENT;
    return locked(place(path)) ? EPERM : put(place(path), text, truncate);
  });
}

Status FakeTracefs::write(const std::string& path, const std::string& text) {
  return change(path, text, true);
}

Status FakeTracefs::append(const std::string& path, const std::string& text) {
  return change(path, text, false);
}

Status FakeTracefs::make_directory(const std::string& path) {
  return perform({.kind = Kind::make_directory, .path = path, .text = ""}, [&] {
    if (directories_.contains(path)) return EEXIST;
    // Only instances can be created.
    if (place(path).directory != path || path.empty()) return EPERM;
    make_trace_directory(path);
    return 0;
  });
}

Status FakeTracefs::remove_directory(const std::string& path) {
  return perform({.kind = Kind::remove_directory, .path = path, .text = ""}, [&] {
    if (!directories_.contains(path)) return ENOENT;
    if (place(path).directory != path || path.empty()) return EPERM;
    const auto inside = [&](const auto& open) { return open.first.starts_with(path + "/"); };
    if (std::ranges::any_of(shared_->open, inside)) return EBUSY;
    erase(path);
    return 0;
  });
}

Result<std::vector<std::string>> FakeTracefs::list(const std::string& path) {
  if (!path.empty() && !directories_.contains(path)) return refused(path, ENOENT);
  std::set<std::string> names;
  const std::string prefix = path.empty() ? "" : path + "/";
  const auto note = [&](const std::string& entry) {
    if (entry.starts_with(prefix) && entry.size() > prefix.size()) {
      names.insert(entry.substr(prefix.size(), entry.find('/', prefix.size()) - prefix.size()));
    }
  };
  for (const auto& [file, text] : files_) note(file);
  for (const auto& directory : directories_) note(directory);
  return std::vector<std::string>(names.begin(), names.end());
}

bool FakeTracefs::exists(const std::string& path) {
  return path.empty() || files_.contains(path) || directories_.contains(path);
}

Result<std::unique_ptr<TracefsFile>> FakeTracefs::open(const std::string& path, OpenMode mode) {
  const std::string text = mode == OpenMode::read ? "read" : "write";
  const auto status = perform({.kind = Kind::open, .path = path, .text = text}, [&] {
    if (!files_.contains(path)) return ENOENT;
    return locked(place(path)) ? EPERM : 0;
  });
  if (!status) return std::unexpected(status.error());
  return std::make_unique<File>(shared_, path, place(path).directory, files_.at(path));
}

// ---- For tests --------------------------------------------------------------------------------------------

void FakeTracefs::fail_at(std::size_t operation, int error_number) {
  fail_at_ = operation;
  fail_errno_ = error_number;
}

void FakeTracefs::fail_path(const std::string& path, int error_number) {
  if (error_number == 0) {
    path_failures_.erase(path);
  } else {
    path_failures_[path] = error_number;
  }
}

std::string FakeTracefs::snapshot() const {
  std::string text;
  for (const auto& directory : directories_) text += directory + "/\n";
  for (const auto& [path, content] : files_) {
    if (place(path).file == "error_log") continue;
    std::string line = content;
    for (std::size_t at = 0; (at = line.find('\n', at)) != std::string::npos; at += 2) {
      line.replace(at, 1, "\\n");
    }
    text += fmt::format("{} = {}\n", path, line);
  }
  return text;
}

void FakeTracefs::set(const std::string& path, std::string text) {
  for (auto slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    directories_.insert(path.substr(0, slash));
  }
  files_[path] = std::move(text);
}

std::string FakeTracefs::get(const std::string& path) const {
  const auto file = files_.find(path);
  return file == files_.end() ? "" : file->second;
}

void FakeTracefs::erase(const std::string& path) {
  files_.erase(path);
  directories_.erase(path);
  const auto inside = [&](const std::string& entry) { return entry.starts_with(path + "/"); };
  std::erase_if(files_, [&](const auto& file) { return inside(file.first); });
  std::erase_if(directories_, inside);
}

void FakeTracefs::add_instance(const std::string& name) {
  make_trace_directory("instances/" + name);
}

void FakeTracefs::feed(const std::string& path, std::vector<std::vector<std::byte>> subbuffers) {
  if (!files_.contains(path)) set(path, "");
  auto& queue = shared_->subbuffers[path];
  for (auto& bytes : subbuffers) queue.push_back(std::move(bytes));
}

const std::vector<std::string>& FakeTracefs::marks(const std::string& directory) {
  return shared_->marks[directory];
}

std::size_t FakeTracefs::open_files() const {
  std::size_t count = 0;
  for (const auto& [path, times] : shared_->open) count += times;
  return count;
}

std::size_t FakeTracefs::open_in(const std::string& directory, const std::string& file) const {
  const auto open = shared_->open.find(below(directory, file));
  return open == shared_->open.end() ? 0 : open->second;
}

std::string describe(const FakeTracefs::Operation& operation) {
  switch (operation.kind) {
    case Kind::make_directory:
      return "mkdir " + operation.path;
    case Kind::remove_directory:
      return "rmdir " + operation.path;
    case Kind::open:
      return "open " + operation.path;
    default:
      return writing(operation.path, operation.text);
  }
}

std::vector<std::byte> to_bytes(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

}  // namespace netperfd::trace
