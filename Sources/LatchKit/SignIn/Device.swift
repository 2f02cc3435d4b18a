import FoundationEssentials

/// The machine and program that a session belongs to, as shown in the server's list of sessions.
///
/// Source: IM-5.
public struct Device: Sendable, Hashable {
    /// The machine's name.
    public var model: String
    /// The operating system, such as `Linux`.
    public var type: String
    /// The program's name.
    public let program: String
    /// The `User-Agent` of every request: `latch/0.1.0 (host; Linux)`.
    public var userAgent: String

    /// Makes a device.
    ///
    /// - Parameters:
    ///   - program: The program's name, for `User-Agent`. Nil for the name of the process.
    ///   - version: The program's version, for `User-Agent`.
    ///   - model: The machine's name. Nil for its host name. Characters that are not allowed in a header field become
    ///     hyphens.
    ///   - type: The operating system.
    public init(
        program: String? = nil, version: String = LatchClient.version,
        model: String? = nil, type: String = Device.systemName
    ) {
        self.model = Self.plain(model ?? ProcessInfo.processInfo.hostName)
        self.type = Self.plain(type)
        self.program = Self.plain(program ?? ProcessInfo.processInfo.processName)
        userAgent = "\(self.program)/\(Self.plain(version)) (\(self.model); \(self.type))"
    }

    /// The name of the current operating system.
    public static let systemName = {
        #if os(Linux)
            "Linux"
        #elseif os(macOS)
            "macOS"
        #else
            #error("Add the name of this operating system.")
        #endif
    }()

    private static func plain(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(100).map { scalar in
            scalar.value > 0x20 && scalar.value < 0x7F && !"();\\\"".unicodeScalars.contains(scalar) ? scalar : "-"
        }
        return scalars.isEmpty ? "unknown" : String(String.UnicodeScalarView(scalars))
    }
}
