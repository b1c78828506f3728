// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/importer.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "daemon/core/import_storing.hpp"
#include "daemon/core/imported_record.hpp"
#include "daemon/model/text.hpp"

namespace netperfd::core {
namespace {

// A file on its way to the process that reads it.
struct CheckedFile {
  ForeignFd file;
  std::string name;  // for messages
  SourceFile source;
};

JobSpec spec_of(const ImportRequest& request, const std::vector<CheckedFile>& files) {
  JobSpec spec;
  spec.name = request.name;
  spec.label = request.label;
  spec.workload = imported_files();
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

// Absent for a file without a name: it was made for the import, such as a copy of a pipe in memory.
std::optional<WallTime> modified_of(const struct statx& about) {
  constexpr std::int64_t kLastSecond = 253'402'300'799;  // of the year 9999
  constexpr unsigned kNeeded = STATX_MTIME | STATX_NLINK;
  const auto& time = about.stx_mtime;
  if ((about.stx_mask & kNeeded) != kNeeded || about.stx_nlink == 0) return std::nullopt;
  if (time.tv_sec < 0 || time.tv_sec > kLastSecond) return std::nullopt;
  return WallTime{std::chrono::seconds{time.tv_sec} + std::chrono::microseconds{time.tv_nsec / 1'000}};
}

// Fills in its size and its time.
Status check_file(const Fd& file, SourceFile& source) {
  const int flags = ::fcntl(file.get(), F_GETFL);
  if (flags < 0) return fail_errno("fcntl F_GETFL of the file", errno);
  if ((flags & O_PATH) != 0 || (flags & O_ACCMODE) == O_WRONLY) {
    return fail(ErrorKind::invalid_argument, "the file is not open for reading");
  }
  // Asks only for what the kernel already has cached: a caller's own file system may never answer.
  struct statx about{};
  if (::statx(file.get(), "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC,
              STATX_TYPE | STATX_SIZE | STATX_MTIME | STATX_NLINK, &about) != 0) {
    return fail_errno("statx of the file", errno);
  }
  if (!S_ISREG(about.stx_mode)) return fail(ErrorKind::invalid_argument, "it is not a regular file");
  if (about.stx_size > Importer::kFileLimitBytes) {
    return fail(ErrorKind::invalid_argument, fmt::format("the file has {} bytes; at most {} are read",
                                                         about.stx_size, Importer::kFileLimitBytes));
  }
  source.size = about.stx_size;
  source.modified = modified_of(about);
  return {};
}

// What a message calls it may be a path.
Result<std::string> base_name(const std::string& name) {
  const auto why = not_printable(name);
  if (name.empty() || name.size() > Importer::kLongestName || !why.empty() || name.back() == '/') {
    return fail(
        ErrorKind::invalid_argument,
        fmt::format("a file's name is one printable line of 1 to {} bytes that does not end with /{}{}",
                    Importer::kLongestName, why.empty() ? "" : ", and ", why));
  }
  return name.substr(name.rfind('/') + 1);
}

std::unexpected<Error> about_file(const std::string& name, const Error& error) {
  return fail(error.kind, fmt::format("{}: {}", name, error.message));
}

Result<std::vector<CheckedFile>> check_files(std::vector<NamedFile> files) {
  std::vector<CheckedFile> checked;
  for (NamedFile& each : files) {
    checked.push_back({std::move(each.file), std::move(each.name), {}});
  }
  if (checked.empty() || checked.size() > Importer::kMostFiles) {
    return fail(ErrorKind::invalid_argument,
                fmt::format("{} files cannot be one run; expected are one, or an iperf3 document and a trace",
                            checked.size()));
  }
  for (CheckedFile& each : checked) {
    auto name = base_name(each.name);
    if (!name) return std::unexpected(std::move(name.error()));
    each.source.name = std::move(*name);
    if (auto fits = check_file(each.file.get(), each.source); !fits)
      return about_file(each.name, fits.error());
  }
  return checked;
}

}  // namespace

// What every page of such a run says.
std::string origin_text(const BundleOrigin& origin) {
  return fmt::format(
      "measured elsewhere, and came in a bundle that netperfd {} made on {} at {:%F %T} UTC{}; "
      "the hashes of a bundle show damage, not forgery",
      origin.version, origin.host, std::chrono::floor<std::chrono::seconds>(origin.made),
      origin.redacted ? ", without names, addresses, labels and paths (redacted)" : "");
}

// The runs of one import on their way into the store. A caller who goes away does not end it.
class Importer::Storing {
 public:
  Storing(Importer& owner, std::vector<RunRecord> records, ImportStoring::Done done)
      : owner_(owner),
        done_(std::move(done)),
        storing_(owner.store_, owner.clock_, std::move(records),
                 [this](const Status& stored) { end(stored); }) {}

  void begin() { storing_.begin(); }
  void forget_caller() { done_ = {}; }
  [[nodiscard]] bool has_caller() const { return done_ != nullptr; }

 private:
  void end(const Status& stored) {
    Importer& owner = owner_;
    const auto done = std::move(done_);
    std::erase_if(owner.storing_, [this](const auto& each) { return each.get() == this; });  // destroys this
    if (done) done(stored);
    owner.start_waiting_later();
  }

  Importer& owner_;
  ImportStoring::Done done_;
  ImportStoring storing_;
};

// One call of read(). It reads its files one after the other, so that it never takes more than one place.
class Importer::Import {
 public:
  Import(Importer& owner, JobSpec spec, uid_t uid, std::vector<CheckedFile> files, Done done)
      : owner_(owner), spec_(std::move(spec)), uid_(uid), files_(std::move(files)), done_(std::move(done)) {}
  Import(const Import&) = delete;
  Import& operator=(const Import&) = delete;
  ~Import() {
    if (storing_ != nullptr) storing_->forget_caller();
    owner_.running_.remove(this);
    owner_.waiting_.remove(this);
    owner_.start_waiting_later();
  }

  [[nodiscard]] uid_t uid() const { return uid_; }

  void wait() {
    owner_.waiting_.push_back(this);
    deadline_ = owner_.clock_.after(kLongestWait, [this] {
      give(about_file(files_.front().name,
                      {ErrorKind::busy, fmt::format("other imports took longer than {} minutes; try again",
                                                    kLongestWait.count())}));
    });
  }

  Status begin() {
    owner_.running_.push_back(this);
    return read_next();
  }

  // After wait().
  void begin_late() {
    deadline_.reset();
    owner_.waiting_.remove(this);
    if (auto begun = begin(); !begun) give(std::unexpected(std::move(begun.error())));
  }

 private:
  void on_read(Result<ImportedFile> file) {
    if (!file) return give(about_file(files_[read_.size()].name, file.error()));
    read_.push_back(std::move(*file));
    if (read_.size() == files_.size()) return store();
    reading_.reset();  // frees the place for the next file
    if (auto next = read_next(); !next) give(std::unexpected(std::move(next.error())));
  }

  Status read_next() {
    CheckedFile& next = files_[read_.size()];
    auto reading = owner_.files_.read(std::move(next.file), next.source.size,
                                      [this](Result<ImportedFile> file) { on_read(std::move(file)); });
    if (!reading) return about_file(next.name, reading.error());
    reading_ = std::move(*reading);
    return {};
  }

  [[nodiscard]] Status check_together() const {
    if (read_.size() < 2) return {};
    if (read_[0].bundle || read_[1].bundle) {
      return fail(ErrorKind::invalid_argument, fmt::format("{} is a bundle, which is imported alone",
                                                           (read_[0].bundle ? files_[0] : files_[1]).name));
    }
    if (read_[0].trace.has_value() == read_[1].trace.has_value()) {
      return fail(
          ErrorKind::invalid_argument,
          fmt::format("{} and {} are both {}; two files are one run where one is an iperf3 document and "
                      "the other a trace",
                      files_[0].name, files_[1].name, read_[0].trace ? "traces" : "iperf3 documents"));
    }
    if (!read_[0].more.empty() || !read_[1].more.empty()) {
      const std::size_t several = read_[0].more.empty() ? 1 : 0;
      return fail(ErrorKind::invalid_argument,
                  fmt::format("{} has {} runs, and a trace is of one: import it alone, or with the trace the "
                              "document of its run",
                              files_[several].name, read_[several].more.size() + 1));
    }
    return {};
  }

  void store() {
    if (auto fits = check_together(); !fits) return give(std::unexpected(std::move(fits.error())));
    std::vector<SourceFile> sources;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      sources.push_back(std::move(files_[i].source));
      sources.back().sha256 = read_[i].sha256;
    }
    if (read_.front().bundle)
      return give(owner_.store_bundle(spec_, uid_, sources.front().name, *read_.front().bundle));
    auto added = owner_.add_runs(spec_, uid_, sources, std::move(read_));
    if (!added) return give(std::unexpected(std::move(added.error())));
    auto& storing = owner_.storing_.emplace_back(std::make_unique<Storing>(
        owner_, std::move(added->records), [this, told = std::move(added->told)](const Status& stored) {
          storing_ = nullptr;
          give(stored ? Result<ImportedRun>{told} : std::unexpected(stored.error()));
        }));
    storing_ = storing.get();
    storing_->begin();
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
  Timer deadline_;
  std::shared_ptr<void> reading_;
  Storing* storing_ = nullptr;  // the importer's
};

Importer::Importer(RunStore& store, FileImport& files, Clock& clock)
    : store_(store), files_(files), clock_(clock) {
  files_.on_room([this] { start_waiting_later(); });
}

Importer::~Importer() {
  files_.on_room({});
}

Result<std::shared_ptr<void>> Importer::read(std::vector<NamedFile> files, const ImportRequest& request,
                                             Done done) {
  auto checked = check_files(std::move(files));
  if (!checked) return std::unexpected(std::move(checked.error()));
  JobSpec spec = spec_of(request, *checked);
  if (auto words = check_words(spec); !words) return std::unexpected(std::move(words.error()));
  const bool waits = !waiting_.empty() || !has_room();
  if (waits) {
    if (auto fits = check_queue(request.owner, checked->front().name); !fits) {
      return std::unexpected(std::move(fits.error()));
    }
  }
  auto import =
      std::make_shared<Import>(*this, std::move(spec), request.owner, std::move(*checked), std::move(done));
  if (waits) {
    import->wait();
  } else if (auto begun = import->begin(); !begun) {
    return std::unexpected(std::move(begun.error()));
  }
  return import;
}

Status Importer::check_queue(uid_t owner, const std::string& file) const {
  const auto of_user = std::ranges::count(waiting_, owner, &Import::uid);
  if (waiting_.size() < kMostWaiting && static_cast<std::size_t>(of_user) < kMostWaitingOfUser) return {};
  return fail(
      ErrorKind::busy,
      fmt::format("{}: {} imports wait already, {} of them of this user; try again when they are done", file,
                  waiting_.size(), of_user));
}

bool Importer::has_room() {
  const auto left_alone =
      std::ranges::count_if(storing_, [](const auto& storing) { return !storing->has_caller(); });
  return running_.size() + static_cast<std::size_t>(left_alone) < kLimit && files_.has_room();
}

Importer::Import* Importer::next_waiting() const {
  const auto has_none = [this](const Import* waiting) {
    return std::ranges::find(running_, waiting->uid(), &Import::uid) == running_.end();
  };
  const auto found = std::ranges::find_if(waiting_, has_none);
  return found == waiting_.end() ? waiting_.front() : *found;
}

void Importer::start_waiting_later() {
  if (waiting_.empty()) return;
  next_turn_ = clock_.after(std::chrono::milliseconds{0}, [this] { start_waiting(); });
}

void Importer::start_waiting() {
  while (!waiting_.empty() && has_room()) next_waiting()->begin_late();
}

// A user hears only of runs of his own.
Result<std::vector<std::string>> Importer::repeated(uid_t owner, const std::vector<SourceFile>& files) {
  constexpr std::uint32_t kNamed = 3;
  std::vector<std::string> clauses;
  for (const SourceFile& file : files) {
    if (file.sha256.empty()) continue;
    const auto runs = store_.runs_with_file(owner, file.sha256, kNamed);
    if (!runs) return std::unexpected(runs.error());
    if (runs->empty()) continue;
    clauses.push_back(fmt::format("{} was imported before: {} {} {} the same file", file.name,
                                  runs->size() > 1 ? "runs" : "run", fmt::join(*runs, ", "),
                                  runs->size() > 1 ? "have" : "has"));
  }
  return clauses;
}

// The bundle has its own jobs, with their names and labels.
Result<ImportedRun> Importer::store_bundle(const JobSpec& spec, uid_t owner, const std::string& name,
                                           const Bundle& bundle) {
  if (!spec.label.empty() || spec.name != ImportRequest{}.name) {
    return fail(ErrorKind::invalid_argument,
                "a bundle has its own name and label: import it without others, then set the label");
  }
  const auto jobs = store_.add_bundle(bundle.content, owner, origin_text(bundle.origin), clock_.now());
  if (!jobs) return about_file(name, jobs.error());
  return ImportedRun{
      .job = jobs->back().id, .run = jobs->back().runs.front(), .date = {}, .repeated = {}, .more = {}};
}

Result<Importer::AddedRuns> Importer::add_runs(const JobSpec& spec, uid_t owner,
                                               const std::vector<SourceFile>& sources,
                                               std::vector<ImportedFile> files) {
  auto clauses = repeated(owner, sources);
  if (!clauses) return std::unexpected(std::move(clauses.error()));
  std::vector<ImportedJob> imported = jobs_of_import(spec, sources, std::move(files), *clauses);
  std::vector<NewRun> runs;
  for (const ImportedJob& each : imported) {
    const auto job = store_.add_job(each.spec, each.slots, owner, clock_.now());
    if (!job) {
      for (const NewRun& open : runs) end_unstored(store_, open.run, job.error());
      return std::unexpected(job.error());
    }
    for (const RunId run : job->runs) runs.push_back({.job = job->id, .run = run});
  }
  flag_several(imported, runs.front().run);
  const RunRecord& first = imported.front().records.front();
  AddedRuns added{.told = {.job = runs.front().job,
                           .run = runs.front().run,
                           .date = date_of_import(first.files, first.started),
                           .repeated = std::move(*clauses),
                           .more = {runs.begin() + 1, runs.end()}},
                  .records = {}};
  for (ImportedJob& job : imported) {
    for (RunRecord& record : job.records) {
      record.id = runs[added.records.size()].run;
      added.records.push_back(std::move(record));
    }
  }
  return added;
}

}  // namespace netperfd::core
