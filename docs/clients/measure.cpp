// Measures a scenario and prints the throughput of each run. usage: measure SCENARIO
// Build it with: c++ -std=c++17 measure.cpp -o measure $(pkg-config --cflags --libs libsystemd)
#include <systemd/sd-bus.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <set>
#include <stdexcept>
#include <string>

namespace {

constexpr const char* kService = "org.netperfd1";
constexpr const char* kPath = "/org/netperfd1";
constexpr const char* kManager = "org.netperfd1.Manager";

sd_bus* bus = nullptr;
std::set<std::uint64_t> runs;
bool is_told = true;

int check(int result, const sd_bus_error& error = SD_BUS_ERROR_NULL) {
  if (result < 0) throw std::runtime_error(error.message != nullptr ? error.message : std::strerror(-result));
  return result;
}

// Reads a list of rows, aa{sv}, and prints one figure of each.
void print_throughput(std::uint64_t run, sd_bus_message* answer) {
  check(sd_bus_message_enter_container(answer, 'a', "a{sv}"));
  while (sd_bus_message_enter_container(answer, 'a', "{sv}") > 0) {
    while (sd_bus_message_enter_container(answer, 'e', "sv") > 0) {
      const char* key = nullptr;
      check(sd_bus_message_read(answer, "s", &key));
      double rate = 0;
      if (std::strcmp(key, "received_bits_per_second") == 0) {
        check(sd_bus_message_read(answer, "v", "d", &rate));
        std::cout << "run " << run << " finished: " << static_cast<long>(rate / 1e6) << " Mbit/s\n";
      } else {
        check(sd_bus_message_skip(answer, "v"));
      }
      sd_bus_message_exit_container(answer);
    }
    sd_bus_message_exit_container(answer);
  }
}

// Prints how the run ended. False if it has not.
bool print_end(std::uint64_t run) {
  sd_bus_error error = SD_BUS_ERROR_NULL;
  sd_bus_message* answer = nullptr;
  check(sd_bus_call_method(bus, kService, kPath, kManager, "GetRun", &error, &answer, "t", run), error);
  std::string state, reason;
  check(sd_bus_message_enter_container(answer, 'a', "{sv}"));
  while (sd_bus_message_enter_container(answer, 'e', "sv") > 0) {
    const char *key = nullptr, *text = nullptr;
    check(sd_bus_message_read(answer, "s", &key));
    const bool wanted = std::strcmp(key, "state") == 0 || std::strcmp(key, "error") == 0;
    check(wanted ? sd_bus_message_read(answer, "v", "s", &text) : sd_bus_message_skip(answer, "v"));
    if (wanted) (*key == 's' ? state : reason) = text;
    sd_bus_message_exit_container(answer);
  }
  sd_bus_message_exit_container(answer);
  const bool ended =
      state == "finished" || state == "failed" || state == "canceled" || state == "interrupted";
  if (state == "finished") print_throughput(run, answer);
  if (ended && state != "finished") std::cout << "run " << run << ' ' << state << ": " << reason << '\n';
  sd_bus_message_unref(answer);
  return ended;
}

// Runs end one after the other.
void ask() {
  while (!runs.empty() && print_end(*runs.begin())) runs.erase(runs.begin());
}

// Any local user can send such a signal, and one may be lost. So it only says when to ask, as the time does,
// and netperfd's answer tells what happened.
int on_run_ended(sd_bus_message*, void*, sd_bus_error*) {
  is_told = true;
  return 0;
}

void measure(const char* scenario) {
  check(sd_bus_open_system(&bus));
  check(sd_bus_match_signal(bus, nullptr, kService, kPath, kManager, "RunEnded", on_run_ended, nullptr));
  sd_bus_error error = SD_BUS_ERROR_NULL;
  sd_bus_message *answer = nullptr, *property = nullptr;
  check(sd_bus_call_method(bus, kService, kPath, kManager, "StartScenario", &error, &answer, "sa{sv}",
                           scenario, 1, "label", "s", "c++"),
        error);
  const char* job = nullptr;
  check(sd_bus_message_read(answer, "o", &job));
  check(sd_bus_get_property(bus, kService, job, "org.netperfd1.Job", "Runs", &error, &property, "at"), error);
  const std::uint64_t* numbers = nullptr;
  std::size_t bytes = 0;
  check(sd_bus_message_read_array(property, 't', reinterpret_cast<const void**>(&numbers), &bytes));
  runs.insert(numbers, numbers + bytes / sizeof *numbers);
  sd_bus_message_unref(property);
  sd_bus_message_unref(answer);
  auto asked = std::chrono::steady_clock::now();
  while (!runs.empty()) {
    const auto now = std::chrono::steady_clock::now();
    if (is_told || now - asked >= std::chrono::seconds{5}) {
      is_told = false;
      asked = now;
      ask();
    } else if (check(sd_bus_process(bus, nullptr)) == 0) {
      check(sd_bus_wait(bus, 1'000'000));
    }
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) throw std::runtime_error("usage: measure SCENARIO");
  measure(argv[1]);
  sd_bus_flush_close_unref(bus);
  return 0;
} catch (const std::exception& error) {
  std::cerr << "measure: " << error.what() << '\n';
  return 1;
}
