// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.

// For plugin_test.sh: loads the plug-in PATH, calls its use(ROOM), unloads it, and looks whether it
// is gone. It is linked with the standard library, which would otherwise be loaded with the
// plug-in, use its instances of templates, and keep it loaded.
//
//     plugin_host PATH ROOM

#include <dlfcn.h>
#include <iostream>
#include <unistd.h>

int main(int, char** argv) {
    alarm(60);  // ends this process if dlclose() does not return
    void* const plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (plugin == nullptr) {
        std::cout << dlerror() << std::endl;
        return 2;
    }
    reinterpret_cast<void (*)(const char*)>(dlsym(plugin, "use"))(argv[2]);
    dlclose(plugin);
    const bool isLoaded = dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) != nullptr;
    std::cout << (isLoaded ? "it is still loaded" : "unloaded") << std::endl;
    return isLoaded ? 1 : 0;
}
