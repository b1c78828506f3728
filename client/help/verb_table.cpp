// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/help/verb_table.hpp"

#include <algorithm>

namespace netperfctl {
namespace {

constexpr std::string_view kMeasure = "Measure";
constexpr std::string_view kRead = "Read what was measured";
constexpr std::string_view kStore = "Exchange and remove";
constexpr std::string_view kMachine = "Ask about this machine";
constexpr std::string_view kHelp = "Help";

std::vector<VerbText> texts() {  // NOLINT(readability-function-size): one table
  using enum Exit;
  return {
      {"scenarios",
       kMeasure,
       {},
       "Root's scenarios are in /etc/netperfd/scenarios.d, the shipped ones in "
       "/usr/share/netperfd/scenarios.d. Of two with one name, root's counts."},
      {"start",
       kMeasure,
       {not_found, inconclusive, run_failed, regression, quota, canceled, interrupted},
       "Ctrl-C leaves the job running unless `--cancel-on-interrupt` is given. At the end of a job with a "
       "design, start prints the comparison of its sides; with `--fail-on`, its verdict decides the exit "
       "code. A job that is known not to end in an answer is refused, with what would change that, unless "
       "`--force` is given. `--set` takes the keys of netperfd-scenario(5), and a value of `null` removes a "
       "key."},
      {"ab",
       kMeasure,
       {not_found, inconclusive, run_failed, regression, quota, canceled, interrupted},
       "The scenario needs no design and no rights beyond those of start: each side sets keys of the "
       "workload "
       "below `workload.NAME`, but not the path. Without `--a`, side A is the scenario as it is. The sides "
       "take turns (ABBA) and their difference is the declared change. Otherwise as start."},
      {"plan",
       kMeasure,
       {not_found, run_failed, quota, canceled, interrupted},
       "The runs that it measures are the pilot: 6 blocks, or 8 runs for a scenario without variants, unless "
       "`--repeat` says otherwise. A pilot is never traced. For a scenario that reboots the machine, stored "
       "boots "
       "are planned from if there are enough of them. Otherwise the pilot reboots the machine: it needs "
       "`--yes`, "
       "or a yes at the terminal."},
      {"selftest",
       kMeasure,
       {not_found, inconclusive, run_failed, quota, canceled, difference, interrupted},
       "It runs side A against itself in blocks, as for a real comparison. `equivalent` is the good answer: "
       "its interval shows what this host can resolve."},
      {"wait",
       kMeasure,
       {not_found, run_failed, canceled, interrupted},
       "The job may have ended long ago. Ctrl-C leaves it running."},
      {"jobs", kMeasure, {}, "A job is one start of a scenario or job file; it has one or more runs."},
      {"watch",
       kMeasure,
       {interrupted},
       "For a traced run, it also shows the rate of each event, the losses, and the busiest functions of the "
       "last second."},
      {"mark",
       kMeasure,
       {not_found},
       "A mark stands next to the kernel's events, so that you can tell later what the test was doing."},
      {"stop", kMeasure, {not_found}, "The job's runs that have ended stay in the store."},
      {"hold",
       kMeasure,
       {not_found},
       "For a job whose design has `level: boot`. A run that is under way goes on. A reboot that is under "
       "way "
       "cannot be held."},
      {"release",
       kMeasure,
       {not_found},
       "The job announces the reboot again that it waits for, and waits as long as for the first time."},
      {"undo",
       kMeasure,
       {not_found},
       "For the job's owner and root, if a job says that the machine could not be brought back; `doctor` "
       "lists such jobs. netperfd tries again by itself before each next job; undo tries at once, for "
       "example after the cause was mended. It is refused while a job is under way."},
      {"runs",
       kRead,
       {},
       "Times are local: 2026-11-21, \"2026-11-21 10:00\", now, today, yesterday, or a time ago such as 90s, "
       "30min, 2h, 3d, 1w. `--since` includes the moment, `--until` does not."},
      {"show", kRead, {not_found}, "Each option that lists something shows it in full."},
      {"compare",
       kRead,
       {not_found, inconclusive, regression},
       "A and B are selections of finished runs; all terms of a selection must match together. A single "
       "argument compares the sides of one job with a design."},
      {"report",
       kRead,
       {not_found},
       "The page is one file that loads nothing, for a mail or an archive. It shows the verdict, all runs, "
       "the "
       "functions, flame graphs and the evidence, and has the figures as JSON too. A refused comparison is a "
       "page that says why. The exit code does not depend on the verdict. FILE is replaced if it exists."},
      {"relabel",
       kRead,
       {not_found},
       "For the job's owner. Other users' work needs an administrator, as for delete."},
      {"note",
       kRead,
       {not_found},
       "For the run's owner. Other users' work needs an administrator, as for delete."},
      {"log",
       kRead,
       {},
       "Root and members of the group see all entries, others their own. Times are written as for runs."},
      {"export",
       kStore,
       {not_found},
       "Stacks are those of the samples of a run that was not traced, or of the traced calls; their weights "
       "are samples or nanoseconds of self time. Only a run whose job had `trace: {keep_raw: SIZE}` has a "
       "raw "
       "trace. Its text ends with the line `# end of the trace`; without that line it was cut short. A "
       "bundle has "
       "all that is stored of a run or a job. Its hashes show damage, not forgery; a signature shows who "
       "vouches "
       "for it."},
      {"import",
       kStore,
       {quota},
       "The client opens the files as the user who runs it, and a confined process reads them. Standard "
       "output lists the files that are stored, and standard error names the others, each with the reason. "
       "The exit code is that of the first of these, but 1 in place of 2 if other files are stored. One "
       "document and one trace are stored together or not at all. Runs of a bundle get new numbers "
       "and belong to the user who imports them; their pages say where they came from."},
      {"delete",
       kStore,
       {not_found},
       "A selection is as for runs: runs in any state and of any purpose. If it gets several runs, it goes "
       "on after an error and exits with the code of the first one."},
      {"db",
       kStore,
       {damaged},
       "All of it works while netperfd measures, except for restore. A backup is one SQLite file; FILE is "
       "replaced "
       "once all of it is on the disk. restore is for root. It checks FILE first and keeps the store as it "
       "was "
       "in a file beside the new one, which it names. prune takes jobs as a whole, and only those that have "
       "ended: your own, as root those of all users. If two bounds are given, a job that exceeds one of them "
       "goes."},
      {"doctor",
       kMachine,
       {},
       "The results hold until the next boot. If netperfd cannot be reached, doctor says at which step it "
       "failed: no bus, a bus that refuses this user, nothing to start, not started, not allowed, no "
       "answer."},
      {"modules",
       kMachine,
       {},
       "Functions of a module can be traced by `trace: {function_graph: {module: NAME}}`."},
      {"functions", kMachine, {}, "A job names them in `trace: {function_graph: {functions: [...]}}`."},
      {"events",
       kMachine,
       {not_found},
       "Events that members of the group may trace come first, then those that are for root and for "
       "scenarios "
       "that root installed."},
      {"tracers", kMachine, {}, "netperfd uses function_graph, and events without a tracer."},
      {"help", kHelp, {}, "The same as VERB --help. netperfctl-VERB(1) is the manual page of a verb."},
  };
}

}  // namespace

std::span<const VerbText> verb_texts() {
  static const std::vector<VerbText> all = texts();
  return all;
}

const VerbText* text_of_verb(std::string_view verb) {
  const auto found = std::ranges::find(verb_texts(), verb, &VerbText::verb);
  return found == verb_texts().end() ? nullptr : &*found;
}

}  // namespace netperfctl
