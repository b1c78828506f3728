// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/importer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "daemon/analysis/compare/goodput.hpp"
#include "daemon/base/foreign_fd.hpp"
#include "daemon/core/iperf3_facts.hpp"
#include "daemon/model/text.hpp"

namespace netperfd::core {
namespace {

// A file on its way to the process that reads it.
struct CheckedFile {
  ForeignFd file;
  std::uint64_t size = 0;
  std::string name;
};

JobSpec spec_of(const ImportRequest& request, const std::vector<CheckedFile>& files) {
  JobSpec spec;
  spec.name = request.name;
  spec.label = request.label;
  spec.workload = WorkloadKind::imported;
  spec.description = "imported from " + files.front().name;
  if (files.size() > 1) spec.description += " and " + files.back().name;
  return spec;
}

Status check_words(const JobSpec& spec) {
  std::string text;
  for (const JobProblem& problem : check(spec)) {
    // Other problems, such as a missing timeout, do not matter: nothing is run.
    if (problem.key != "name" && problem.key != "label") continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", problem.key, problem.message);
  }
  if (text.empty()) return {};
  return fail(ErrorKind::invalid_argument, text);
}

// Returns its size.
Result<std::uint64_t> check_file(const Fd& file) {
  const int flags = ::fcntl(file.get(), F_GETFL);
  if (flags < 0) return fail_errno("fcntl F_GETFL of the file", errno);
  if ((flags & O_PATH) != 0 || (flags & O_ACCMODE) == O_WRONLY) {
    return fail(ErrorKind::invalid_argument, "the file is not open for reading");
  }
  // Asks only for what the kernel already has cached: a caller's own file system may never answer.
  struct statx about{};
  if (::statx(file.get(), "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_SIZE, &about) != 0) {
    return fail_errno("statx of the file", errno);
  }
  if (!S_ISREG(about.stx_mode)) return fail(ErrorKind::invalid_argument, "it is not a regular file");
  if (about.stx_size > Importer::kFileLimitBytes) {
    return fail(ErrorKind::invalid_argument, fmt::format("the file has {} bytes; at most {} are read",
                                                         about.stx_size, Importer::kFileLimitBytes));
  }
  return about.stx_size;
}

std::unexpected<Error> about_file(const std::string& name, const Error& error) {
  return fail(error.kind, fmt::format("{}: {}", name, error.message));
}

// Every file ends up in a ForeignFd, so that closing it never blocks, whether it is read or not.
Result<std::vector<CheckedFile>> check_files(std::vector<NamedFile> files) {
  std::vector<CheckedFile> checked;
  for (NamedFile& each : files) {
    checked.push_back({ForeignFd(std::move(each.file)), 0, std::move(each.name)});
  }
  if (checked.empty() || checked.size() > Importer::kMostFiles) {
    return fail(ErrorKind::invalid_argument,
                fmt::format("{} files cannot be one run; expected are one, or an iperf3 document and a trace",
                            checked.size()));
  }
  for (CheckedFile& each : checked) {
    const auto why = not_printable(each.name);
    if (each.name.empty() || each.name.size() > Importer::kLongestName || !why.empty()) {
      return fail(ErrorKind::invalid_argument,
                  fmt::format("a file's name is one printable line of 1 to {} bytes{}{}",
                              Importer::kLongestName, why.empty() ? "" : ", and ", why));
    }
    const auto size = check_file(each.file.get());
    if (!size) return about_file(each.name, size.error());
    each.size = *size;
  }
  return checked;
}

// An imported run lacks this information, which readers of the run must know first.
QualityFlag flag_of_import(bool has_trace, bool has_document) {
  std::string message =
      "brought along as a file: neither the environment it was measured in nor any counter is known";
  if (!has_trace) message += ", and there is no trace";
  if (!has_document) message += ", nor how many bytes and packets its calls were made for";
  if (has_trace) message += "; the tracer's own cost is in the times";
  if (has_trace && has_document) {
    message += "; that document and trace are of one measurement is the word of whoever brought them";
  }
  return {"imported", message};
}

}  // namespace

// One call of read(). It reads its files one after the other, so that it never takes more than one place.
class Importer::Import {
 public:
  Import(Importer& owner, JobSpec spec, uid_t uid, std::vector<CheckedFile> files, Done done)
      : owner_(owner), spec_(std::move(spec)), uid_(uid), files_(std::move(files)), done_(std::move(done)) {}
  Import(const Import&) = delete;
  Import& operator=(const Import&) = delete;
  ~Import() = default;

  Status read_next() {
    CheckedFile& next = files_[read_.size()];
    auto reading = owner_.files_.read(next.file.take(), next.size,
                                      [this](Result<ImportedFile> file) { on_read(std::move(file)); });
    if (!reading) return about_file(next.name, reading.error());
    reading_ = std::move(*reading);
    return {};
  }

 private:
  void on_read(Result<ImportedFile> file) {
    if (!file) return give(about_file(files_[read_.size()].name, file.error()));
    read_.push_back(std::move(*file));
    if (read_.size() == files_.size()) return give(store());
    reading_.reset();  // frees the place for the next file
    if (auto next = read_next(); !next) give(std::unexpected(std::move(next.error())));
  }

  Result<ImportedRun> store() {
    if (read_.size() == 2 && read_[0].trace.has_value() == read_[1].trace.has_value()) {
      return fail(
          ErrorKind::invalid_argument,
          fmt::format("{} and {} are both {}; two files are one run where one is an iperf3 document and "
                      "the other a trace",
                      files_[0].name, files_[1].name, read_[0].trace ? "traces" : "iperf3 documents"));
    }
    return owner_.store(std::move(spec_), uid_, std::move(read_));
  }

  // The last step: the caller may destroy this object inside the call.
  void give(Result<ImportedRun> result) {
    const auto done = std::move(done_);
    done(std::move(result));
  }

  Importer& owner_;
  JobSpec spec_;
  uid_t uid_;
  std::vector<CheckedFile> files_;
  std::vector<ImportedFile> read_;
  Done done_;
  std::shared_ptr<void> reading_;
};

Result<std::shared_ptr<void>> Importer::read(std::vector<NamedFile> files, const ImportRequest& request,
                                             Done done) {
  auto checked = check_files(std::move(files));
  if (!checked) return std::unexpected(std::move(checked.error()));
  JobSpec spec = spec_of(request, *checked);
  if (auto words = check_words(spec); !words) return std::unexpected(std::move(words.error()));
  std::erase_if(under_way_, [](const std::weak_ptr<void>& each) { return each.expired(); });
  if (under_way_.size() >= kLimit) {
    return fail(ErrorKind::busy,
                fmt::format("{}: {} files are being imported already; try again when they are done",
                            checked->front().name, under_way_.size()));
  }
  auto import =
      std::make_shared<Import>(*this, std::move(spec), request.owner, std::move(*checked), std::move(done));
  if (auto begun = import->read_next(); !begun) return std::unexpected(std::move(begun.error()));
  under_way_.emplace_back(import);
  return import;
}

Result<ImportedRun> Importer::store(JobSpec spec, uid_t owner, std::vector<ImportedFile> files) {
  RunRecord record;
  record.state = RunState::finished;
  std::vector<QualityFlag> flags;
  for (std::size_t i = 0; i < files.size(); ++i) {
    ImportedFile& file = files[i];
    std::ranges::move(file.flags, std::back_inserter(flags));
    if (!file.raw.empty()) {
      record.workload.documents.push_back({fmt::format("import.{}", i + 1), std::move(file.raw)});
    }
    if (file.trace) record.trace = std::move(file.trace);
    if (!file.workload) continue;
    record.fingerprint = fingerprint_of_document(*file.workload);
    spec.iperf3 = std::move(file.workload->asked);
    record.workload.report = std::move(file.workload->report);
    record.started = file.workload->started;
    record.traffic.goodput_bytes = analysis::goodput_of(record.workload.report);
  }
  auto& all = record.workload.report.flags;
  all.insert(all.begin(), flag_of_import(record.trace.has_value(), has_iperf3(spec)));
  std::ranges::move(flags, std::back_inserter(all));

  const Arm arm{.block = 0, .letter = 0, .variant = '\0', .build = 0, .traced = record.trace.has_value()};
  const auto job = store_.add_job(spec, {arm}, owner, clock_.now());
  if (!job) return std::unexpected(job.error());
  const RunId run = job->runs.front();
  record.id = run;
  if (auto stored = store_run(record); !stored) {
    // Otherwise the run would stay open. If its record was refused, this has ended it already.
    RunRecord failed;
    failed.id = run;
    failed.error = fmt::format("the files could not be stored: {}", stored.error().message);
    (void)store_.finish(failed);
    return std::unexpected(std::move(stored.error()));
  }
  return ImportedRun{.job = job->id, .run = run};
}

// A run has to pass through all states, even if it was over before it was imported.
Status Importer::store_run(const RunRecord& record) {
  for (const RunState state : {RunState::preparing, RunState::running, RunState::collecting}) {
    if (auto stepped = store_.set_state(record.id, state); !stepped) return stepped;
  }
  return store_.finish(record);
}

}  // namespace netperfd::core
