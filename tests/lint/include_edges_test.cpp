// SPDX-License-Identifier: GPL-2.0-or-later
// Who may include whom: the rooms of daemon/ in their order, client/ apart from them, and each library where
// it belongs. Reads the #include lines of the tree; what a file reaches through the headers of others counts
// like its own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Names = std::set<std::string>;
using Sources = std::map<std::string, std::string>;  // path from the top -> text

struct Room {
  Names rooms;      // besides itself
  Names libraries;  // by name, as kLibraries has them
};

// A folder is a room of its own where this table names it, else a part of the room that it lies in. main: the
// files of daemon/ itself.
const Names kModel = {"base", "rows", "model"};
const Names kCore = {"base", "rows", "model", "analysis/compare", "core"};

Names operator+(Names left, const Names& right) {
  left.insert(right.begin(), right.end());
  return left;
}

const std::map<std::string, Room> kRooms = {
    {"base", {{}, {"fmt", "systemd"}}},
    {"confined", {{"base"}, {"fmt", "systemd", "seccomp"}}},
    {"rows", {{}, {}}},
    {"model", {{"base", "rows"}, {"fmt"}}},
    {"keys", {kModel, {"fmt"}}},
    {"analysis/calls", {kModel, {"fmt"}}},
    {"analysis/compare", {kModel, {"fmt", "boost"}}},
    {"echo", {kModel + Names{"analysis/calls"}, {"fmt"}}},
    {"core", {kModel + Names{"analysis/compare"}, {"fmt", "systemd"}}},
    {"log", {{"base", "rows"}, {"fmt", "systemd", "spdlog"}}},
    {"workload/job", {kCore + Names{"keys"}, {"fmt", "systemd", "re2"}}},
    {"config", {kCore + Names{"keys", "workload/job"}, {"fmt", "systemd", "yaml-cpp"}}},
    {"workload",
     {kCore + Names{"analysis/calls", "keys", "workload/job"},
      {"fmt", "systemd", "nlohmann", "re2", "seccomp"}}},
    {"trace/ring", {kModel + Names{"analysis/calls"}, {"fmt"}}},
    {"trace/recording", {kModel + Names{"analysis/calls", "trace/ring"}, {"fmt", "zlib", "zstd"}}},
    {"trace/tracefs", {kModel + Names{"trace/ring"}, {"fmt", "systemd"}}},
    {"boot", {kCore, {"fmt"}}},
    {"trace/catalogue", {kCore + Names{"boot", "trace/ring", "trace/tracefs"}, {"fmt", "systemd", "zlib"}}},
    {"trace",
     {kCore + Names{"analysis/calls", "trace/ring", "trace/recording", "trace/tracefs", "trace/catalogue"},
      {"fmt", "systemd"}}},
    {"sampling", {kCore + Names{"analysis/calls", "trace", "trace/ring"}, {"fmt", "systemd"}}},
    {"counters", {kCore, {"fmt", "libmnl"}}},
    {"command", {kCore + Names{"dbus"}, {"fmt", "systemd"}}},
    {"reading", {kCore + Names{"analysis/calls", "confined"}, {"fmt", "systemd", "gcrypt"}}},
    {"import", {kCore + Names{"confined", "reading"}, {"fmt", "systemd", "nlohmann", "zlib", "zstd"}}},
    {"bundle", {kModel + Names{"reading"}, {"fmt", "nlohmann", "libarchive"}}},
    {"query", {kCore + Names{"confined"}, {"fmt", "systemd"}}},
    {"store",
     {kCore + Names{"analysis/calls", "workload/job"}, {"fmt", "systemd", "sqlite3", "xxhash", "zstd"}}},
    {"bus", {kCore + Names{"analysis/calls", "bundle", "log", "dbus"}, {"fmt", "systemd", "sdbus-c++"}}},
    {"main",
     {kCore + Names{"analysis/calls",  "log",           "keys",
                    "config",          "workload",      "workload/job",
                    "trace",           "trace/tracefs", "trace/catalogue",
                    "trace/recording", "sampling",      "counters",
                    "command",         "confined",      "reading",
                    "import",          "bundle",        "query",
                    "store",           "bus",           "dbus"},
      {"fmt", "systemd", "sdbus-c++"}}},
    {"dbus", {{}, {"systemd", "sdbus-c++"}}},
    {"client/base", {{}, {"fmt", "systemd", "zlib", "zstd"}}},
    {"client/rows", {{"rows", "client/base"}, {"fmt"}}},
    {"client/terminal", {{"rows", "client/base", "client/rows"}, {"fmt", "systemd"}}},
    {"client/pages",
     {{"dbus", "rows", "client/base", "client/rows", "client/terminal"}, {"fmt", "nlohmann"}}},
    {"client/flame",
     {{"rows", "client/base", "client/rows", "client/terminal", "client/pages"}, {"fmt", "nlohmann"}}},
    {"client/report",
     {{"rows", "client/base", "client/rows", "client/terminal", "client/pages", "client/flame"}, {"fmt"}}},
    {"client/bus", {{"dbus", "rows", "client/base", "client/rows"}, {"fmt", "systemd", "sdbus-c++"}}},
    {"client/verbs",
     {{"dbus", "rows", "client/base", "client/rows", "client/terminal", "client/pages", "client/flame",
       "client/report", "client/bus"},
      {"fmt", "systemd", "sdbus-c++", "CLI11", "nlohmann"}}},
    {"client/help",
     {{"rows", "client/base", "client/rows", "client/terminal", "client/bus", "client/verbs"},
      {"fmt", "systemd", "CLI11"}}},
    {"client",
     {{"rows", "client/base", "client/rows", "client/terminal", "client/bus", "client/verbs", "client/help"},
      {"fmt", "systemd", "sdbus-c++", "CLI11"}}},
    {"manual",
     {kCore + Names{"keys", "workload/job", "config", "echo", "analysis/calls", "main", "client/base",
                    "client/verbs", "client/terminal", "client/help", "client"},
      {"fmt", "systemd", "CLI11", "boost"}}},
};

// How a library's headers begin. Every other <header> belongs to the language, to libc or to the kernel.
const std::map<std::string, std::string> kLibraries = {
    {"fmt/", "fmt"},
    {"systemd/", "systemd"},
    {"spdlog/", "spdlog"},
    {"yaml-cpp/", "yaml-cpp"},
    {"nlohmann/", "nlohmann"},
    {"sqlite3.h", "sqlite3"},
    {"xxhash.h", "xxhash"},
    {"zstd.h", "zstd"},
    {"sdbus-c++/", "sdbus-c++"},
    {"netperfd-dbus/", "sdbus-c++"},
    {"CLI/", "CLI11"},
    {"zlib.h", "zlib"},
    {"gcrypt.h", "gcrypt"},
    {"boost/", "boost"},
    {"libmnl/", "libmnl"},
    {"seccomp.h", "seccomp"},
    {"re2/", "re2"},
    {"archive.h", "libarchive"},
    {"archive_entry.h", "libarchive"},
};
constexpr const char* kUnknown = "?";
const Names kSystemFolders = {"arpa", "linux", "net", "netinet", "sys"};

// The room that a path from the top belongs to, empty outside daemon/, dbus/, client/ and
// manual/.
std::string room_of(const std::string& path) {
  const auto top = path.substr(0, path.find('/'));
  if (path.starts_with("dbus/rows/")) return "rows";
  if (top == "dbus" || top == "manual") return top;
  if (top != "daemon" && top != "client") return "";
  // Of daemon/trace/ring/symbols.hpp: trace/ring, else trace.
  std::string room = path.substr(0, path.rfind('/'));
  if (top == "daemon") room = room == top ? "main" : room.substr(top.size() + 1);
  // The part of each workload that is free of processes.
  if (room.starts_with("workload/") && room.ends_with("/job")) return "workload/job";
  const auto slash = room.rfind('/');
  return kRooms.contains(room) || slash == std::string::npos ? room : room.substr(0, slash);
}

struct Include {
  std::string target;
  bool quoted;
};

std::vector<Include> includes_of(const std::string& text) {
  static const std::regex line_pattern(R"re(^\s*#\s*include\s*([<"])([^>"]+)[>"])re");
  std::vector<Include> result;
  std::istringstream lines(text);
  std::smatch match;
  for (std::string line; std::getline(lines, line);) {
    if (line.find('#') == std::string::npos) continue;  // quicker
    if (std::regex_search(line, match, line_pattern)) result.push_back({match[2], match[1] == "\""});
  }
  return result;
}

// Empty for the language's, libc's and the kernel's own headers; kUnknown for a library that is in no table.
std::string library_of(const std::string& header) {
  for (const auto& [prefix, library] : kLibraries) {
    if (header.starts_with(prefix)) return library;
  }
  const auto slash = header.find('/');
  return slash == std::string::npos || kSystemFolders.contains(header.substr(0, slash)) ? "" : kUnknown;
}

class EdgeCheck {
 public:
  explicit EdgeCheck(const Sources& sources) : sources_(sources) {}

  // A sentence for each forbidden edge, in the order of the files.
  std::vector<std::string> run() {
    for (const auto& [path, text] : sources_) {
      start_ = path;
      room_ = room_of(path);
      if (!kRooms.contains(room_)) {
        findings_.push_back(path + ": there is no room \"" + room_ + "\" in the table");
        continue;
      }
      visited_.clear();
      visit(path);
    }
    return findings_;
  }

 private:
  void visit(const std::string& path) {
    if (!visited_.insert(path).second || !sources_.contains(path)) return;
    for (const auto& [target, quoted] : includes_of(sources_.at(path))) {
      // What is generated is quoted too; a library is one whichever way it is written.
      const auto library = library_of(target);
      if (quoted && (library.empty() || library == kUnknown)) {
        check_file(path, target);
      } else {
        check_library(path, target);
      }
    }
  }

  void check_file(const std::string& path, const std::string& target) {
    const auto& allowed = kRooms.at(room_);
    const auto room = room_of(target);
    if (room != room_ && !allowed.rooms.contains(room)) {
      report(path, target,
             room.empty() ? "is not a path from the top of the tree" : "is of a room it may not use");
      return;
    }
    visit(target);
  }

  void check_library(const std::string& path, const std::string& target) {
    const auto library = library_of(target);
    if (library.empty() || kRooms.at(room_).libraries.contains(library)) return;
    report(path, target, library == kUnknown ? "is of an unknown library" : "is of a library it may not use");
  }

  void report(const std::string& path, const std::string& target, const std::string& why) {
    const auto by = path == start_ ? "" : " through " + path;
    findings_.push_back(start_ + ": " + target + " " + why + by);
  }

  const Sources& sources_;
  std::string start_;  // the file whose edges are being followed,
  std::string room_;   // its room
  Names visited_;      // and what it has reached so far
  std::vector<std::string> findings_;
};

std::vector<std::string> forbidden_edges(const Sources& sources) {
  return EdgeCheck(sources).run();
}

Sources read_tree(const std::filesystem::path& top) {
  Sources result;
  for (const auto* folder : {"daemon", "client", "dbus", "manual"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(top / folder)) {
      const auto extension = entry.path().extension();
      if (extension != ".cpp" && extension != ".hpp") continue;
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      result[entry.path().lexically_relative(top)] = text.str();
    }
  }
  return result;
}

TEST(IncludeEdges, the_tree_has_none_that_is_forbidden) {
  const auto sources = read_tree(NETPERFD_SOURCE_DIR);
  ASSERT_GT(sources.size(), 20U) << "the tree was not found below " NETPERFD_SOURCE_DIR;
  EXPECT_THAT(forbidden_edges(sources), testing::IsEmpty());
}

TEST(IncludeEdges, allow_what_the_tree_is_built_of) {
  EXPECT_THAT(
      forbidden_edges({
          {"daemon/base/error.hpp", "#include <expected>\n#include <sys/types.h>\n#include <fmt/format.h>\n"},
          {"daemon/core/ports/workload.hpp", "#include \"daemon/base/error.hpp\"\n"},
          {"daemon/store/run_store.cpp",
           "#include <sqlite3.h>\n#include \"daemon/core/ports/workload.hpp\"\n"},
          {"daemon/main.cpp", "#include \"daemon/core/ports/workload.hpp\"\n"},
          {"client/verbs/start.cpp", "#include <CLI/CLI.hpp>\n#include \"dbus/names.hpp\"\n"},
      }),
      testing::IsEmpty());
}

TEST(IncludeEdges, a_room_to_the_right_is_forbidden) {
  EXPECT_THAT(forbidden_edges({{"daemon/model/units.cpp", "#include \"daemon/core/ports/workload.hpp\"\n"}}),
              testing::ElementsAre(
                  "daemon/model/units.cpp: daemon/core/ports/workload.hpp is of a room it may not use"));
}

TEST(IncludeEdges, a_room_beside_is_forbidden) {
  EXPECT_THAT(
      forbidden_edges({{"daemon/store/run_store.cpp", "  #  include \"daemon/workload/child.hpp\"\n"}}),
      testing::SizeIs(1));
}

TEST(IncludeEdges, the_client_may_not_use_the_daemon) {
  EXPECT_THAT(forbidden_edges({{"client/verbs/show.cpp", "#include \"daemon/model/units.hpp\"\n"}}),
              testing::SizeIs(1));
}

TEST(IncludeEdges, nobody_may_use_main) {
  EXPECT_THAT(forbidden_edges({{"daemon/bus/service.cpp", "#include \"daemon/run_log.hpp\"\n"}}),
              testing::SizeIs(1));
}

TEST(IncludeEdges, a_library_in_a_foreign_room_is_forbidden) {
  EXPECT_THAT(forbidden_edges({{"daemon/core/queue/scheduler.cpp", "#include <spdlog/spdlog.h>\n"},
                               {"daemon/model/units.cpp", "#include \"netperfd-dbus/Job_proxy.hpp\"\n"},
                               {"daemon/store/rows.cpp", "#include <nlohmann/json.hpp>\n"}}),
              testing::SizeIs(3));
}

TEST(IncludeEdges, a_library_that_comes_through_a_shared_header_is_forbidden) {
  EXPECT_THAT(forbidden_edges({{"daemon/config/job_text.hpp", "#include <yaml-cpp/yaml.h>\n"},
                               {"daemon/main.cpp", "#include \"daemon/config/job_text.hpp\"\n"}}),
              testing::ElementsAre("daemon/main.cpp: yaml-cpp/yaml.h is of a library it may not use through "
                                   "daemon/config/job_text.hpp"));
}

TEST(IncludeEdges, an_unknown_library_or_room_must_be_entered_in_the_table_first) {
  EXPECT_THAT(forbidden_edges(
                  {{"daemon/base/clock.cpp", "#include <gsl/gsl_math.h>\n"}, {"daemon/helpers/all.cpp", ""}}),
              testing::SizeIs(2));
}

TEST(IncludeEdges, a_path_that_does_not_start_at_the_top_is_forbidden) {
  EXPECT_THAT(forbidden_edges({{"daemon/base/fd.cpp", "#include \"fd.hpp\"\n"}}), testing::SizeIs(1));
}

}  // namespace
