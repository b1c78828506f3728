// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/importer.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "daemon/core/checked_files.hpp"
#include "daemon/core/import_storing.hpp"
#include "daemon/core/imported_record.hpp"

namespace netperfd::core {
namespace {

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
  Storing(Importer& owner, uid_t uid, std::vector<RunRecord> records, ImportStoring::Done done)
      : owner_(owner),
        uid_(uid),
        done_(std::move(done)),
        storing_(owner.store_, owner.clock_, std::move(records),
                 [this](const Status& stored) { end(stored); }) {}

  void begin() { storing_.begin(); }
  void forget_caller() { done_ = {}; }
  [[nodiscard]] bool has_caller() const { return done_ != nullptr; }
  [[nodiscard]] uid_t uid() const { return uid_; }

 private:
  void end(const Status& stored) {
    Importer& owner = owner_;
    const auto done = std::move(done_);
    std::erase_if(owner.storing_, [this](const auto& each) { return each.get() == this; });  // destroys this
    if (done) done(stored);
    owner.start_waiting_later();
  }

  Importer& owner_;
  uid_t uid_;
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
    auto reading = owner_.files_.read(uid_, std::move(next.file), next.source.size,
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
        owner_, uid_, std::move(added->records), [this, told = std::move(added->told)](const Status& stored) {
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
  const bool waits = next_waiting() != nullptr || !has_room(request.owner);
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
  if ((owner == 0 || waiting_.size() < kMostWaiting) && std::cmp_less(of_user, kMostWaitingOfUser)) return {};
  return fail(
      ErrorKind::busy,
      fmt::format("{}: {} imports wait already, {} of them of this user; try again when they are done", file,
                  waiting_.size(), of_user));
}

// Nobody else can take the places of root, nor both of the others.
bool Importer::has_room(uid_t owner) {
  std::size_t of_owner = 0;
  std::size_t of_others = 0;  // than root
  const auto count = [&](uid_t uid) {
    if (uid == owner) ++of_owner;
    if (uid != 0) ++of_others;
  };
  for (const Import* running : running_) count(running->uid());
  for (const auto& storing : storing_) {
    if (!storing->has_caller()) count(storing->uid());
  }
  const bool fits = owner == 0 ? of_owner < kLimit : of_owner < kLimitOfUser && of_others < kLimit;
  return fits && files_.has_room(owner);
}

Importer::Import* Importer::next_waiting() {
  const auto found =
      std::ranges::find_if(waiting_, [this](const Import* waiting) { return has_room(waiting->uid()); });
  return found == waiting_.end() ? nullptr : *found;
}

void Importer::start_waiting_later() {
  if (waiting_.empty()) return;
  next_turn_ = clock_.after(std::chrono::milliseconds{0}, [this] { start_waiting(); });
}

void Importer::start_waiting() {
  while (Import* const next = next_waiting()) next->begin_late();
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
