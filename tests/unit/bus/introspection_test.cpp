// SPDX-License-Identifier: GPL-2.0-or-later
// The introspection data of the live objects matches dbus/*.xml, so a client built from the XML works.
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "tests/unit/bus/bus_test.hpp"

namespace netperfd::bus {
namespace {

constexpr const char* kIntrospectable = "org.freedesktop.DBus.Introspectable";

// Parses just enough XML for introspection data, which has neither text nor CDATA.
class Normalised {
 public:
  // One line for each method, argument, signal, property and annotation of `interface`.
  static std::set<std::string> lines(std::string xml, const std::string& interface) {
    Normalised made;
    for (std::size_t begin = 0; (begin = xml.find("<!--", begin)) != std::string::npos;) {
      xml.erase(begin, xml.find("-->", begin) + 3 - begin);
    }
    for (std::size_t end = 0, begin = 0; (begin = xml.find('<', end)) != std::string::npos;) {
      end = xml.find('>', begin);
      made.take_tag(xml.substr(begin + 1, end - begin - 1));
    }
    std::set<std::string> wanted;
    for (const std::string& line : made.lines_) {
      if (line.starts_with(interface + "/")) wanted.insert(line);
    }
    return wanted;
  }

 private:
  // Handles the text between < and >.
  void take_tag(const std::string& tag) {
    if (tag.front() == '!' || tag.front() == '?') return;
    if (tag.front() == '/') return path_.pop_back();
    open(tag.substr(0, tag.find_first_of(" /\n")), attributes(tag));
    if (tag.back() == '/') path_.pop_back();
  }

  static std::map<std::string, std::string> attributes(const std::string& tag) {
    std::map<std::string, std::string> found;
    for (std::size_t equals = 0, end = 0; (equals = tag.find("=\"", end)) != std::string::npos; ++end) {
      const std::size_t name = tag.find_last_of(" \n", equals) + 1;
      end = tag.find('"', equals + 2);
      found[tag.substr(name, equals - name)] = tag.substr(equals + 2, end - equals - 2);
    }
    return found;
  }

  void open(const std::string& kind, std::map<std::string, std::string> attributes) {
    if (kind == "node") {
      path_.emplace_back();
      arguments_ = 0;
      return;
    }
    std::string step = attributes["name"];
    if (kind != "interface") step = kind + " " + step;
    if (kind == "arg") {
      step += " #" + std::to_string(++arguments_);  // the order of arguments matters
    } else if (kind != "annotation") {
      arguments_ = 0;
    }
    std::string parent;
    for (const std::string& each : path_) parent += each.empty() ? "" : each + "/";
    path_.push_back(step);
    attributes.erase("name");
    std::string line = parent + step;
    for (const auto& [name, value] : attributes) line.append(" ").append(name).append("=").append(value);
    lines_.insert(line);
  }

  std::vector<std::string> path_;
  int arguments_ = 0;
  std::set<std::string> lines_;
};

std::string read(const std::string& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

std::string difference(const std::set<std::string>& from, const std::set<std::string>& to) {
  std::ostringstream text;
  for (const std::string& line : from) {
    if (!to.contains(line)) text << line << "\n";
  }
  return text.str();
}

class Introspection : public BusTest {
 protected:
  void expect_as_documented(const std::string& path, const std::string& interface) {
    Client client{*loop};
    const auto live = client.call_on<std::string>(path, kIntrospectable, "Introspect");
    ASSERT_EQ(live.error, "") << live.text;
    const auto shown = Normalised::lines(std::get<0>(live.values), interface);
    const auto documented =
        Normalised::lines(read(NETPERFD_TEST_DATA "/../../dbus/" + interface + ".xml"), interface);
    EXPECT_GT(documented.size(), 20U);
    EXPECT_EQ(difference(documented, shown), "") << "only in the XML";
    EXPECT_EQ(difference(shown, documented), "") << "only on the bus";
  }
};

TEST_F(Introspection, the_manager_is_what_its_xml_says) {
  expect_as_documented(dbus::kManagerPath, dbus::kManagerInterface);
}

TEST_F(Introspection, a_job_is_what_its_xml_says) {
  ASSERT_TRUE(scheduler->submit(core::a_job(), 0));
  expect_as_documented(dbus::job_path(1), dbus::kJobInterface);
}

TEST(Normalised, a_changed_argument_type_order_access_or_annotation_is_a_difference) {
  const std::string before =
      R"(<node><interface name="a.B"><method name="M"><arg name="x" type="s" direction="in"/>
    <arg name="y" type="u" direction="in"/></method><property name="P" type="s" access="read">
    <annotation name="E" value="const"/></property></interface></node>)";
  const auto lines = Normalised::lines(before, "a.B");
  EXPECT_EQ(lines.size(), 5U);
  for (const auto& [from, to] : std::map<std::string, std::string>{{"type=\"s\" d", "type=\"t\" d"},
                                                                   {"name=\"x\"", "name=\"z\""},
                                                                   {"\"read\"", "\"readwrite\""},
                                                                   {"\"const\"", "\"false\""},
                                                                   {"name=\"M\"", "name=\"N\""}}) {
    std::string after = before;
    after.replace(after.find(from), from.size(), to);
    EXPECT_NE(Normalised::lines(after, "a.B"), lines) << to;
  }
}

}  // namespace
}  // namespace netperfd::bus
