// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/counters/queue_sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "daemon/model/counter_figure.hpp"

namespace netperfd::counters {
namespace {

std::chrono::microseconds since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
}

}  // namespace

std::uint64_t growth(std::uint32_t before, std::uint32_t now) {
  const std::uint32_t step = now - before;
  const bool replaced = now < before && step > std::numeric_limits<std::int32_t>::max();
  return replaced ? now : step;
}

QueueSampler::QueueSampler(core::Clock& clock, QueueSamplerSettings sampling)
    : clock_(clock), settings_(sampling) {}

void QueueSampler::add(const Fd& route, const std::string& netns, const NamedDevice& device) {
  Sampled sampled{.route = &route, .netns = netns, .device = device, .known = {}};
  const auto list = read_queues(route, device.index);
  if (!list) return note(sampled, list.error().message);
  if (list->queues.empty()) return;
  if (list->seen > settings_.most_listed) {
    return note(sampled, fmt::format("not sampled, because its network namespace has {} queueing disciplines",
                                     list->seen));
  }
  if (list->queues.size() > settings_.most_queues) {
    note(sampled, fmt::format("only the first {} of its {} queueing disciplines are sampled",
                              settings_.most_queues, list->queues.size()));
  }
  for (const Queue& queue : list->queues)
    std::ranges::move(queue_figures_of(device.name, netns, queue.kind), std::back_inserter(figures_));
  sampled_.push_back(std::move(sampled));
}

void QueueSampler::start() {
  if (sampled_.empty()) return;
  begin_ = std::chrono::steady_clock::now();
  look();
  started_ = true;
  arm();
}

void QueueSampler::arm() {
  timer_ = clock_.after(settings_.period * stride_, [this] {
    tick_ += stride_;
    look();
    if (kept_.size() > settings_.most_samples) make_room();
    arm();
  });
}

void QueueSampler::look() {
  for (Sampled& sampled : sampled_) {
    if (!sampled.gone) look_at(sampled);
  }
}

void QueueSampler::look_at(Sampled& sampled) {
  const auto list = read_queues(*sampled.route, sampled.device.index);
  const auto time = started_ ? since(begin_) : std::chrono::microseconds{0};
  if (!list) {
    sampled.gone = true;
    return note(sampled, list.error().message);
  }
  // One that was replaced makes room for its successor.
  std::erase_if(sampled.known, [&](const Known& known) {
    return std::ranges::none_of(list->queues, [&](const Queue& queue) { return queue.is(known.last); });
  });
  for (const Queue& queue : list->queues) take(sampled, queue, time);
  if (list->queues.empty()) note_absence(sampled);
}

void QueueSampler::take(Sampled& sampled, const Queue& now, std::chrono::microseconds time) {
  auto known = std::ranges::find_if(sampled.known, [&](const Known& each) { return each.last.is(now); });
  if (known == sampled.known.end()) {
    if (sampled.known.size() >= settings_.most_queues) return;
    QueueSample total;
    total.device = sampled.device.name;
    total.netns = sampled.netns;
    total.kind = now.kind;
    total.handle = handle_text(now.handle);
    total.parent = parent_text(now.parent);
    // One that was created after the release has counted from 0.
    Queue before = now;
    if (started_)
      before.sent_bytes = before.sent_packets = before.drops = before.overlimits = before.requeues = 0;
    known = sampled.known.insert(sampled.known.end(), {std::move(before), std::move(total)});
  }
  const auto grown = [](std::uint64_t before, std::uint64_t after) {
    return after < before ? after : after - before;
  };
  Queue& last = known->last;
  QueueSample& total = known->total;
  total.sent_bytes += grown(last.sent_bytes, now.sent_bytes);
  total.sent_packets += grown(last.sent_packets, now.sent_packets);
  total.drops += growth(last.drops, now.drops);
  total.overlimits += growth(last.overlimits, now.overlimits);
  total.requeues += growth(last.requeues, now.requeues);
  last = now;
  kept_.push_back({tick_, total});
  QueueSample& sample = kept_.back().sample;
  sample.time = time;
  sample.backlog_bytes = now.backlog_bytes;
  sample.backlog_packets = now.backlog_packets;
}

void QueueSampler::note_absence(Sampled& sampled) {
  // The device may have no queueing discipline now, and get one later.
  if (find_device(*sampled.route, sampled.device.index)) return;
  sampled.gone = true;
  note(sampled, "the device went away");
}

void QueueSampler::make_room() {
  stride_ *= 2;
  std::erase_if(kept_, [this](const Kept& kept) { return kept.tick % stride_ != 0; });
  // Keeps later ticks at multiples of the new stride.
  tick_ -= tick_ % stride_;
}

std::vector<QueueSample> QueueSampler::finish() {
  timer_.reset();
  if (started_) look();
  std::vector<QueueSample> samples;
  samples.reserve(kept_.size());
  for (Kept& kept : kept_) samples.push_back(std::move(kept.sample));
  return samples;
}

void QueueSampler::note(const Sampled& sampled, const std::string& why) {
  unknown_.push_back(fmt::format("queues of {}{}{}: {}", sampled.device.name,
                                 sampled.netns.empty() ? "" : "@", sampled.netns, why));
}

}  // namespace netperfd::counters
