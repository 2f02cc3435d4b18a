import DesktopDriver
import Testing

/// Sets the PIN of the device.
struct SetPINAct: KilledAct {
    let name = "set PIN"
    private let email = "ada@example.org"

    func prepare(_ device: KilledDevice) async throws {
        try await device.folders.signIn(email, device.sandbox, "immich")
    }

    func open(_ app: DesktopApp, _ device: KilledDevice) async throws {
        try await app.wait(for: .label, email)
        try await app.activate("settings", on: device.bus)
        try await enter(app)
    }

    @Accessibility
    private func enter(_ app: DesktopApp) async throws {
        try await app.type(KilledDevice.pin, into: "New PIN (six digits or more)")
        try await app.type(KilledDevice.pin, into: "Repeat the new PIN")
    }

    func perform(_ app: DesktopApp, _: KilledDevice) async throws {
        try await app.press("Set PIN")
        try await app.wait(for: .button, "Lock now")
    }

    func check(_ device: KilledDevice, after _: [String]) async throws { try await device.checkLock() }

    func complete(_ app: DesktopApp, _ device: KilledDevice) async throws {
        try await app.wait(for: .label, email)
        try await app.activate("settings", on: device.bus)
        if try await app.wait(forOneOf: (.button, "Set PIN"), (.button, "Lock now")) == "Set PIN" {
            try await enter(app)
            try await perform(app, device)
        }
    }

    func checkEnd(_ device: KilledDevice) async throws {
        try await device.latch("lock")
        try #require(try await device.folders.latch("token").code == 80)
        try await device.latch("pin", "local", "remove", "--pin-stdin", input: KilledDevice.pin + "\n")
        // What the killed program stored for its lock is gone too.
        try #require(try device.secretCount() == 1)
    }
}

/// Unlocks the device with the PIN.
struct UnlockAct: KilledAct {
    let name = "unlock"
    private let email = "ada@example.org"

    func prepare(_ device: KilledDevice) async throws {
        try await device.folders.signIn(email, device.sandbox, "immich")
        try await device.setPIN()
    }

    // The key is in the kernel, for all copies of the folders.
    func prepareMoment(_ device: KilledDevice) async throws { try await device.latch("lock") }

    func open(_ app: DesktopApp, _: KilledDevice) async throws { try await app.type(KilledDevice.pin, into: "PIN") }

    func perform(_ app: DesktopApp, _: KilledDevice) async throws {
        try await app.press("Unlock")
        try await app.wait(for: .label, email)
    }

    func check(_ device: KilledDevice, after _: [String]) async throws {
        try await device.checkLock()
        try await device.latch("lock")
    }

    func complete(_ app: DesktopApp, _ device: KilledDevice) async throws {
        try await open(app, device)
        try await perform(app, device)
    }

    func checkEnd(_ device: KilledDevice) async throws { try await device.latch("whoami") }
}

/// Removes the PIN of the device.
struct RemovePINAct: KilledAct {
    let name = "remove PIN"
    private let email = "ada@example.org"

    func prepare(_ device: KilledDevice) async throws {
        try await device.folders.signIn(email, device.sandbox, "immich")
        try await device.setPIN()
    }

    func prepareMoment(_ device: KilledDevice) async throws {
        try await device.latch("unlock", "--pin-stdin", input: KilledDevice.pin + "\n")
    }

    func open(_ app: DesktopApp, _ device: KilledDevice) async throws {
        try await app.wait(for: .label, email)
        try await app.activate("settings", on: device.bus)
        try await app.type(KilledDevice.pin, into: "Current PIN")
    }

    func perform(_ app: DesktopApp, _: KilledDevice) async throws {
        try await app.press("Remove the lock")
        try await app.wait(for: .button, "Set PIN")
    }

    func check(_ device: KilledDevice, after _: [String]) async throws { try await device.checkLock() }

    func complete(_ app: DesktopApp, _ device: KilledDevice) async throws {
        try await app.wait(for: .label, email)
        try await app.activate("settings", on: device.bus)
        if try await app.wait(forOneOf: (.button, "Set PIN"), (.button, "Lock now")) == "Lock now" {
            try await app.type(KilledDevice.pin, into: "Current PIN")
            try await perform(app, device)
        }
    }

    func checkEnd(_ device: KilledDevice) async throws {
        let lock = try await device.folders.latch("lock")
        try #require(lock.code != 0, "\(lock.output)")
        try await device.latch("whoami")
        try #require(try device.secretCount() == 1)
    }
}

extension KilledDevice {
    fileprivate func setPIN() async throws {
        try await latch("pin", "local", "set", "--pin-stdin", input: "\(Self.pin)\n\(Self.pin)\n")
    }
}
