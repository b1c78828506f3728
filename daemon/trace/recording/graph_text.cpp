// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel writes its text by an iterator over the rings. It takes the record with the earliest stamp of
// all CPUs. For an entry it looks at the next record of the same CPU, and if that is the exit of the same
// call, both become one line. This file does the same with sub-buffers in memory, with one sub-buffer per CPU
// open at a time.
#include "daemon/trace/recording/graph_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <variant>

#include "daemon/analysis/calls/graph_event.hpp"
#include "daemon/trace/recording/graph_lines.hpp"
#include "daemon/trace/recording/plain_lines.hpp"
#include "daemon/trace/recording/text_names.hpp"
#include "daemon/trace/ring/event_fields.hpp"
#include "daemon/trace/ring/graph_format.hpp"

namespace netperfd::trace {
namespace {

using analysis::GraphEvent;
using analysis::GraphEventKind;

constexpr std::size_t kPiece = 65'536;  // bytes of text, approximately

// Losses and damage before a record.
struct Notice {
  std::uint64_t lost = 0;
  bool lost_unknown = false;
  std::string damage;  // of the sub-buffers before the record

  [[nodiscard]] bool empty() const { return lost == 0 && !lost_unknown && damage.empty(); }
};

// The records of one CPU, with the next one available for inspection.
class Lane {
 public:
  Lane(std::uint32_t cpu, std::span<const std::byte> bytes, const SubbufferLayout& layout, std::size_t size)
      : cpu_(cpu), left_(bytes), layout_(layout), size_(std::max<std::size_t>(size, 1)) {
    advance();
  }

  [[nodiscard]] std::uint32_t cpu() const { return cpu_; }
  [[nodiscard]] bool at_end() const { return !has_record_; }
  [[nodiscard]] const RawRecord& record() const { return record_; }
  [[nodiscard]] const Notice& notice() const { return notice_; }

  void advance() {
    notice_ = {};
    while (true) {
      has_record_ = walk_ && walk_->next(record_);
      if (has_record_) return;
      if (walk_ && !walk_->damage().empty()) notice_.damage = walk_->damage();
      if (left_.empty()) return;
      const auto subbuffer = left_.first(std::min(size_, left_.size()));
      left_ = left_.subspan(subbuffer.size());
      walk_.emplace(subbuffer, layout_);
      notice_.lost += walk_->lost_events();
      notice_.lost_unknown = notice_.lost_unknown || walk_->lost_unknown();
    }
  }

 private:
  std::uint32_t cpu_;
  std::span<const std::byte> left_;
  const SubbufferLayout& layout_;
  std::size_t size_;
  std::optional<SubbufferWalk> walk_;
  RawRecord record_;
  bool has_record_ = false;
  Notice notice_;
};

std::uint32_t last_cpu(const std::vector<Lane>& lanes) {
  std::uint32_t last = 0;
  for (const auto& lane : lanes) last = std::max(last, lane.cpu());
  return last;
}

class Writer {
 public:
  Writer(const GraphTextInput& input, std::vector<Lane> lanes,
         const std::function<void(std::string_view)>& sink)
      : input_(input),
        lanes_(std::move(lanes)),
        names_(input.symbols, input.task_names, input.screen),
        lines_(input.options, names_, last_cpu(lanes_)),
        sink_(sink) {
    if (auto format = GraphFormat::make(input.events)) format_ = *std::move(format);
    for (const auto& event : input.events) events_.try_emplace(event.format.id, &event);
  }

  void write() {
    const auto call = first_call();
    plain_ = !call || *call == GraphEventKind::hit;
    plain_ ? PlainLines::header(out_, call ? "function" : "nop") : GraphLines::header(out_);
    while (auto* lane = earliest()) {
      notice(*lane);
      record(*lane);
      if (out_.size() >= kPiece) flush();
    }
    for (const auto& lane : lanes_) notice(lane);  // for anything after the last record
    flush();
  }

 private:
  // Shows which tracer recorded the calls; absent if there are none.
  std::optional<GraphEventKind> first_call() const {
    std::optional<GraphEvent> first;
    for (auto lane : lanes_) {
      for (GraphEvent event; !lane.at_end(); lane.advance()) {
        if (!graph_event(lane.record(), event) || event.kind == GraphEventKind::task_switch) continue;
        if (!first || event.time < first->time) first = event;
        break;
      }
    }
    if (!first) return std::nullopt;
    return first->kind;
  }

  // If stamps are equal, the lower CPU goes first.
  Lane* earliest() {
    Lane* found = nullptr;
    for (auto& lane : lanes_) {
      if (lane.at_end()) continue;
      if (found == nullptr || lane.record().time < found->record().time) found = &lane;
    }
    return found;
  }

  void notice(const Lane& lane) {
    const auto& notice = lane.notice();
    if (!notice.damage.empty()) out_ += fmt::format("# CPU {}: {}\n", lane.cpu(), notice.damage);
    if (notice.lost > 0 || notice.lost_unknown) GraphLines::lost(out_, lane.cpu(), notice.lost);
  }

  bool graph_event(const RawRecord& record, GraphEvent& event) const {
    return format_ && format_->read(record.time, record.data, event);
  }

  // Writes the lane's record, together with the exit if that follows its entry directly, and advances the
  // lane past them.
  void record(Lane& lane) {
    const auto raw = lane.record();
    lane.advance();
    GraphEvent event;
    if (!graph_event(raw, event) ||
        (event.kind != GraphEventKind::entry && event.kind != GraphEventKind::exit)) {
      other(lane.cpu(), raw);
      return;
    }
    if (event.kind == GraphEventKind::exit) {
      lines_.exit(out_, lane.cpu(), event);
      return;
    }
    GraphEvent next;
    const bool is_leaf = !lane.at_end() && lane.notice().empty() && graph_event(lane.record(), next) &&
                         next.kind == GraphEventKind::exit && next.pid == event.pid &&
                         next.function == event.function;
    if (!is_leaf) {
      lines_.entry(out_, lane.cpu(), event);
      return;
    }
    lines_.leaf(out_, lane.cpu(), event, next);
    lane.advance();
  }

  // Other events are written as comments between calls, except for calls of the function tracer and stacks.
  void other(std::uint32_t cpu, const RawRecord& raw) {
    RecordHead head;
    if (raw.data.size() < sizeof head) {
      out_ += fmt::format("# CPU {}: a record of {} bytes\n", cpu, raw.data.size());
      return;
    }
    std::memcpy(&head, raw.data.data(), sizeof head);
    const auto found = events_.find(head.type);
    const auto* event = found == events_.end() ? nullptr : found->second;
    if (event != nullptr && event->name == "ftrace:function") {
      PlainLines::line(out_, names_, cpu, raw.time, head, hit(event->format, raw.data));
    } else if (event != nullptr && event->name == "ftrace:kernel_stack") {
      PlainLines::line(out_, names_, cpu, raw.time, head, "<stack trace>");
      put_stack(event->format, raw.data);
    } else if (plain_) {
      PlainLines::line(out_, names_, cpu, raw.time, head, text_of(event, head, raw.data));
    } else {
      lines_.comment(out_, cpu, raw.time, head.pid, text_of(event, head, raw.data));
    }
  }

  std::string hit(const EventFormat& format, std::span<const std::byte> record) {
    std::string text;
    for (const auto* name : {"ip", "parent_ip"}) {
      const auto* field = format.field(name);
      if (field == nullptr) continue;
      if (!text.empty()) text += " <-";
      text += name_alone(read_number(record, *field).value);
    }
    return text;
  }

  // Writes as many frames as the record has, which may be more than its format shows.
  void put_stack(const EventFormat& format, std::span<const std::byte> record) {
    const auto* const first = format.field("caller");
    const auto* const size = format.field("size");
    if (first == nullptr || size == nullptr) return;
    auto frame = *first;
    frame.size = frame.element_size;
    for (auto left = read_number(record, *size).value; left > 0; --left, frame.offset += frame.size) {
      const auto address = read_number(record, frame);
      if (!address.valid) break;
      out_ += fmt::format(" => {}\n", name_alone(address.value));
    }
  }

  // Only function_graph shows modules.
  std::string_view name_alone(std::uint64_t address) {
    const std::string_view name = names_.function(address);
    return name.substr(0, name.find(" ["));
  }

  // An event is its fields: "sched_switch: prev_comm=iperf3 prev_pid=88 ...".
  std::string text_of(const KnownEvent* event, const RecordHead& head, std::span<const std::byte> record) {
    if (event == nullptr) return fmt::format("unknown event {}", head.type);
    if (event->name == "ftrace:print") {
      for (const auto& field : decode_fields(event->format, record, input_.symbols)) {
        const auto* text = std::get_if<std::string>(&field.value);
        if (field.name == "buf" && text != nullptr) return *text;
      }
    }
    std::string text = event->format.name + ":";
    auto fields = decode_fields(event->format, record, input_.symbols);
    input_.screen.apply(event->name, head.pid, fields);
    for (const EventField& field : fields) {
      const auto value = std::visit([](const auto& plain) { return fmt::format("{}", plain); }, field.value);
      text += fmt::format(" {}={}", field.name, field.text.empty() ? value : field.text);
    }
    return text;
  }

  void flush() {
    if (!out_.empty()) sink_(out_);
    out_.clear();
  }

  const GraphTextInput& input_;
  std::vector<Lane> lanes_;
  TextNames names_;
  GraphLines lines_;
  bool plain_ = false;
  const std::function<void(std::string_view)>& sink_;
  std::optional<GraphFormat> format_;
  std::unordered_map<std::uint32_t, const KnownEvent*> events_;  // by common_type
  std::string out_;
};

}  // namespace

void write_graph_text(const GraphTextInput& input,
                      const std::vector<std::pair<std::uint32_t, std::span<const std::byte>>>& cpus,
                      std::size_t subbuffer_bytes, const std::function<void(std::string_view)>& sink) {
  auto sorted = cpus;
  std::ranges::sort(sorted, {}, [](const auto& cpu) { return cpu.first; });
  std::vector<Lane> lanes;
  for (const auto& [cpu, bytes] : sorted) lanes.emplace_back(cpu, bytes, input.layout, subbuffer_bytes);
  Writer(input, std::move(lanes), sink).write();
}

}  // namespace netperfd::trace
