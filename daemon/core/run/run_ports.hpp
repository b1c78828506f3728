// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "daemon/core/ports/boot_journal.hpp"
#include "daemon/core/ports/clock.hpp"
#include "daemon/core/ports/command_runner.hpp"
#include "daemon/core/ports/counter_source.hpp"
#include "daemon/core/ports/fingerprint_source.hpp"
#include "daemon/core/ports/host_watch.hpp"
#include "daemon/core/ports/job_judge.hpp"
#include "daemon/core/ports/machine_parts.hpp"
#include "daemon/core/ports/packet_counter.hpp"
#include "daemon/core/ports/run_store.hpp"
#include "daemon/core/ports/sampler.hpp"
#include "daemon/core/ports/side_journal.hpp"
#include "daemon/core/ports/tracer.hpp"
#include "daemon/core/ports/workload.hpp"
#include "daemon/core/sides/side_commands.hpp"

namespace netperfd::core {

// The ports that the runs of a job use; all must outlive them.
struct RunPorts {
  Workload& workload;
  Tracer& tracer;
  RunStore& store;
  Clock& clock;
  PacketCounter& packets;
  CounterSource& counters;
  FingerprintSource& fingerprints;
  CommandRunner& commands;
  SideJournal& sides;
  BootJournal& boots;
  Sampler* sampler = nullptr;           // null: nothing is sampled
  HostWatch* host = nullptr;            // null: faults of the host are not noticed
  SwitchProgram switch_program = {};    // of designs that set something on the machine
  JobJudge* judge = nullptr;            // null: no job ends before its last block
  const MachineParts* parts = nullptr;  // null: nothing is known to be gone
};

}  // namespace netperfd::core
