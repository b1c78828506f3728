// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/counters/qdisc_options.hpp"

#include <fmt/format.h>
#include <linux/pkt_sched.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "daemon/counters/fact_sheet.hpp"

namespace netperfd::counters {
namespace {

struct Option {
  std::string_view name, unit;
};

// By the number of the attribute. The kernel's headers of Debian 12 lack the last ones.
constexpr std::array<Option, 12> kFqCodel{{{},
                                           {"target", "us"},
                                           {"limit", "p"},
                                           {"interval", "us"},
                                           {"ecn", ""},
                                           {"flows", ""},
                                           {"quantum", "B"},
                                           {"ce_threshold", "us"},
                                           {"drop_batch", ""},
                                           {"memory_limit", "B"},
                                           {"ce_threshold_selector", ""},
                                           {"ce_threshold_mask", ""}}};
constexpr std::array<Option, 6> kCodel{
    {{}, {"target", "us"}, {"limit", "p"}, {"interval", "us"}, {"ecn", ""}, {"ce_threshold", "us"}}};
constexpr std::array<Option, 19> kFq{{{},
                                      {"limit", "p"},
                                      {"flow_limit", "p"},
                                      {"quantum", "B"},
                                      {"initial_quantum", "B"},
                                      {"pacing", ""},
                                      {"default_rate", "B/s"},
                                      {"maxrate", "B/s"},
                                      {"buckets_log", ""},
                                      {"refill_delay", "us"},
                                      {"orphan_mask", ""},
                                      {"low_rate_threshold", "B/s"},
                                      {"ce_threshold", "us"},
                                      {"timer_slack", "ns"},
                                      {"horizon", "us"},
                                      {"horizon_drop", ""},
                                      {"priomap", ""},
                                      {"weights", ""},
                                      {"offload_horizon", "us"}}};

template <class Struct>
std::optional<Struct> struct_of(std::string_view bytes) {
  if (bytes.size() < sizeof(Struct)) return {};
  Struct value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

std::string_view bytes_of(const nlattr* attribute) {
  return {static_cast<const char*>(mnl_attr_get_payload(attribute)), mnl_attr_get_payload_len(attribute)};
}

// What has no words here.
std::string raw_words(std::string_view bytes) {
  constexpr std::size_t kShownBytes = 64;
  if (bytes.size() > kShownBytes)
    return fmt::format("{} bytes with digest {:016x}", bytes.size(), digest_of(bytes));
  std::string text = "0x";
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

std::string value_words(std::string_view bytes, std::string_view unit) {
  if (const auto value = struct_of<std::uint64_t>(bytes); value && bytes.size() == sizeof *value)
    return fmt::format("{}{}", *value, unit);
  if (const auto value = struct_of<std::uint32_t>(bytes); value && bytes.size() == sizeof *value)
    return fmt::format("{}{}", *value, unit);
  if (bytes.size() == 1) return fmt::format("{}{}", static_cast<unsigned char>(bytes.front()), unit);
  return raw_words(bytes);
}

std::string list_words(std::span<const Option> names, const nlattr* options) {
  std::string text;
  for_each_nested(options, [&](const nlattr* attribute) {
    const std::uint16_t type = mnl_attr_get_type(attribute);
    const std::string_view bytes = bytes_of(attribute);
    if (bytes.empty()) return;  // padding
    const Option option = type < names.size() ? names[type] : Option{};
    text += option.name.empty() ? fmt::format(" option-{}", type) : fmt::format(" {}", option.name);
    text += " " + value_words(bytes, option.unit);
  });
  return text;
}

std::string bands_words(const tc_prio_qopt& prio) {
  std::string text = fmt::format(" bands {} priomap", prio.bands);
  for (const std::uint8_t band : prio.priomap) text += fmt::format(" {}", band);
  return text;
}

std::string rate_words(const char* name, const tc_ratespec& rate, std::uint64_t rate64) {
  std::string text = fmt::format(" {} {}B/s", name, rate64 != 0 ? rate64 : rate.rate);
  if (rate.overhead != 0) text += fmt::format(" overhead {}B", rate.overhead);
  if (rate.mpu != 0) text += fmt::format(" mpu {}B", rate.mpu);
  constexpr std::uint8_t kEthernet = 1;  // as the kernel says if nobody asked for another
  if (rate.linklayer > kEthernet) text += fmt::format(" linklayer {}", rate.linklayer);
  return text;
}

std::string bucket_words(const nlattr* options) {
  std::optional<tc_tbf_qopt> bucket;
  std::uint64_t rate = 0, peak = 0;
  for_each_nested(options, [&](const nlattr* attribute) {
    const std::string_view bytes = bytes_of(attribute);
    switch (mnl_attr_get_type(attribute)) {
      case TCA_TBF_PARMS:
        bucket = struct_of<tc_tbf_qopt>(bytes);
        break;
      case TCA_TBF_RATE64:
        rate = struct_of<std::uint64_t>(bytes).value_or(0);
        break;
      case TCA_TBF_PRATE64:
        peak = struct_of<std::uint64_t>(bytes).value_or(0);
        break;
      default:
        break;
    }
  });
  if (!bucket) return {};
  std::string text = rate_words("rate", bucket->rate, rate);
  if (bucket->peakrate.rate != 0 || peak != 0) text += rate_words("peakrate", bucket->peakrate, peak);
  constexpr std::uint64_t kNsOfTick = 64;  // the unit of the kernel's scheduler of packets
  text += fmt::format(" burst {}ns limit {}B", kNsOfTick * bucket->buffer, bucket->limit);
  return bucket->mtu != 0 ? text + fmt::format(" mtu {}ns", kNsOfTick * bucket->mtu) : text;
}

std::string netem_words(const tc_netem_qopt& netem) {
  return fmt::format(" latency {} limit {} loss {} gap {} duplicate {} jitter {}", netem.latency, netem.limit,
                     netem.loss, netem.gap, netem.duplicate, netem.jitter);
}

}  // namespace

std::string qdisc_option_words(std::string_view kind, const nlattr* options) {
  const std::string_view bytes = bytes_of(options);
  if (bytes.empty()) return {};
  if (kind == "fq_codel") return list_words(kFqCodel, options);
  if (kind == "codel") return list_words(kCodel, options);
  if (kind == "fq") return list_words(kFq, options);
  if (kind == "tbf") return bucket_words(options);
  if (kind == "pfifo" || kind == "bfifo") {
    const auto queue = struct_of<tc_fifo_qopt>(bytes);
    return queue ? fmt::format(" limit {}{}", queue->limit, kind == "pfifo" ? "p" : "B") : "";
  }
  if (kind == "prio" || kind == "pfifo_fast") {
    const auto prio = struct_of<tc_prio_qopt>(bytes);
    return prio ? bands_words(*prio) : "";
  }
  if (kind != "netem") return {};
  const auto netem = struct_of<tc_netem_qopt>(bytes);
  return netem ? netem_words(*netem) : "";
}

}  // namespace netperfd::counters
