#include <fmt/format.h>
#include <fmt/ranges.h>

#include "daemon/counters/machine_facts.hpp"
#include "daemon/model/units.hpp"

namespace netperfd::counters {
namespace {

constexpr std::string_view kGroup = "iperf3";

// Only of options that were given: without them iperf3 does as it likes, which its version tells.
class Options {
 public:
  explicit Options(FactSheet& sheet) : sheet_(sheet) {}
  template <class Number>
  void put(const char* key, const std::optional<Number>& value) {
    if (value) sheet_.add(kGroup, key, fmt::format("{}", *value));
  }
  void put(const char* key, std::string_view value) {
    if (!value.empty()) sheet_.add(kGroup, key, value);
  }
  void put(const char* key, bool given) {
    if (given) sheet_.add(kGroup, key, "true");
  }

 private:
  FactSheet& sheet_;
};

}  // namespace

void add_iperf3_facts(const Iperf3Spec& spec, std::string_view version, FactSheet& sheet) {
  Options options(sheet);
  options.put("version", version);
  options.put("protocol", to_string(spec.protocol));
  options.put("direction", to_string(spec.direction));
  options.put("ip_version", to_string(spec.ip_version));
  options.put("streams", std::optional{spec.streams});
  options.put("server", std::string_view{spec.server});
  options.put("server is local", spec.local.has_value());
  if (spec.duration) options.put("duration", std::string_view{format_duration(*spec.duration)});
  options.put("bytes", spec.bytes);
  options.put("omit", std::string_view{format_duration(spec.omit)});
  options.put("interval", std::string_view{format_duration(spec.interval)});
  options.put("bitrate", spec.bitrate);
  options.put("length", spec.length_bytes);
  options.put("window", spec.window_bytes);
  options.put("mss", spec.mss_bytes);
  options.put("congestion", std::string_view{spec.congestion});
  options.put("dscp", std::string_view{spec.dscp});
  options.put("bind", std::string_view{spec.bind});
  options.put("affinity", std::string_view{fmt::format("{}", fmt::join(spec.affinity, ","))});
  options.put("zerocopy", spec.zerocopy);
  options.put("no_delay", spec.no_delay);
  options.put("dont_fragment", spec.dont_fragment);
}

}  // namespace netperfd::counters
