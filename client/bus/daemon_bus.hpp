// SPDX-License-Identifier: GPL-2.0-or-later
// The bus side of Daemon: its proxy, and the place where every sdbus-c++ exception ends. Only client/bus
// includes it, since sdbus-c++ is slow to compile.
#pragma once

#include <fmt/format.h>
#include <netperfd-dbus/Manager_proxy.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "client/base/asking.hpp"
#include "client/base/page_walk.hpp"
#include "client/bus/daemon.hpp"
#include "client/bus/failures.hpp"
#include "client/bus/password_agent.hpp"
#include "client/bus/rows.hpp"
#include "dbus/compat.hpp"
#include "dbus/guarded_socket.hpp"
#include "dbus/names.hpp"

namespace netperfctl {

namespace dbus = netperfd::dbus;

// The options of PlanRuns.
[[nodiscard]] dbus::Row plan_row(const PlanRequest& request);

// Longer than netperfd lets somebody type a password.
inline constexpr std::chrono::minutes kPasswordAnswer{4};

// Every sdbus-c++ exception ends here. `function` may be called several times: see Retries.
template <class Function>
[[nodiscard]] auto call(Function function, Failure (*read)(const sdbus::Error&) = failure_of)
    -> Outcome<decltype(function())> {
  for (Retries retries;;) {
    try {
      if constexpr (std::is_void_v<decltype(function())>) {
        function();
        return {};
      } else {
        return function();
      }
    } catch (const sdbus::Error& error) {
      if (!retries.wait_after(error)) return std::unexpected(read(error));
    }
  }
}

// The error of a daemon of an earlier release, which does not have the method.
[[nodiscard]] inline bool is_unheard_of(const sdbus::Error& error) {
  return error.getName() == std::string{"org.freedesktop.DBus.Error.UnknownMethod"};
}

// A call that not everybody may make. If an administrator could allow it, one is asked at this terminal.
// `bus` is a Daemon::Bus.
template <class Bus, class Function>
[[nodiscard]] auto guarded_call(Bus& bus, Function function,
                                Failure (*read)(const sdbus::Error&) = failure_of)
    -> Outcome<decltype(function())> {
  auto outcome = call(function, read);
  if (!outcome && outcome.error().needs_person && may_ask_for_password()) {
    const PasswordAgent agent;
    const typename Bus::Patience patience{bus, kPasswordAnswer};
    bus.permit_questions(true);
    outcome = call(function, read);
    bus.permit_questions(false);
  }
  if (!outcome && outcome.error().exit == Exit::denied) {
    return std::unexpected(with_membership_hint(std::move(outcome.error()), bus.authorized_group()));
  }
  return outcome;
}

// Fetches the pages of a list until it ends or there is `enough()`, and returns whether there is more.
// `fetch` gets a cursor and returns rows, the next cursor and optionally more values; `take` gets the rows.
template <class Fetch, class Take, class Enough>
bool follow_pages(Fetch fetch, Take take, Enough enough) {
  PageWalk walk;
  std::string cursor;
  for (;;) {
    auto page = fetch(cursor);
    const std::size_t rows = std::get<0>(page).size();
    take(std::move(std::get<0>(page)));
    cursor = std::get<1>(page);
    const PageWalk::Next next = walk.after(rows, cursor);
    if (next == PageWalk::Next::endless) {
      throw dbus::make_error(dbus::error::kInternal,
                             "netperfd's list does not end: the page after this one is no new one");
    }
    if (next == PageWalk::Next::end) return false;
    if (enough()) return true;
  }
}

// What a call returns of a result: a view of a row.
template <class View>
View given(RowOf<View>&& row) {
  return std::move(row.view);
}
template <class View>
std::vector<View> given(RowsOf<View>&& rows) {
  return std::move(rows.views);
}
template <class Value>
Value given(Value&& value) {
  return std::forward<Value>(value);
}

template <class View>
void append(std::vector<View>&& page, std::vector<View>& views) {
  if (views.empty()) {
    views = std::move(page);
  } else {
    std::ranges::move(page, std::back_inserter(views));
  }
}

// All rows of a paged list.
template <class View, class Fetch>
[[nodiscard]] std::vector<View> all_pages(Fetch fetch) {
  std::vector<View> views;
  (void)follow_pages(
      fetch, [&](std::vector<View>&& page) { append(std::move(page), views); }, [] { return false; });
  return views;
}

// So many rows of it, or all, in pages of `most` rows; returns whether there are more. `fetch` also gets the
// number of rows to ask for.
template <class View, class Fetch>
[[nodiscard]] bool add_pages(std::vector<View>& views, std::optional<std::size_t> limit, std::size_t most,
                             Fetch fetch) {
  return follow_pages(
      [&](const std::string& cursor) {
        const std::size_t wanted = limit ? std::min(most, *limit - views.size()) : most;
        return fetch(cursor, static_cast<std::uint32_t>(wanted));
      },
      [&](std::vector<View>&& page) { append(std::move(page), views); },
      [&] { return limit && views.size() >= *limit; });
}

// First among the bases of Bus, so that the connection outlives the proxy made on it.
struct Connected {
  dbus::Connection connected;
  sdbus::IConnection* connection = connected.bus.get();
};

// The proxy of the daemon's one fixed object. Jobs come and go, so one match rule on the whole branch
// receives their signals. It is installed before the job exists, so that no early signal is missed.
class Daemon::Bus final
    : private Connected,
      public sdbus::ProxyInterfaces<org::netperfd1::Manager_proxy, sdbus::ObjectManager_proxy> {
 public:
  explicit Bus(dbus::Connection to)
      : Connected{std::move(to)},
        ProxyInterfaces(*connection, dbus::ServiceName{dbus::kService},
                        sdbus::ObjectPath{dbus::kManagerPath}) {
    connected.guard->set_rules({.wants = has_answer, .replace = {}, .refused = {}, .held_up = {}});
    connected.guard->set_sizes(dbus::sizes_of_service(kMostAnswer, kMostSignal));
  }
  Bus(const Bus&) = delete;
  Bus& operator=(const Bus&) = delete;
  ~Bus() {
    if (listener_ == nullptr) return;
    unregisterProxy();
    slots_.clear();
    dbus::detach(*connection);
  }

  // netperfd gives a query about many runs 60 s.
  static constexpr std::chrono::seconds kQueryAnswer{90};

  // Bytes of messages. netperfd keeps its own below 1 MiB, except for the list of all waiting jobs, of which
  // root may allow 10,000.
  static constexpr std::size_t kMostSignal = std::size_t{1} << 20U;
  static constexpr std::size_t kMostAnswer = std::size_t{32} << 20U;

  // Waits longer for the answers of calls while it exists.
  class Patience {
   public:
    explicit Patience(Bus& bus, std::chrono::microseconds time = kQueryAnswer)
        : connection_(*bus.connection), before_(connection_.getMethodCallTimeout()) {
      connection_.setMethodCallTimeout(time);
    }
    Patience(const Patience&) = delete;
    Patience& operator=(const Patience&) = delete;
    ~Patience() { connection_.setMethodCallTimeout(before_); }

   private:
    sdbus::IConnection& connection_;
    std::chrono::microseconds before_;
  };

  // Calls a method whose results have rows, which become views: RowOf<View> and RowsOf<View>.
  template <class... Results, class... Arguments>
  auto ask(const char* method, const Arguments&... arguments) {
    std::tuple<Results...> results;
    std::apply(
        [&](Results&... each) {
          getProxy()
              .callMethod(method)
              .onInterface(dbus::kManagerInterface)
              .withArguments(arguments...)
              .storeResultsTo(each...);
        },
        results);
    if constexpr (sizeof...(Results) == 1) {
      return given(std::move(std::get<0>(results)));
    } else {
      return std::apply([](Results&... each) { return std::tuple{given(std::move(each))...}; }, results);
    }
  }

  // All pages of a list.
  template <class View, class... Arguments>
  std::vector<View> list(const char* method, const Arguments&... arguments) {
    return all_pages<View>([&](const std::string& cursor) {
      return ask<RowsOf<View>, std::string>(method, arguments..., cursor, std::uint32_t{0});
    });
  }

  // Whether the daemon may have somebody asked for a password during further calls.
  void permit_questions(bool permitted) {
    sd_bus_set_allow_interactive_authorization(dbus::raw(*connection), permitted ? 1 : 0);
  }

  // Empty if the daemon does not say.
  std::string authorized_group() {
    return call([&] { return AuthorizedGroup(); }).value_or("");
  }

  void follow(Loop& loop, JobListener& listener) {
    dbus::attach(*connection, loop.raw());
    listener_ = &listener;
    registerProxy();
    slots_.push_back(dbus::match(
        *connection,
        fmt::format("type='signal',sender='{}',path_namespace='/org/netperfd1/job'", dbus::kService),
        [this](auto&& message) { told([&] { on_job_signal(message); }); }));
    slots_.push_back(dbus::match(*connection,
                                 fmt::format("type='signal',sender='org.freedesktop.DBus',interface="
                                             "'org.freedesktop.DBus',member='NameOwnerChanged',arg0='{}'",
                                             dbus::kService),
                                 [this](auto&& message) { told([&] { on_owner_changed(message); }); }));
  }

  void subscribe() {
    try {
      Subscribe();
    } catch (const sdbus::Error& error) {
      if (error.getName() != dbus::error::kBusy) throw;
      listener_->without_intervals(error.getMessage());
    }
  }

  std::map<std::uint64_t, LiveJobView>& fetch_jobs() { return read_jobs(GetManagedObjects()); }

  // The same of a daemon that is on the bus: the call does not start one.
  std::map<std::uint64_t, LiveJobView>& fetch_jobs_if_running() {
    auto question = getProxy().createMethodCall(dbus::InterfaceName{"org.freedesktop.DBus.ObjectManager"},
                                                dbus::MethodName{"GetManagedObjects"});
    dbus::start_nobody(question);
    auto answer = getProxy().callMethod(question);
    std::map<sdbus::ObjectPath, dbus::InterfaceMap> objects;
    answer >> objects;
    return read_jobs(objects);
  }

 private:
  // Runs a signal's handler. The signal's content may differ from the XML.
  template <class Function>
  void told(Function function) {
    const auto done = call(function);
    if (!done) listener_->lost(done.error());
  }

  template <class Objects>
  std::map<std::uint64_t, LiveJobView>& read_jobs(const Objects& objects) {
    jobs_.clear();
    for (const auto& [path, interfaces] : objects) add_job(interfaces);
    return jobs_;
  }

  template <class Interfaces>
  std::optional<std::uint64_t> add_job(const Interfaces& interfaces) {
    const auto job_interface = interfaces.find(typename Interfaces::key_type{dbus::kJobInterface});
    if (job_interface == interfaces.end()) return {};
    LiveJobView job;
    apply_properties(job, job_interface->second);
    jobs_[job.job] = job;
    return job.job;
  }

  template <class Message>
  void on_job_signal(Message& message) {
    const auto job = jobs_.find(dbus::job_of_path(message.getPath()));
    if (job == jobs_.end()) return;
    const std::string member = message.getMemberName();
    if (member == "PropertiesChanged") {
      std::string interface;
      dbus::Row changed;
      message >> interface >> changed;
      if (interface != dbus::kJobInterface) return;
      apply_properties(job->second, changed);
      listener_->job_changed(LiveJobView{job->second});
    } else if (member == "Interval") {
      std::uint64_t run = 0;
      RowOf<IntervalView> row;
      message >> run >> row;
      listener_->interval(job->first, run, row.view);
    } else if (member == "TraceProgress") {
      std::uint64_t run = 0;
      std::map<std::string, std::uint64_t> events;
      std::map<std::string, std::uint64_t> functions;
      TraceProgressView progress;
      message >> run >> progress.seconds >> events >> progress.lost >> functions;
      for (const auto& [name, count] : events) {
        progress.events.push_back({.event = name, .filter = {}, .count = count, .slices = {}});
      }
      std::ranges::stable_sort(progress.events, std::greater{}, &TraceEventView::count);
      for (const auto& [name, hits] : functions) progress.functions.push_back({name, hits});
      std::ranges::stable_sort(progress.functions, std::greater{}, &FunctionHitsView::hits);
      listener_->trace_progress(job->first, run, progress);
    }
  }

  template <class Message>
  void on_owner_changed(Message& message) {
    std::string name;
    std::string old_owner;
    message >> name >> old_owner;
    // Without an old owner it has just been started, perhaps by our own first call.
    if (!old_owner.empty()) listener_->lost(unreachable(Step::answer, "it has left the bus"));
  }

  void onRunEnded(const std::uint64_t& run, const std::uint64_t& job, const std::string& state,
                  const std::string& error) override {
    listener_->run_ended(job, run, state, error);
  }
  void onRunDeleted(const std::uint64_t& run, const std::uint64_t& job) override {
    listener_->run_deleted(job, run);
  }
  void onInterfacesAdded(const sdbus::ObjectPath&, const dbus::InterfaceMap& interfaces) override {
    told([&] {
      if (const auto job = add_job(interfaces)) listener_->job_added(LiveJobView{jobs_.at(*job)});
    });
  }
  void onInterfacesRemoved(const sdbus::ObjectPath& path, const std::vector<dbus::InterfaceName>&) override {
    const std::uint64_t job = dbus::job_of_path(path);
    if (jobs_.erase(job) > 0) listener_->job_removed(job);
  }

  // Only answers of the daemon bring descriptors. The bus passes no reply that was not asked for.
  static dbus::Wanted has_answer(const dbus::MessageHead& head) {
    return head.type == dbus::MessageType::reply ? dbus::Wanted::yes : dbus::Wanted::no;
  }

  JobListener* listener_ = nullptr;
  std::map<std::uint64_t, LiveJobView> jobs_;
  std::vector<sdbus::Slot> slots_;
};

}  // namespace netperfctl
