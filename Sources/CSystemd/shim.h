#pragma once
#include <dlfcn.h>
#include <stdbool.h>
#include <systemd/sd-bus.h>

// Loaded on first use, so that a program starts without it.
#define LATCH_BUS_FUNCTIONS(of) \
    of(sd_bus_call) of(sd_bus_close_unref) of(sd_bus_get_events) of(sd_bus_get_fd) of(sd_bus_get_unique_name) \
    of(sd_bus_is_ready) \
    of(sd_bus_message_append_basic) of(sd_bus_message_close_container) of(sd_bus_message_enter_container) \
    of(sd_bus_message_exit_container) of(sd_bus_message_get_error) of(sd_bus_message_get_path) \
    of(sd_bus_message_get_reply_cookie) of(sd_bus_message_get_type) \
    of(sd_bus_message_is_signal) of(sd_bus_message_new_method_call) \
    of(sd_bus_message_open_container) of(sd_bus_message_read_array) of(sd_bus_message_read_basic) \
    of(sd_bus_message_set_auto_start) of(sd_bus_message_skip) of(sd_bus_message_unref) of(sd_bus_new) \
    of(sd_bus_process) of(sd_bus_send) of(sd_bus_set_address) of(sd_bus_set_bus_client) of(sd_bus_start) of(sd_bus_wait)

#define LATCH_BUS_MEMBER(name) __typeof__(name) *_Nonnull name;
struct latch_bus_functions { LATCH_BUS_FUNCTIONS(LATCH_BUS_MEMBER) };
#undef LATCH_BUS_MEMBER

// Loads all functions; false if one is missing.
static inline bool latch_bus_load(void *library, struct latch_bus_functions *functions) {
#define LATCH_BUS_FIND(name) \
    functions->name = (__typeof__(name) *)dlsym(library, #name); \
    if (!functions->name) return false;
    LATCH_BUS_FUNCTIONS(LATCH_BUS_FIND)
#undef LATCH_BUS_FIND
    return true;
}
#undef LATCH_BUS_FUNCTIONS
