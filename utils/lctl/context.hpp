// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a command works with: its outputs and the way to the kernel. There is one
 * for the whole run of lctl; a test makes its own.
 */
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lctl/command.hpp"
#include "lctl/events.hpp"
#include "lctl/writer.hpp"
#include "lib/error.hpp"
#include "lib/params.hpp"
#include "lib/port.hpp"

namespace lctl {

/** The outside: replaced in tests. */
class System {
public:
    System() = default;
    System(const System&) = delete;
    System& operator=(const System&) = delete;
    virtual ~System() = default;

    /** Open /dev/libcfs; an error's text says what to do. */
    virtual ll::Result<std::unique_ptr<ll::KernelPort>> open_kernel() = 0;

    /** Join the events of the parameters tree. */
    virtual ll::Result<std::unique_ptr<EventSource>> open_events() = 0;

    /** Visit all object devices, in the order of their numbers. */
    virtual ll::Status list_devices(ll::DeviceVisitor visit) = 0;

    /** Join the events of object devices. */
    virtual ll::Result<std::unique_ptr<DeviceEventSource>> open_device_events() = 0;

    /**
     * Ask at the terminal: a line that begins with 'y' is yes.
     *
     * Return: the answer; nothing where there is no terminal to ask at
     */
    virtual std::optional<bool> confirm(std::string_view question);
};

class Printer;

class Context {
public:
    Context(System& system, Writer& to_out, Writer& to_err);
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    ~Context();

    Writer& out;
    Writer& err;

    /** Put before each error, such as "file:12: " in a batch. */
    std::string error_prefix;

    /** The device that commands are for which name none: what "device" chose, or
     * "attach" made. */
    std::optional<ll::DeviceRef> device;

    /** Of commands that do not say; lctl --json, lctl --yaml. */
    Format format = Format::Text;
    bool pretty = false;

    /** Of the running command. */
    Printer& printer() { return *printer_; }

    /** Does the running command print text? */
    bool is_text() const;

    /** The tree and the device, for commands whose table entry says Needs::Kernel. */
    ll::Params& tree() { return *params_; }
    ll::KernelPort& port() { return params_->port(); }

    /**
     * The tree, opened at the first call and kept.
     *
     * Return: never null; an error whose text says what to do otherwise.
     */
    ll::Result<ll::Params*> params();

    ll::Result<std::unique_ptr<EventSource>> events() { return system_.open_events(); }

    ll::Status list_devices(ll::DeviceVisitor visit) { return system_.list_devices(visit); }

    ll::Result<std::unique_ptr<DeviceEventSource>> device_events()
    {
        return system_.open_device_events();
    }

    /** As System::confirm(), after what is waiting in out. */
    std::optional<bool> confirm(std::string_view question);

    /** Print "error: COMMAND: TEXT" on err, after what is waiting in out. */
    void complain(std::string_view command, std::string_view text);

    /**
     * The same, and into the document that the command prints.
     *
     * Return: @code, so that a command can end with it.
     */
    int error(std::string_view command, std::string_view text, int code);
    int error(std::string_view command, const ll::Error& error)
    {
        return this->error(command, error.text, error.code);
    }

private:
    friend class Running;

    System& system_;
    std::unique_ptr<Printer> printer_;  // while a command runs
    std::unique_ptr<ll::KernelPort> port_;
    std::optional<ll::Params> params_;
};

}  // namespace lctl
