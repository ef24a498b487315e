// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <boost/intrusive/list.hpp>

namespace jtimer::detail {

/// What an element of an IntrusiveList derives from. It leaves its list by unlink(), and must
/// before it is destroyed: the destructor would unlink it without the lock that guards the list.
using ListHook =
    boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

/// A doubly linked list of elements that it does not own. Adding and removing allocate nothing and
/// cannot fail. It does not count its elements: unlink() knows no list.
template <class T>
using IntrusiveList = boost::intrusive::list<T, boost::intrusive::base_hook<ListHook>,
                                             boost::intrusive::constant_time_size<false>>;

}  // namespace jtimer::detail
