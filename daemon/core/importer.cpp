#include "daemon/core/importer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "daemon/base/foreign_fd.hpp"

namespace netperfd::core {
namespace {

JobSpec spec_of(const ImportRequest& request) {
  JobSpec spec;
  spec.name = request.name;
  spec.label = request.label;
  spec.workload = WorkloadKind::imported;
  return spec;
}

Status check_words(const JobSpec& spec) {
  std::string text;
  for (const JobProblem& problem : check(spec)) {
    if (problem.key != "name" && problem.key != "label") continue;  // such as a timeout: nothing is run
    text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", problem.key, problem.message);
  }
  if (text.empty()) return {};
  return fail(ErrorKind::invalid_argument, text);
}

// Its size.
Result<std::uint64_t> check_file(const Fd& file) {
  const int flags = ::fcntl(file.get(), F_GETFL);
  if (flags < 0) return fail_errno("fcntl F_GETFL of the file", errno);
  if ((flags & O_PATH) != 0 || (flags & O_ACCMODE) == O_WRONLY) {
    return fail(ErrorKind::invalid_argument, "the file is not open for reading");
  }
  // With what the kernel knows already: a file system of the caller's own may never answer.
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

}  // namespace

Result<std::shared_ptr<void>> Importer::read(Fd file, const ImportRequest& request, Done done) {
  ForeignFd foreign(std::move(file));
  JobSpec spec = spec_of(request);
  if (auto checked = check_words(spec); !checked) return std::unexpected(std::move(checked.error()));
  auto size = check_file(foreign.get());
  if (!size) return std::unexpected(std::move(size.error()));
  std::erase_if(under_way_, [](const std::weak_ptr<void>& each) { return each.expired(); });
  if (under_way_.size() >= kLimit) {
    return fail(ErrorKind::busy, fmt::format("{} files are being imported already", under_way_.size()));
  }
  auto reading = files_.read(
      foreign.take(), *size,
      [this, spec = std::move(spec), owner = request.owner,
       done = std::move(done)](Result<TraceRecord> trace) {
        done(trace ? store(spec, owner, std::move(*trace)) : std::unexpected(std::move(trace.error())));
      });
  if (reading) under_way_.emplace_back(*reading);
  return reading;
}

Result<ImportedRun> Importer::store(const JobSpec& spec, uid_t owner, TraceRecord trace) {
  const auto job = store_.add_job(spec, owner, clock_.now());
  if (!job) return std::unexpected(job.error());
  const RunId run = job->runs.front();
  if (auto stored = store_run(run, std::move(trace)); !stored) {
    // Else it would stay open; where not even this can be stored, the next start of the daemon closes it.
    RunRecord failed;
    failed.id = run;
    failed.error = fmt::format("the trace could not be stored: {}", stored.error().message);
    (void)store_.finish(failed);
    return std::unexpected(std::move(stored.error()));
  }
  return ImportedRun{.job = job->id, .run = run};
}

// A run has to pass all states, also one that was over before it came.
Status Importer::store_run(RunId run, TraceRecord trace) {
  for (const RunState state : {RunState::preparing, RunState::running, RunState::collecting}) {
    if (auto stepped = store_.set_state(run, state); !stepped) return stepped;
  }
  RunRecord record;
  record.id = run;
  record.state = RunState::finished;
  record.trace = std::move(trace);
  return store_.finish(record);
}

}  // namespace netperfd::core
