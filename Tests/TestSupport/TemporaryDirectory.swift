import Foundation

/// A folder of its own for one test, mode 0700, removed with all it holds when the value goes.
///
/// All folders of a test run lie in one, which is removed when the run ends: what a program under test writes after its
/// test has ended goes with it.
public final class TemporaryDirectory: Sendable {
    /// The folder's absolute path, without a trailing slash.
    public let path: String

    /// Makes the folder under the system's folder for temporary files.
    public init() throws {
        path = try Self.make(under: try Self.root.get())
    }

    private init(under parent: String) throws {
        path = try Self.make(under: parent)
    }

    /// Makes a folder under `/tmp`, whatever `TMPDIR` says, for the sockets of a program that names them itself: the path of
    /// one has 107 bytes at most.
    ///
    /// Source: unix(7), `sun_path`.
    public static func forSockets() throws -> TemporaryDirectory { try TemporaryDirectory(under: "/tmp") }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    private static let root: Result<String, any Error> = {
        let root = Result { try make(under: NSTemporaryDirectory()) }
        if case .success = root { atexit { TemporaryDirectory.removeRoot() } }
        return root
    }()

    private static func removeRoot() {
        if case .success(let path) = root { try? FileManager.default.removeItem(atPath: path) }
    }

    private static func make(under parent: String) throws -> String {
        var bytes = Array((parent as NSString).appendingPathComponent("latchstring-XXXXXX").utf8CString)
        guard mkdtemp(&bytes) != nil else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The path of `name` inside the folder; nothing is made.
    public func file(_ name: String) -> String {
        path + "/" + name
    }

    /// Writes `text` to the file `name` and returns its path.
    @discardableResult
    public func write(_ text: String, to name: String, mode: Int = 0o600) throws -> String {
        let path = file(name)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }
}
