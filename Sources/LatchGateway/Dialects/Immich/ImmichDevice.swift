import HTTPServer
import Wire

/// What a client of Immich tells of itself.
///
/// A browser or a system that the `User-Agent` names counts before the headers `deviceModel` and `deviceType`.
///
/// Source: IM-5; contract of Immich, b.6.
struct ImmichDevice: Sendable, Equatable {
    /// The device.
    let device: SessionDevice
    /// The version of the official app, when it is that.
    let appVersion: String?

    init(_ request: ServerRequest) {
        let agent = request.headers["User-Agent"] ?? ""
        device = SessionDevice(
            name: Self.first(of: Self.browsers, in: agent) ?? request.headers["deviceModel"]
                ?? request.headers["User-Agent"],
            kind: Self.first(of: Self.systems, in: agent) ?? request.headers["deviceType"])
        appVersion = Self.appVersion(agent)
    }

    /// A browser's names stand in the agents of others too: the order tells them apart.
    private static let browsers = [
        ("Edg/", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
    ]
    private static let systems = [
        ("Android", "Android"), ("iPhone", "iOS"), ("iPad", "iOS"), ("Windows NT", "Windows"), ("Mac OS X", "macOS"),
        ("Linux", "Linux"),
    ]

    /// An agent may be as long as a header field may be; a browser names itself early.
    private static func first(of names: [(String, String)], in agent: String) -> String? {
        let bytes = Array(agent.utf8.prefix(512))
        return names.first { bytes.contains(Array($0.0.utf8)) }?.1
    }

    /// `immich-android/3.1.0`, and `Immich_iOS_2.0.0` of older ones.
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
