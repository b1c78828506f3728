// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/system/harness/bus_client.hpp"

#include <system_error>

#include "tests/system/harness/acting_as.hpp"

namespace netperfd::system_test {
void BusClient::require(int result, const char* what) {
  if (result < 0) throw std::system_error(-result, std::generic_category(), what);
}

BusClient::BusClient(const std::string& address, const User& user) {
  const ActingAs acting{user};
  sd_bus* bus = nullptr;
  require(sd_bus_new(&bus), "sd_bus_new");
  bus_.reset(bus);
  require(sd_bus_set_address(bus, address.c_str()), "sd_bus_set_address");
  require(sd_bus_set_bus_client(bus, 1), "sd_bus_set_bus_client");
  require(sd_bus_negotiate_fds(bus, 1), "sd_bus_negotiate_fds");
  require(sd_bus_start(bus), "sd_bus_start");
  const char* name = nullptr;
  require(sd_bus_get_unique_name(bus, &name), "sd_bus_get_unique_name");  // waits for the bus's greeting
}

Message BusClient::new_call(const char* service, const char* path, const char* interface,
                            const char* method) const {
  sd_bus_message* message = nullptr;
  require(sd_bus_message_new_method_call(bus_.get(), &message, service, path, interface, method),
          "sd_bus_message_new_method_call");
  return Message{message};
}

Reply BusClient::send(const Message& message) const {
  sd_bus_error error{};  // the value of SD_BUS_ERROR_NULL in C
  sd_bus_message* answer = nullptr;
  const int result = sd_bus_call(bus_.get(), message.get(), 0, &error, &answer);
  Reply reply{Message{answer}, {}, {}};
  if (sd_bus_error_is_set(&error) != 0) {
    reply.error_name = error.name;
    reply.error_text = error.message != nullptr ? error.message : "";
    sd_bus_error_free(&error);
  } else {
    require(result, "sd_bus_call");
  }
  return reply;
}

}  // namespace netperfd::system_test
