// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <boost/intrusive/list.hpp>

namespace jtimer::detail {

/// The base class of the elements of an IntrusiveList. unlink() removes an element from its list.
/// It must be called before the element is destroyed: the destructor would unlink it without the
/// lock that guards the list.
using ListHook =
    boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

/// A doubly linked list of elements that it does not own. Adding and removing allocate nothing and
/// cannot fail. It does not count its elements, as unlink() does not know the list.
template <class T>
using IntrusiveList = boost::intrusive::list<T, boost::intrusive::base_hook<ListHook>,
                                             boost::intrusive::constant_time_size<false>>;

}  // namespace jtimer::detail
