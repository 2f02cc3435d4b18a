import GatewayCore
import HTTPMessages
import HTTPServer

/// What a client of Immich tells about its device.
///
/// A browser or operating system in `User-Agent` takes precedence over the header fields `deviceModel` and
/// `deviceType`.
///
/// Source: IM-5; docs/protocols/immich.md, Devices.
struct ImmichDevice: Sendable, Equatable {
    /// The device.
    let device: SessionDevice
    /// The version of the official app; nil for other clients.
    let appVersion: String?

    init(_ request: ServerRequest) {
        let agent = request.headers["User-Agent"] ?? ""
        device = SessionDevice(
            name: Self.first(of: Self.browsers, in: agent) ?? request.headers["deviceModel"]
                ?? request.headers["User-Agent"],
            kind: Self.first(of: Self.systems, in: agent) ?? request.headers["deviceType"])
        appVersion = Self.appVersion(agent)
    }

    /// The `User-Agent` of a browser may contain the names of others, so the order matters.
    private static let browsers = [
        ("Edg/", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
    ]
    private static let systems = [
        ("Android", "Android"), ("iPhone", "iOS"), ("iPad", "iOS"), ("Windows NT", "Windows"), ("Mac OS X", "macOS"),
        ("Linux", "Linux"),
    ]

    /// Searches only the first 512 bytes. The field may be as long as any header field, and browsers put their name
    /// near the beginning.
    private static func first(of names: [(String, String)], in agent: String) -> String? {
        let bytes = Array(agent.utf8.prefix(512))
        return names.first { bytes.contains(Array($0.0.utf8)) }?.1
    }

    /// Reads the version from `immich-android/3.1.0`, or from `Immich_iOS_2.0.0` as older versions write it.
    private static func appVersion(_ agent: String) -> String? {
        let lowered = agent.prefix(64).lowercased()
        for system in ["android", "ios", "unknown"] {
            for prefix in ["immich-\(system)/", "immich_\(system)_"] where lowered.hasPrefix(prefix) {
                let version = lowered.utf8.dropFirst(prefix.utf8.count).prefix { byte in
                    byte == UInt8(ascii: ".") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                }
                return version.isEmpty || version.count > 20 ? nil : String(Substring(version))
            }
        }
        return nil
    }
}
