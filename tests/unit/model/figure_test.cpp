// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/figure.hpp"

#include <gmock/gmock.h>

#include <string>

#include "daemon/model/figure_registry.hpp"

namespace netperfd {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

Figure parsed(std::string_view name) {
  const auto figure = parse_figure(name);
  EXPECT_TRUE(figure) << name << ": " << (figure ? "" : figure.error().message);
  return figure.value_or(Figure{});
}

std::string complaint(std::string_view name) {
  const auto figure = parse_figure(name);
  EXPECT_FALSE(figure) << name;
  return figure ? "" : figure.error().message;
}

std::string choice_complaint(std::string_view text) {
  const auto choice = parse_figure_choice(text);
  EXPECT_FALSE(choice) << text;
  return choice ? "" : choice.error().message;
}

TEST(Figure, has_the_parts_that_its_name_tells) {
  EXPECT_EQ(parsed("received"), Figure{});
  EXPECT_EQ(parsed("cpu"), Figure{.name = "cpu"});
  EXPECT_EQ(parsed("latency.p99"), (Figure{.name = "latency.p99"}));
  EXPECT_EQ(parsed("latency.idle.p50"), (Figure{.name = "latency.p50", .phase = LatencyPhase::idle}));
  EXPECT_EQ(parsed("latency.voice.max"), (Figure{.name = "latency.max", .probe = "voice"}));
  EXPECT_EQ(parsed("latency.voice.after.p999"),
            (Figure{.name = "latency.p999", .probe = "voice", .phase = LatencyPhase::after}));
}

TEST(Figure, keeps_its_name) {
  for (const char* name : {"received",
                           "sent",
                           "delivered",
                           "retransmits",
                           "rtt",
                           "jitter",
                           "cpu",
                           "cpu.packet",
                           "cpu.transaction",
                           "latency.min",
                           "latency.p50",
                           "latency.p90",
                           "latency.p99",
                           "latency.p999",
                           "latency.max",
                           "latency.mean",
                           "latency.jitter",
                           "latency.delivered",
                           "latency.bloat",
                           "latency.idle.p50",
                           "latency.omitted.p50",
                           "latency.load.p50",
                           "latency.after.p50",
                           "latency.a-b_1.p99",
                           "latency.voice.load.p99"}) {
    EXPECT_EQ(to_string(parsed(name)), name);
  }
}

// A figure with the wrong direction turns every verdict round.
TEST(Figure, has_a_unit_and_a_better_direction) {
  const auto words = [](std::string_view name) {
    const FigureEntry* entry = find_figure(parsed(name).name);
    return entry == nullptr ? "" : std::string{entry->unit} + " " + std::string{to_string(entry->better)};
  };
  EXPECT_EQ(words("received"), "bits_per_second higher");
  EXPECT_EQ(words("sent"), "bits_per_second higher");
  EXPECT_EQ(words("delivered"), "share higher");
  EXPECT_EQ(words("retransmits"), "per_gigabyte lower");
  EXPECT_EQ(words("rtt"), "ns lower");
  EXPECT_EQ(words("jitter"), "ns lower");
  EXPECT_EQ(words("cpu"), "ns_per_byte lower");
  EXPECT_EQ(words("cpu.packet"), "ns_per_packet lower");
  EXPECT_EQ(words("cpu.transaction"), "ns_per_transaction lower");
  for (const char* name : {"min", "p50", "p90", "p99", "p999", "max", "mean", "jitter", "bloat"})
    EXPECT_EQ(words("latency." + std::string{name}), "ns lower") << name;
  EXPECT_EQ(words("latency.delivered"), "share higher");
  EXPECT_EQ(words("latency.voice.idle.delivered"), "share higher");
}

TEST(Figure, that_does_not_exist_is_refused_with_what_was_expected) {
  EXPECT_EQ(complaint("recieved"),
            "figure \"recieved\" does not exist; expected is received, sent, delivered, retransmits, rtt, "
            "jitter, cpu, latency or counter; did you mean received?");
  EXPECT_THAT(complaint(""), HasSubstr("figure \"\" does not exist"));
  EXPECT_EQ(complaint("received.p99"),
            "figure \"received.p99\": received has no parts; latency, cpu and counter have: latency.p99");
  EXPECT_EQ(complaint("cpu.packets"),
            "figure \"cpu.packets\" does not exist; expected is cpu, cpu.packet or cpu.transaction; did you "
            "mean cpu.packet?");
  EXPECT_THAT(complaint("latency"), HasSubstr("is not latency.STAT"));
  EXPECT_EQ(complaint("latency.p95"),
            "figure \"latency.p95\" ends with \"p95\", which is no statistic of latency: min, p50, p90, p99, "
            "p999, max, mean, jitter, delivered or bloat; did you mean p90?");
  EXPECT_THAT(complaint("latency."), HasSubstr("ends with \"\""));
  EXPECT_THAT(complaint("latency.p99.9"), HasSubstr("ends with \"9\""));
  EXPECT_THAT(complaint("latency.voice.idel.p99"),
              HasSubstr("\"idel\" is no phase: idle, omitted, load or after; did you mean idle?"));
  EXPECT_THAT(complaint("latency.p50.p99"), HasSubstr("neither a phase nor the name of a probe"));
  EXPECT_THAT(complaint("latency.load.idle.p99"), HasSubstr("neither a phase nor the name of a probe"));
  EXPECT_THAT(complaint("latency.load.bloat"), HasSubstr("bloat is of two phases"));
  EXPECT_THAT(complaint("latency..p99"), HasSubstr("neither a phase nor the name of a probe"));
  EXPECT_THAT(complaint("latency.a b.p99"), HasSubstr("neither a phase nor the name of a probe"));
  EXPECT_THAT(complaint("latency.a.b.c.p99"), HasSubstr("is not latency.STAT"));
  EXPECT_THAT(complaint("Received"), HasSubstr("did you mean received?"));
  EXPECT_THAT(complaint("latency.\n.p99"), testing::Not(HasSubstr("\n")));
}

TEST(Figure, has_no_exponent_where_its_threshold_is_wrong) {
  EXPECT_EQ(wrong_threshold(parsed("received"), 1e20),
            "100000000000000000000 is no share between 0 and 1, such as 0.01");
}

TEST(Figure, may_have_a_threshold_of_its_own) {
  const auto choice = parse_figure_choice("latency.p99:5%");
  ASSERT_TRUE(choice);
  EXPECT_EQ(to_string(choice->figure), "latency.p99");
  EXPECT_EQ(choice->threshold, 0.05);
  const auto plain = parse_figure_choice("sent");
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->threshold);
  for (const char* text : {"sent:", "sent:5", "sent:0%", "sent:100%", "sent:-1%", "sent:nan%", "sent:5%:6%"})
    EXPECT_THAT(choice_complaint(text), HasSubstr("above 0% and below 100%")) << text;
  EXPECT_THAT(choice_complaint("snt:5%"), HasSubstr("did you mean sent?"));
}

TEST(Figures, are_each_once_and_at_most_eight) {
  const auto choices = [](std::initializer_list<const char*> names) {
    std::vector<FigureChoice> figures;
    for (const char* name : names) figures.push_back({.figure = parsed(name)});
    return figures;
  };
  EXPECT_TRUE(check_figures(choices(
      {"sent", "received", "cpu", "rtt", "retransmits", "latency.p50", "latency.p99", "latency.idle.p99"})));
  const auto twice = check_figures(choices({"sent", "latency.p99", "latency.p99"}));
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().message, "figure latency.p99 is there twice");
  EXPECT_FALSE(check_figures(choices({"sent", "received", "cpu", "rtt", "retransmits", "latency.p50",
                                      "latency.p99", "latency.idle.p99", "latency.max"})));
}

// A run may have figures of its own: whether any has this one, the name cannot tell.
TEST(Figure, of_the_runs_own_is_a_word_that_is_not_meant_for_another_one) {
  for (const char* name : {"requests", "p99", "energy.cpu0", "dropped-frames_2"}) {
    const auto figure = parse_any_figure(name);
    ASSERT_TRUE(figure) << name;
    EXPECT_EQ(figure->name, name);
    EXPECT_EQ(to_string(*figure), name);
    EXPECT_TRUE(is_own(*figure)) << name;
    EXPECT_THAT(complaint(name), HasSubstr("does not exist")) << "of the registry";
  }
  EXPECT_EQ(parse_any_figure("cpu"), Figure{.name = "cpu"});
  EXPECT_FALSE(is_own(parsed("latency.voice.p99")));
  for (const char* name :
       {"", "2fast", "a b", "a:b", "_a", "\n", "latency.p95", "latency", "sent.p99", "energy\n"})
    EXPECT_FALSE(parse_any_figure(name)) << name;
  EXPECT_TRUE(parse_any_figure(std::string(64, 'a')));
  EXPECT_FALSE(parse_any_figure(std::string(65, 'a')));
}

TEST(Figure, that_no_run_has_is_refused_with_those_that_they_have) {
  EXPECT_EQ(no_such_figure("requets", {"energy", "requests"}),
            "figure \"requets\" does not exist; expected is received, sent, delivered, retransmits, rtt, "
            "jitter, cpu, latency, counter, energy or requests; did you mean requests?");
}

TEST(Figures, of_their_own_need_a_job_that_brings_them) {
  const Figure requests = parse_any_figure("requests").value();
  EXPECT_THAT(why_not_measured(requests, {.tcp = true}), HasSubstr("is not among"));
  EXPECT_THAT(why_not_measured(requests, {.own = {"energy"}}), HasSubstr("is not among"));
  EXPECT_THAT(why_not_measured(requests, {.own = {"energy", "requests"}}), IsEmpty());
}

TEST(Figures, need_a_workload_that_measures_them) {
  const MeasuredByJob tcp{.tcp = true}, udp{.udp = true}, sctp{.sctp = true}, nothing;
  const auto why = [](const char* name, const MeasuredByJob& job) {
    return why_not_measured(parsed(name), job);
  };
  for (const char* name : {"received", "sent", "cpu"}) {
    EXPECT_THAT(why(name, tcp), IsEmpty());
    EXPECT_THAT(why(name, udp), IsEmpty());
    EXPECT_THAT(why(name, nothing), HasSubstr("needs the workload iperf3"));
  }
  EXPECT_THAT(why("rtt", tcp), IsEmpty());
  EXPECT_THAT(why("rtt", udp), HasSubstr("tcp"));
  EXPECT_THAT(why("rtt", sctp), HasSubstr("tcp"));
  EXPECT_THAT(why("retransmits", tcp), IsEmpty());
  EXPECT_THAT(why("retransmits", sctp), HasSubstr("tcp")) << "iperf3 counts none";
  EXPECT_THAT(why("retransmits", udp), HasSubstr("tcp"));
  EXPECT_THAT(why("delivered", udp), IsEmpty());
  EXPECT_THAT(why("delivered", tcp), HasSubstr("udp"));
  EXPECT_THAT(why("jitter", tcp), HasSubstr("udp"));
  EXPECT_EQ(why("latency.p99", tcp), "needs a latency workload, and the job has none");
  const MeasuredByJob bits{.own_units = {"ns", "bits/s"}}, packets{.own_units = {"packets/s"}},
      requests{.own_units = {"requests/s"}}, path{.path = true};
  EXPECT_THAT(why("cpu", bits), IsEmpty());
  EXPECT_THAT(why("cpu", requests), HasSubstr("in bits/s, and the job has neither"));
  EXPECT_THAT(why("cpu.packet", path), IsEmpty());
  EXPECT_THAT(why("cpu.packet", packets), IsEmpty());
  EXPECT_THAT(why("cpu.packet", bits), HasSubstr("in packets/s, and the job has neither"));
  EXPECT_THAT(why("cpu.transaction", requests), IsEmpty());
  EXPECT_THAT(why("cpu.transaction", path),
              HasSubstr("in transactions/s or requests/s, and the job has none"));

  const MeasuredByJob alone{.probes = {{"udp"}}, .phases = {LatencyPhase::idle}};
  const MeasuredByJob beside{.tcp = true,
                             .probes = {{"udp", "voice"}},
                             .phases = {LatencyPhase::idle, LatencyPhase::load, LatencyPhase::after}};
  EXPECT_THAT(why("latency.p99", alone), IsEmpty());
  EXPECT_THAT(why("latency.udp.idle.p99", alone), IsEmpty());
  EXPECT_EQ(why("latency.load.p99", alone), "needs a phase load, and the job has none");
  EXPECT_THAT(why("latency.bloat", alone), HasSubstr("does not have both"));
  EXPECT_THAT(why("latency.bloat", beside), IsEmpty());
  EXPECT_THAT(why("latency.voice.after.p99", beside), IsEmpty());
  EXPECT_EQ(why("latency.vioce.p99", beside), "needs a probe \"vioce\"; the job has udp, voice");
}

}  // namespace
}  // namespace netperfd
