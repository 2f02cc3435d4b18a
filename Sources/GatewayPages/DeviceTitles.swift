import GatewayCore

/// Writes the title of a device on a page, in a few words. Many devices send only the name of an HTTP library.
struct DeviceTitles {
    /// The titles of the dialects' apps, by the beginnings of the names that they send, in lower case.
    let apps: [String: String]

    /// The same for libraries and programs of no dialect.
    private static let programs = [
        ("okhttp", "An app on Android"), ("dart", "An app"),
        ("cfnetwork", "An app on iOS"),
        ("python-requests", "A Python program"), ("python-httpx", "A Python program"), ("python/", "A Python program"),
        ("go-http-client", "A Go program"), ("node", "A Node.js program"), ("java/", "A Java program"),
    ]
    /// Device kinds that are operating systems.
    private static let systems = [
        "Android", "iOS", "iPadOS", "Windows", "macOS", "Linux", "ChromeOS", "iPhone", "iPad",
    ]

    /// Returns the title of a device, such as `Immich on Android`, `Firefox on Linux` or `Ada's phone (iPhone)`.
    func title(of device: SessionDevice) -> String {
        // The name of a client is shown as the operator wrote it.
        if device.kind == SessionDevice.clientKind, let name = device.name { return "\(name) (app)" }
        let name = device.name.map(program)
        guard let kind = device.kind, kind != "Browser", name?.contains(kind) != true else {
            return name ?? (device.kind == "Browser" ? "A browser" : "Unknown device")
        }
        guard let name else { return Self.systems.contains(kind) ? "A device with \(kind)" : kind }
        let isBrowser = ["Chrome", "Firefox", "Safari", "Edge", "Opera", "latch"].contains(name)
        return isBrowser && Self.systems.contains(kind) ? "\(name) on \(kind)" : "\(name) (\(kind))"
    }

    /// Returns the title of a known program, or a name such as `curl/8.5.0` without its version. Returns any other name
    /// unchanged.
    private func program(_ name: String) -> String {
        let lowered = name.lowercased()
        // The longest beginning is the most precise one.
        let fitting = apps.filter { lowered.hasPrefix($0.key) }
        if let app = fitting.max(by: { $0.key.utf8.count < $1.key.utf8.count }) { return app.value }
        if let known = Self.programs.first(where: { lowered.hasPrefix($0.0) }) { return known.1 }
        guard let slash = name.firstIndex(of: "/"), slash != name.startIndex, !name[..<slash].contains(" "),
            name[slash...].dropFirst().first?.isNumber == true
        else { return name }
        return String(name[..<slash])
    }
}
