// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "thread/thread_name.hpp"

#if defined(_WIN32)
#include <array>
#include <windows.h>
#else
#include <pthread.h>
#endif
#if defined(__FreeBSD__) || defined(__OpenBSD__) || defined(__DragonFly__)
#include <pthread_np.h>
#endif

namespace jtimer::detail {

#if defined(_WIN32)
namespace {

/// SetThreadDescription(), which Windows has since 10 (1607), and older headers of MinGW have not.
void setThreadDescription(HANDLE thread, const wchar_t* name) noexcept {
    using Function = HRESULT(WINAPI*)(HANDLE, PCWSTR);
    const HMODULE kernel = GetModuleHandleW(L"kernel32.dll");
    if (kernel == nullptr) return;
    const auto address = reinterpret_cast<void*>(GetProcAddress(kernel, "SetThreadDescription"));
    if (const auto function = reinterpret_cast<Function>(address)) function(thread, name);
}

}  // namespace
#endif

void nameThisThread(const char* name) noexcept {
#if defined(_WIN32)
    std::array<wchar_t, 64> wide{};
    const int last = static_cast<int>(wide.size()) - 1;
    if (MultiByteToWideChar(CP_UTF8, 0, name, -1, wide.data(), last) == 0) return;
    setThreadDescription(GetCurrentThread(), wide.data());
#elif defined(__APPLE__)
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
