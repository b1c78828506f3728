// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/trace/recording/trace_dat_support.hpp"

#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "daemon/trace/ring/subbuffer.hpp"

namespace netperfd::trace::test {
namespace {

std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("open " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string recorded(const std::string& name) {
  return read_all(std::string(NETPERFD_TEST_DATA "/trace-functions/6.12/") + name);
}

}  // namespace

std::string dat_file(const std::string& name) {
  return read_all(NETPERFD_TEST_DATA "/trace-dat/" + name);
}

std::span<const std::byte> as_bytes(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

ReportedCalls reported_calls(const std::string& name) {
  ReportedCalls calls;
  std::istringstream lines(dat_file(name));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string function;
    words >> function;
    if (function == "-") {
      words >> calls.without_begin >> calls.without_end;
      continue;
    }
    std::uint64_t cut = 1;
    words >> calls.functions[function].hits >> calls.functions[function].ns >> cut;
    if (!words || cut != 0) throw std::runtime_error(name + ": " + line);
  }
  return calls;
}

ReportedCalls calls_of(const TraceRecord& record) {
  ReportedCalls calls;
  if (!record.profile) throw std::runtime_error("no profile");
  for (const FunctionStats& function : record.profile->functions) {
    calls.functions[function.name] = {function.hits, function.recorded_ns.value()};
  }
  const CallDamage& damage = record.profile->damage;
  calls.without_begin = damage.open_at_start + damage.unmatched_exits;
  calls.without_end = damage.open_at_end + damage.unmatched_entries;
  return calls;
}

RecordingFacts recorded_facts() {
  RecordingFacts facts;
  facts.header_page = recorded("header_page");
  facts.header_event = recorded("header_event");
  for (const char* event : {"funcgraph_entry", "funcgraph_exit", "function", "print"}) {
    facts.formats.emplace_back(std::string("ftrace:") + event,
                               recorded(std::string("formats/ftrace/") + event));
  }
  facts.formats.emplace_back("sched:sched_switch", recorded("formats/sched/sched_switch"));
  facts.kallsyms = recorded("kallsyms");
  facts.task_names = recorded("module/saved_cmdlines");
  facts.clock = "mono";
  facts.kernel = "6.12.117+deb13-amd64";
  facts.cpus = 2;
  return facts;
}

std::map<std::uint32_t, std::vector<std::byte>> recorded_cpus() {
  std::map<std::uint32_t, std::vector<std::byte>> cpus;
  for (const std::uint32_t cpu : {0U, 1U}) {
    const std::string raw = recorded("module/cpu" + std::to_string(cpu) + ".raw");
    const auto bytes = as_bytes(raw);
    cpus[cpu].assign(bytes.begin(), bytes.end());
  }
  return cpus;
}

std::string small_dat() {
  RecordingFacts facts = recorded_facts();
  facts.formats.resize(2);
  facts.kallsyms = "ffffffffc0a01230 t hsr_xmit\t[hsr]\n";
  facts.task_names = "17 iperf3\n";
  facts.subbuffer_bytes = 512;
  facts.cpus = 1;
  std::vector<std::byte> subbuffer = recorded_cpus().at(0);
  subbuffer.resize(4096);
  std::uint64_t commit = 0;
  SubbufferWalk walk(subbuffer, {});
  for (RawRecord record; walk.next(record);) {
    const auto end = static_cast<std::uint64_t>(record.data.data() + record.data.size() - subbuffer.data());
    if (end > facts.subbuffer_bytes) break;
    commit = end - SubbufferLayout{}.data_offset;
  }
  std::memcpy(subbuffer.data() + SubbufferLayout{}.commit_offset, &commit, sizeof commit);
  subbuffer.resize(facts.subbuffer_bytes);
  // header_page's size is used if it is the larger one.
  const auto size = facts.header_page.find("4080");
  facts.header_page.replace(size, 4, "496");
  return make_trace_dat(facts, {{0, subbuffer}});
}

}  // namespace netperfd::trace::test
