// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "windows/system.hpp"

#include <memory>
#include <utility>
#include <windows.h>
// After it:
#include <tlhelp32.h>

namespace test::windows {

std::string nameOfThisThread() {
    using Function = HRESULT(WINAPI*)(HANDLE, PWSTR*);
    const HMODULE kernel = GetModuleHandleW(L"kernel32.dll");
    const auto address = reinterpret_cast<void*>(GetProcAddress(kernel, "GetThreadDescription"));
    PWSTR name = nullptr;
    if (address == nullptr ||
        FAILED(reinterpret_cast<Function>(address)(GetCurrentThread(), &name))) {
        return "unknown";
    }
    std::string narrow;
    for (PWSTR at = name; *at != 0; ++at) narrow += static_cast<char>(*at);
    LocalFree(name);
    return narrow;
}

std::ptrdiff_t numberOfThreads() {
    HANDLE const all = CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0);
    THREADENTRY32 each{};
    each.dwSize = sizeof each;
    std::ptrdiff_t count = 0;
    for (BOOL is = Thread32First(all, &each); is != FALSE; is = Thread32Next(all, &each)) {
        if (each.th32OwnerProcessID == GetCurrentProcessId()) ++count;
    }
    CloseHandle(all);
    return count;
}

void atThreadEnd(std::function<void()> function) {
    using Function = std::function<void()>;
    static const DWORD place = FlsAlloc([](void* last) {
        const std::unique_ptr<Function> owned(static_cast<Function*>(last));
        (*owned)();
    });
    const std::unique_ptr<Function> before(static_cast<Function*>(FlsGetValue(place)));
    FlsSetValue(place, new Function(std::move(function)));
}

bool endsWithin(std::chrono::milliseconds span, pthread_t thread) {
    const auto length = static_cast<DWORD>(span.count());
    return WaitForSingleObject(pthread_gethandle(thread), length) == WAIT_OBJECT_0;
}

}  // namespace test::windows
