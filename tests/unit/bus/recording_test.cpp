// SPDX-License-Identifier: GPL-2.0-or-later
// Recordings: their text, and the import of callers' files.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/bus/bus_test.hpp"

namespace netperfd::bus {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kAnyFile = "/proc/self/exe";

sdbus::UnixFd open_file(const char* path, int flags = O_RDONLY) {
  return sdbus::UnixFd{::open(path, flags | O_CLOEXEC), sdbus::adopt_fd};
}

std::vector<sdbus::UnixFd> one(const sdbus::UnixFd& file) {
  return {file};
}

const std::vector<std::string> kNames{"file"};

ImportedFile imported_trace() {
  ImportedFile file;
  file.trace.emplace();
  return file;
}

std::string read_all(const sdbus::UnixFd& file) {
  std::string bytes(256, '\0');
  const ssize_t got = ::read(file.get(), bytes.data(), bytes.size());
  bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return bytes;
}

class Recordings : public ClientTest {
 protected:
  void SetUp() override {
    ClientTest::SetUp();
    if (IsSkipped()) return;
    queries.stored = {a_run(41)};
    queries.stored.front().owner = kOwner;
    queries.documents = {{"trace.dat", "raw\n"}};
  }

  Asked<std::uint64_t> import(Client& caller, const dbus::Row& options = {}) {
    return caller.ask<std::uint64_t>("ImportRun", one(open_file(kAnyFile)), kNames, options);
  }
  // A file that is refused at once is not read by anybody.
  Answered<std::uint64_t> refused_import(const sdbus::UnixFd& file, const dbus::Row& options = {}) {
    return client->call<std::uint64_t>("ImportRun", one(file), kNames, options);
  }
  [[nodiscard]] bool until_reading(std::size_t files) {
    return run_until(*loop, [&] { return trace_import.readings.size() == files; });
  }
};

dbus::Row options_of(const std::string& name, const std::string& label) {
  return {{"name", sdbus::Variant{name}}, {"label", sdbus::Variant{label}}};
}

TEST_F(Recordings, the_text_is_a_pipe_with_what_is_made_of_the_recording) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, which may read what others measured";
  const auto text = client->call<sdbus::UnixFd>("OpenTraceText", std::uint64_t{41});
  ASSERT_EQ(text.error, "") << text.text;
  EXPECT_EQ(read_all(std::get<0>(text.values)), "text of raw\n");
}

TEST_F(Recordings, the_text_is_for_the_runs_owner_and_root) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to become other users";
  const auto read_text = [](sdbus::IProxy& manager) {
    std::string bytes;
    const std::string outcome = outcome_of([&] {
      sdbus::UnixFd text;
      manager.callMethod("OpenTraceText")
          .onInterface(dbus::kManagerInterface)
          .withArguments(std::uint64_t{41})
          .storeResultsTo(text);
      bytes = read_all(text);
    });
    return outcome == "ok" ? bytes : outcome;
  };
  EXPECT_EQ(as({.uid = kOwner, .gid = kOwner}, read_text), "text of raw\n");
  EXPECT_EQ(trace_import.last_reader, core::TextReader::owner) << "who does not see other users' tasks";
  EXPECT_EQ(trace_import.last_owner, kOwner);
  EXPECT_EQ(as({.uid = 0, .gid = 0}, read_text), "text of raw\n");
  EXPECT_EQ(trace_import.last_reader, core::TextReader::root);
  EXPECT_EQ(trace_import.last_owner, 0U);
  EXPECT_EQ(as({}, read_text), dbus::error::kAccessDenied);
  EXPECT_EQ(as({.groups = {kGroup}}, read_text), dbus::error::kAccessDenied);
}

TEST_F(Recordings, the_bytes_themselves_are_for_root_alone) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to become other users";
  const auto read_bytes = [](sdbus::IProxy& manager) {
    return outcome_of([&] {
      sdbus::UnixFd content;
      manager.callMethod("OpenDocument")
          .onInterface(dbus::kManagerInterface)
          .withArguments(std::uint64_t{41}, std::string{"trace.dat"})
          .storeResultsTo(content);
    });
  };
  EXPECT_EQ(as({.uid = kOwner, .gid = kOwner}, read_bytes), dbus::error::kAccessDenied);
  EXPECT_EQ(as({.uid = 0, .gid = 0}, read_bytes), "ok");
}

TEST_F(Recordings, without_one_the_answer_says_how_to_have_it) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, which may read what others measured";
  queries.documents.clear();
  const auto none = client->call<sdbus::UnixFd>("OpenTraceText", std::uint64_t{41});
  EXPECT_EQ(none.error, dbus::error::kNotFound);
  EXPECT_THAT(none.text, HasSubstr("trace.keep_raw"));
  const auto no_run = client->call<sdbus::UnixFd>("OpenTraceText", std::uint64_t{99});
  EXPECT_EQ(no_run.error, dbus::error::kNotFound);
  EXPECT_THAT(no_run.text, HasSubstr("no such run"));
}

TEST_F(Recordings, a_recording_that_cannot_be_read_says_why) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, which may read what others measured";
  trace_import.refusal = Error{ErrorKind::io, "fork: Resource temporarily unavailable"};
  const auto text = client->call<sdbus::UnixFd>("OpenTraceText", std::uint64_t{41});
  EXPECT_EQ(text.error, dbus::error::kIo);
  EXPECT_EQ(text.text, "fork: Resource temporarily unavailable");
}

TEST_F(Recordings, a_recording_is_not_read_where_there_is_no_room_for_its_text) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, which may read what others measured";
  trace_import.refusal = Error{ErrorKind::busy, "others"};
  EXPECT_EQ(client->call<sdbus::UnixFd>("OpenTraceText", std::uint64_t{41}).error, dbus::error::kBusy);
  EXPECT_EQ(queries.documents_read, 0U);
  trace_import.refusal.reset();
  EXPECT_EQ(client->call<sdbus::UnixFd>("OpenTraceText", std::uint64_t{41}).error, "");
  EXPECT_EQ(queries.documents_read, 1U);
}

TEST_F(Recordings, a_caller_has_one_recording_at_a_time_written_as_text) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, which may read what others measured";
  const auto open_text = [](Client& caller) {
    return caller.call<sdbus::UnixFd>("OpenTraceText", std::uint64_t{41}).error;
  };
  EXPECT_EQ(open_text(*client), "");
  EXPECT_EQ(open_text(*client), dbus::error::kBusy);
  EXPECT_EQ(refused_import(open_file(kAnyFile)).error, dbus::error::kBusy);
  EXPECT_EQ(queries.documents_read, 1U);
  Client other{*loop};
  EXPECT_EQ(open_text(other), "");
  trace_import.texts.at(0)();
  EXPECT_EQ(open_text(other), dbus::error::kBusy) << "that was another caller's";
  EXPECT_EQ(open_text(*client), "");
}

TEST_F(Recordings, a_text_whose_making_fails_leaves_its_caller_free) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, which may read what others measured";
  queries.documents.clear();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(client->call<sdbus::UnixFd>("OpenTraceText", std::uint64_t{41}).error, dbus::error::kNotFound);
  }
}

TEST_F(Recordings, the_end_of_a_text_after_its_caller_or_the_service_is_nothing_to_them) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, which may read what others measured";
  std::optional<Client> gone{*loop};
  EXPECT_EQ(gone->call<sdbus::UnixFd>("OpenTraceText", std::uint64_t{41}).error, "");
  gone.reset();
  EXPECT_EQ(client->call<sdbus::UnixFd>("OpenTraceText", std::uint64_t{41}).error, "");
  trace_import.texts.at(0)();
  EXPECT_EQ(client->call<sdbus::UnixFd>("OpenTraceText", std::uint64_t{41}).error, dbus::error::kBusy);
  service.reset();
  trace_import.texts.at(1)();
}

TEST_F(Recordings, an_imported_file_becomes_a_run_that_is_told_of) {
  client->listen();
  const auto asked = import(*client, options_of("from-lab", "before"));
  ASSERT_TRUE(until_reading(1));
  EXPECT_THAT(store.runs, IsEmpty());
  trace_import.last().end(imported_trace());
  const auto answered = client->answer_to(asked);
  ASSERT_EQ(answered.error, "") << answered.text;
  EXPECT_EQ(std::get<0>(answered.values), 41U);
  EXPECT_EQ(store.runs.at(41).state, RunState::finished);
  EXPECT_EQ(store.jobs.at(1).spec.name, "from-lab");
  EXPECT_EQ(store.jobs.at(1).spec.label, "before");
  EXPECT_EQ(store.jobs.at(1).owner, ::geteuid());
  EXPECT_EQ(trace_import.alive(), 0);
  ASSERT_TRUE(run_until(*loop, [&] { return client->count_heard("RunEnded") == 1; }));
}

TEST_F(Recordings, two_files_become_one_run) {
  const std::vector<sdbus::UnixFd> files{open_file(kAnyFile), open_file(kAnyFile)};
  const auto asked = client->ask<std::uint64_t>(
      "ImportRun", files, std::vector<std::string>{"client.json", "trace"}, dbus::Row{});
  ASSERT_TRUE(until_reading(1));
  ImportedFile document;
  document.workload.emplace().asked.path.server = "10.0.0.2";
  trace_import.last().end(document);
  ASSERT_TRUE(until_reading(2));
  trace_import.last().end(imported_trace());
  const auto answered = client->answer_to(asked);
  ASSERT_EQ(answered.error, "") << answered.text;
  EXPECT_EQ(store.runs.size(), 1U);
  EXPECT_EQ(store.jobs.at(1).spec.description, "imported from client.json and trace");
}

TEST_F(Recordings, as_many_names_as_files_are_expected) {
  const auto answered = client->call<std::uint64_t>("ImportRun", one(open_file(kAnyFile)),
                                                    std::vector<std::string>{}, dbus::Row{});
  EXPECT_EQ(answered.error, dbus::error::kInvalidArgument);
  EXPECT_EQ(answered.text, "1 files have 0 names");
}

TEST_F(Recordings, more_than_two_files_are_no_run) {
  std::vector<sdbus::UnixFd> files;
  for (int i = 0; i < 3; ++i) files.push_back(open_file(kAnyFile));
  const auto answered =
      client->call<std::uint64_t>("ImportRun", files, std::vector<std::string>{"a", "b", "c"}, dbus::Row{});
  EXPECT_EQ(answered.error, dbus::error::kInvalidArgument);
  EXPECT_EQ(answered.text, "ImportRun: the descriptors were not received: a call may have at most 2");
}

TEST_F(Recordings, the_file_that_arrives_is_the_one_that_was_sent) {
  Fd sent{::memfd_create("sent", MFD_CLOEXEC)};
  ASSERT_EQ(::pwrite(sent.get(), "bytes", 5, 0), 5);
  const auto asked =
      client->ask<std::uint64_t>("ImportRun", one(sdbus::UnixFd{sent.get()}), kNames, dbus::Row{});
  ASSERT_TRUE(until_reading(1));
  char bytes[8] = {};
  EXPECT_EQ(::pread(trace_import.last().file->get().get(), bytes, sizeof bytes, 0), 5);
  EXPECT_STREQ(bytes, "bytes");
  EXPECT_NE(::fcntl(trace_import.last().file->get().get(), F_GETFD) & FD_CLOEXEC, 0)
      << "children do not get it";
}

TEST_F(Recordings, a_file_that_is_none_is_refused_with_the_words_of_who_read_it) {
  const auto asked = import(*client);
  ASSERT_TRUE(until_reading(1));
  trace_import.last().end(fail(ErrorKind::invalid_argument, "it ends within \xFF its header"));
  const auto answered = client->answer_to(asked);
  EXPECT_EQ(answered.error, dbus::error::kInvalidArgument);
  EXPECT_EQ(answered.text, "file: it ends within \uFFFD its header");
  EXPECT_THAT(store.jobs, IsEmpty());
  const auto again = import(*client);
  EXPECT_TRUE(until_reading(2)) << "the caller may try another one";
}

TEST_F(Recordings, what_is_no_file_or_no_option_is_refused_before_anybody_reads_it) {
  const auto refuse = [&](const sdbus::UnixFd& file, const dbus::Row& options = {}) {
    const auto answered = refused_import(file, options);
    EXPECT_EQ(answered.error, dbus::error::kInvalidArgument);
    return answered.text;
  };
  EXPECT_THAT(refuse(open_file("/tmp")), HasSubstr("not a regular file"));
  EXPECT_THAT(refuse(open_file("/dev/null", O_WRONLY)), HasSubstr("not open for reading"));
  EXPECT_EQ(refuse(open_file(kAnyFile), {{"nmae", sdbus::Variant{std::string{"x"}}}}),
            "unknown option \"nmae\"; allowed are name, label");
  EXPECT_THAT(refuse(open_file(kAnyFile), {{"name", sdbus::Variant{std::uint32_t{1}}}}),
              HasSubstr("expected is a string"));
  EXPECT_THAT(refuse(open_file(kAnyFile), options_of("a\nb", "")), HasSubstr("name: "));
  EXPECT_THAT(refuse(open_file(kAnyFile), options_of("a", "\x1b[2J")), HasSubstr("label: "));
  EXPECT_THAT(trace_import.readings, IsEmpty());
}

TEST_F(Recordings, a_caller_imports_one_file_at_a_time_and_the_third_of_all_waits) {
  const auto first = import(*client);
  ASSERT_TRUE(until_reading(1));
  EXPECT_EQ(refused_import(open_file(kAnyFile)).error, dbus::error::kBusy);
  Client second{*loop};
  const auto other = import(second);
  ASSERT_TRUE(until_reading(2));
  Client third{*loop};
  const auto late = import(third);
  EXPECT_EQ(third.call<std::uint64_t>("ImportRun", one(open_file(kAnyFile)), kNames, dbus::Row{}).error,
            dbus::error::kBusy)
      << "the one that waits is its own";
  ASSERT_EQ(trace_import.readings.size(), 2U);
  trace_import.readings.front()->end(imported_trace());
  EXPECT_EQ(client->answer_to(first).error, "");
  clock.turn();
  ASSERT_EQ(trace_import.readings.size(), 3U);
  trace_import.last().end(imported_trace());
  EXPECT_EQ(third.answer_to(late).error, "");
}

TEST_F(Recordings, an_import_that_waits_ends_with_its_caller) {
  const auto first = import(*client);
  Client second{*loop};
  const auto other = import(second);
  ASSERT_TRUE(until_reading(2));
  std::optional<Client> third{*loop};
  std::optional late{import(*third)};
  EXPECT_EQ(third->call<std::uint64_t>("ImportRun", one(open_file(kAnyFile)), kNames, dbus::Row{}).error,
            dbus::error::kBusy);
  late.reset();
  third.reset();
  ASSERT_TRUE(run_until(*loop, [&] { return clock.waiting() == 0; })) << "its ten minutes";
  trace_import.readings.front()->end(imported_trace());
  EXPECT_EQ(client->answer_to(first).error, "");
  clock.turn();
  EXPECT_EQ(trace_import.readings.size(), 2U);
}

TEST_F(Recordings, many_callers_of_one_user_cannot_fill_the_queue) {
  const auto first = import(*client);
  Client second{*loop};
  const auto other = import(second);
  const std::size_t places = ::geteuid() == 0 ? core::Importer::kLimit : core::Importer::kLimitOfUser;
  ASSERT_TRUE(until_reading(places));
  std::vector<std::unique_ptr<Client>> waiting;
  std::vector<Asked<std::uint64_t>> asked;
  for (std::size_t i = 2; i < places + core::Importer::kMostWaitingOfUser; ++i) {
    waiting.push_back(std::make_unique<Client>(*loop));
    asked.push_back(import(*waiting.back()));
  }
  Client late{*loop};
  const auto refused = late.call<std::uint64_t>("ImportRun", one(open_file(kAnyFile)), kNames, dbus::Row{});
  EXPECT_EQ(refused.error, dbus::error::kBusy);
  EXPECT_THAT(refused.text, testing::StartsWith("file: 4 imports wait already"));
}

TEST_F(Recordings, a_name_that_is_none_is_refused_and_of_a_path_the_last_part_is_kept) {
  for (const std::string& name :
       {std::string("a\x1b[2J"), std::string("lab/"), std::string("a\u202eb"), std::string(10'240, 'x')}) {
    const auto refused = client->call<std::uint64_t>("ImportRun", one(open_file(kAnyFile)),
                                                     std::vector<std::string>{name}, dbus::Row{});
    EXPECT_EQ(refused.error, dbus::error::kInvalidArgument);
    EXPECT_THAT(refused.text, HasSubstr("a file's name is one printable line of 1 to 255 bytes"));
    EXPECT_LT(refused.text.size(), 300U);
  }
  const auto asked =
      client->ask<std::uint64_t>("ImportRun", one(open_file(kAnyFile)),
                                 std::vector<std::string>{"../../root/.ssh/trace.dat"}, dbus::Row{});
  ASSERT_TRUE(until_reading(1));
  trace_import.last().end(imported_trace());
  const auto answered = client->answer_to(asked);
  ASSERT_EQ(answered.error, "") << answered.text;
  const auto& record = store.runs.at(static_cast<RunId>(std::get<0>(answered.values))).record;
  ASSERT_TRUE(record);
  EXPECT_EQ(record->files.at(0).name, "trace.dat");
}

TEST_F(Recordings, an_import_ends_with_its_caller) {
  std::optional<Client> caller{*loop};
  std::optional asked{import(*caller)};
  ASSERT_TRUE(until_reading(1));
  asked.reset();
  caller.reset();
  ASSERT_TRUE(run_until(*loop, [&] { return trace_import.alive() == 0; }));
  EXPECT_THAT(store.jobs, IsEmpty());
  const auto next = import(*client);
  EXPECT_TRUE(until_reading(2));
}

TEST_F(Recordings, the_service_leaves_the_bus_with_an_import_under_way) {
  const auto asked = import(*client);
  ASSERT_TRUE(until_reading(1));
  service.reset();
  EXPECT_EQ(trace_import.alive(), 0);
  EXPECT_THAT(store.jobs, IsEmpty());
}

TEST_F(Recordings, the_group_and_root_import_and_nobody_else) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to become other users";
  EventSource soon;
  trace_import.began = [&] {
    auto source =
        loop->after(std::chrono::microseconds{0}, [&] { trace_import.last().end(imported_trace()); });
    ASSERT_TRUE(source);
    soon = std::move(*source);
  };
  const auto import_as = [](sdbus::IProxy& manager) {
    return outcome_of([&] {
      std::uint64_t run = 0;
      manager.callMethod("ImportRun")
          .onInterface(dbus::kManagerInterface)
          .withArguments(one(open_file(kAnyFile)), kNames, dbus::Row{})
          .storeResultsTo(run);
    });
  };
  EXPECT_EQ(as({}, import_as), dbus::error::kAccessDenied);
  EXPECT_EQ(as({.uid = kOwner, .gid = kOwner}, import_as), dbus::error::kAccessDenied);
  EXPECT_THAT(trace_import.readings, IsEmpty());
  EXPECT_EQ(as({.groups = {kGroup}}, import_as), "ok");
  EXPECT_EQ(as({.uid = 0, .gid = 0}, import_as), "ok");
  std::vector<uid_t> owners;
  for (const auto& [id, job] : store.jobs) owners.push_back(job.owner);
  EXPECT_THAT(owners, ElementsAre(65534, 0));
}

}  // namespace
}  // namespace netperfd::bus
