// SPDX-License-Identifier: GPL-2.0-or-later
// What netperfctl prints of the stores that released versions have left: the database that a start migrates,
// its backup and its bundle.
//
// The store of a version is that of tests/data/store/version-N.sql, tests/data/released/version-N.txt has
// what is printed of it. NETPERFD_UPDATE_GOLDEN=1 writes that file if it is missing. A file that exists is
// never written again: where the output of an old run grows on purpose, delete the files first.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/app.hpp"
#include "daemon/bundle/bundle.hpp"
#include "daemon/import/decompress.hpp"
#include "daemon/store/bundle_reader.hpp"
#include "daemon/store/bundle_writer.hpp"
#include "daemon/store/candidate.hpp"
#include "daemon/store/migrations.hpp"
#include "tests/unit/bus/bus_test.hpp"
#include "tests/unit/store/store_fixture.hpp"

namespace netperfd {
namespace {

using store::must;
using Words = std::vector<std::string>;
using Printed =
    std::vector<std::pair<std::string, std::string>>;  // command line -> its output, in their order

constexpr uid_t kImporter = 1234;
constexpr std::size_t kMostBytes = std::size_t{64} << 20U;
constexpr char kEnd = '\0';  // of an output
constexpr const char* kSection = "=== ";
constexpr const char* kAsOf = " -- as of version ";

std::filesystem::path file_of(std::int64_t version) {
  return std::filesystem::path(NETPERFD_TEST_DATA) / "released" / fmt::format("version-{}.txt", version);
}

enum class Forms { json, json_and_csv };

// What a store can be asked about its runs and jobs. Of the design's runs, which are alike, only the first.
std::vector<Words> calls_of(std::size_t jobs, Forms forms) {
  std::vector<Words> all;
  const auto add = [&](Words words, bool has_json = true) {
    words.emplace_back("-o");
    if (has_json) all.emplace_back(words).emplace_back("json");
    if (forms == Forms::json_and_csv) all.emplace_back(words).emplace_back("csv");
  };
  add({"runs"});
  add({"jobs", "--all"});
  for (std::size_t job = 1; job <= jobs; ++job) add({"show", fmt::format("job:{}", job)});
  const Words lists{"--intervals", "--streams", "--counters", "--tcp",      "--queues",      "--latency",
                    "--events",    "--drops",   "--marks",    "--cpus",     "--environment", "--over-time",
                    "--stacks",    "--tree",    "--callers",  "--functions"};
  for (std::size_t run = 1; run <= jobs + 1; ++run) {
    Words whole{"show", std::to_string(run), "--with-page", "--profile"};
    whole.insert(whole.end(), lists.begin(), lists.end());
    add(whole);
  }
  if (forms == Forms::json_and_csv) {
    for (const std::string& list : lists) add({"show", "1", list}, false);
    add({"show", "1", "--functions", "--over-time"}, false);
  }
  if (jobs < 3) return all;
  if (forms == Forms::json_and_csv) add({"show", "4", "--stacks"}, false);
  add({"compare", "job:3", "--figure", "received", "--figure", "retransmits"});
  return all;
}

// Each row of each table, as SQL quotes it.
std::string content_of(const std::string& path) {
  auto connection = must(store::Connection::open(path, SQLITE_OPEN_READWRITE));
  std::string content;
  for (const std::string& table :
       store::list_of(connection,
                      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' "
                      "ORDER BY name")) {
    const auto columns =
        store::list_of(connection, fmt::format("SELECT name FROM pragma_table_info('{}')", table));
    content += fmt::format("{} ({})\n", table, fmt::join(columns, ", "));
    const std::string row = fmt::format("quote(\"{}\")", fmt::join(columns, "\") || ', ' || quote(\""));
    for (const std::string& quoted :
         store::list_of(connection, fmt::format("SELECT {} FROM {} ORDER BY 1", row, table)))
      content += quoted + "\n";
  }
  return content;
}

struct Section {
  std::int64_t version = 0;  // of the file that has the text
  std::string text;
};
using Golden = std::map<std::string, Section>;  // by the command line

// What the file of a version says. A section that is as it was in an earlier one names that.
const Golden& golden_of(std::int64_t version) {
  static std::map<std::int64_t, Golden> known;
  if (known.contains(version)) return known.at(version);
  std::istringstream file{must(read_file(file_of(version).string(), kMostBytes))};
  Golden golden;
  Section* section = nullptr;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(kSection)) {
      if (section != nullptr) section->text.append(line).append("\n");
      continue;
    }
    line.erase(0, std::string_view{kSection}.size());
    const auto reference = line.find(kAsOf);
    const std::string name = line.substr(0, reference);
    section = &golden[name];
    section->version = version;
    if (reference == std::string::npos) continue;
    const std::string earlier = line.substr(reference + std::string_view{kAsOf}.size());
    *section = golden_of(std::stoll(earlier)).at(name);
  }
  return known[version] = std::move(golden);
}

std::string file_for(std::int64_t version, const Printed& printed) {
  const bool is_first = version == store::oldest_of(store::embedded_migrations());
  const Golden before = is_first ? Golden{} : golden_of(version - 1);
  std::string file = fmt::format("What netperfctl prints of a store of version {}\n", version);
  for (const auto& [name, text] : printed) {
    const auto found = before.find(name);
    file += found != before.end() && found->second.text == text
                ? fmt::format("{}{}{}{}\n", kSection, name, kAsOf, found->second.version)
                : fmt::format("{}{}\n{}", kSection, name, text);
  }
  return file;
}

class Released : public bus::BusTest, public testing::WithParamInterface<std::int64_t> {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root, who may read the events of all owners";
    ::setenv("TZ", "UTC0", 1);  // NOLINT(concurrency-mt-unsafe): one thread
    BusTest::SetUp();
    folder_ = std::filesystem::temp_directory_path() / fmt::format("netperfd-released-{}", ::getpid());
    std::filesystem::create_directory(folder_);
    store::make_old_store(old_path(), version());
  }
  void TearDown() override {
    BusTest::TearDown();
    std::filesystem::remove_all(folder_);
  }

  [[nodiscard]] static std::int64_t version() { return GetParam(); }
  [[nodiscard]] std::string in_folder(const char* name) const { return (folder_ / name).string(); }
  // The database that netperfd of this version has left.
  [[nodiscard]] std::string old_path() const { return in_folder("old.db"); }

  // The file that netperfd of this version made of all jobs of its store, as an import reads it.
  [[nodiscard]] Bundle old_bundle() const {
    auto connection = must(store::Connection::open(old_path(), SQLITE_OPEN_READWRITE));
    std::vector<RunId> runs;
    for (const std::string& run : store::list_of(connection, "SELECT id FROM runs ORDER BY id"))
      runs.push_back(std::stoll(run));
    const Bundle written{
        .origin = {.host = "lab7", .version = "0.1.0", .made = store::kMorning, .redacted = false},
        .content = must(store::read_tables(connection, runs, kMostBytes))};
    EXPECT_EQ(written.content.schema, version());
    const std::string file = must(bundle::write(written, ""));
    const std::string tar = must(import::decompress(file)).value_or("");
    Bundle read = must(bundle::read(std::as_bytes(std::span{tar})));
    read.content = must(store::at_newest_version(read.content, kMostBytes));
    return read;
  }

  // Adds what netperfctl prints of the store, which the service of a private bus has.
  void print(const char* what, store::SqliteStore& stored, Forms forms, Printed& printed) {
    bus::FakeQueryRunner runner{*loop, stored};
    service.reset();
    service = must(bus::Service::create(*loop,
                                        {*scheduler, scenarios, catalogue, store, audit, stored, importer,
                                         trace_import, runner, store_keeper},
                                        settings()));
    const std::vector<Words> all = calls_of(must(stored.jobs({}, "", 0)).rows.size(), forms);
    std::istringstream output{output_of(all)};
    std::string text;
    for (const Words& words : all) {
      std::getline(output, text, kEnd);
      printed.emplace_back(fmt::format("{}: {}", what, fmt::join(words, " ")), text);
    }
    service.reset();
  }

 private:
  // The outputs of all commands, by a process that calls the service.
  std::string output_of(const std::vector<Words>& calls) {
    auto pipe = must(make_pipe());
    std::fflush(stdout);  // or the child would print it again
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(pipe.write.get(), STDOUT_FILENO);
      ::dup2(pipe.write.get(), STDERR_FILENO);
      for (const Words& words : calls) {
        std::vector<const char*> argv{"netperfctl"};
        for (const std::string& word : words) argv.push_back(word.c_str());
        (void)netperfctl::App{}.run(static_cast<int>(argv.size()), argv.data());
        std::fputc(kEnd, stdout);
        std::fflush(stdout);
      }
      ::_exit(0);
    }
    pipe.write.reset();
    std::string text;
    bool ended = false;
    const auto source = must(loop->on_readable(pipe.read.get(), [&] {
      std::array<char, 65536> chunk{};
      const ssize_t got = ::read(pipe.read.get(), chunk.data(), chunk.size());
      if (got > 0) text.append(chunk.data(), static_cast<std::size_t>(got));
      ended = got <= 0;
    }));
    // A busy machine may give the caller little time; the test's own timeout bounds this.
    constexpr auto kForever = static_cast<std::uint64_t>(-1);
    while (!ended && sd_event_run(loop->raw(), kForever) > 0) {
    }
    ::waitpid(child, nullptr, 0);
    return text;
  }

  std::filesystem::path folder_;
};

TEST_P(Released, store_backup_and_bundle_are_printed_as_ever) {
  const Bundle bundle = old_bundle();
  must(store::copy_candidate(Fd{::open(old_path().c_str(), O_RDONLY | O_CLOEXEC)}, in_folder("restored.db"),
                             store::embedded_migrations()));
  must(store::settle_candidate(in_folder("restored.db"), {}));
  Printed printed;
  {
    const auto migrated = must(store::SqliteStore::open(old_path(), 0));
    print("store", *migrated, Forms::json_and_csv, printed);
  }
  // The same rows are printed alike.
  must(store::SqliteStore::open(in_folder("restored.db"), 0));
  EXPECT_EQ(content_of(in_folder("restored.db")), content_of(old_path()));
  {
    const auto importing = must(store::SqliteStore::open(in_folder("other.db"), 0));
    must(importing->add_bundle(bundle.content, kImporter, "made on lab7", store::kMorning));
    print("bundle", *importing, Forms::json, printed);
  }
  const auto path = file_of(version());
  if (!std::filesystem::exists(path) && std::getenv("NETPERFD_UPDATE_GOLDEN") != nullptr)
    std::ofstream{path, std::ios::binary} << file_for(version(), printed);
  ASSERT_TRUE(std::filesystem::exists(path)) << path << " is missing; NETPERFD_UPDATE_GOLDEN=1 writes it";
  const Golden& golden = golden_of(version());
  EXPECT_EQ(printed.size(), golden.size());
  for (const auto& [name, text] : printed) {
    ASSERT_TRUE(golden.contains(name)) << name;
    EXPECT_EQ(text, golden.at(name).text) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(, Released,
                         testing::Range(store::oldest_of(store::embedded_migrations()),
                                        store::newest_of(store::embedded_migrations()) + 1),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace netperfd
