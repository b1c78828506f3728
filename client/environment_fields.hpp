// The keys of a fact of the environment: a part of client/fields.hpp, which says what each_field() is.
#pragma once

#include "client/environment_views.hpp"
#include "client/row_of.hpp"

namespace netperfctl {

template <RowOf<FactView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("group", row.group);
  visit("key", row.key);
  visit("value", row.value);
}

}  // namespace netperfctl
