// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "thread/thread_name.hpp"

#include <pthread.h>
#if defined(__FreeBSD__) || defined(__OpenBSD__) || defined(__DragonFly__)
#include <pthread_np.h>
#endif

namespace jtimer::detail {

void nameThisThread(const char* name) noexcept {
#if defined(__APPLE__)
    pthread_setname_np(name);
#elif defined(__FreeBSD__) || defined(__OpenBSD__) || defined(__DragonFly__)
    pthread_set_name_np(pthread_self(), name);
#elif defined(__NetBSD__)
    pthread_setname_np(pthread_self(), "%s", const_cast<char*>(name));
#else
    pthread_setname_np(pthread_self(), name);
#endif
}

}  // namespace jtimer::detail
