import Foundation
import Synchronization

/// A folder for one test with mode 0700. It is removed with its contents when the value is destroyed.
///
/// All folders of a test run are in one folder, which is removed when the run ends. This also removes files that a
/// program writes after its test has ended.
public final class TemporaryDirectory: Sendable {
    /// The absolute path of the folder, without a trailing slash.
    public let path: String
    private let removalAction = Mutex<(@Sendable () -> Void)?>(nil)

    /// Creates the folder in the system's folder for temporary files.
    public init() throws {
        path = try Self.make(under: try Self.root.get())
    }

    private init(under parent: String) throws {
        path = try Self.make(under: parent)
    }

    /// Creates a folder with a short path, for programs that choose the names of their sockets: in `/tmp` if the path of
    /// `TMPDIR` is long. The path of a socket is limited to 107 bytes.
    ///
    /// Source: unix(7), `sun_path`.
    public static func forSockets() throws -> TemporaryDirectory {
        let parent = NSTemporaryDirectory()
        return try TemporaryDirectory(under: parent.utf8.count <= 32 ? parent : "/tmp")
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
        removalAction.withLock { $0 }?()
    }

    /// Sets what is done after the folder was removed, such as the removal of a database that belongs to it.
    public func afterRemoval(_ action: @escaping @Sendable () -> Void) {
        removalAction.withLock { $0 = action }
    }

    private static let root: Result<String, any Error> = {
        let root = Result { try make(under: NSTemporaryDirectory()) }
        if case .success = root { atexit { TemporaryDirectory.removeRoot() } }
        return root
    }()

    private static func removeRoot() {
        if case .success(let path) = root { removeAtExit(path) }
    }

    /// Removes a folder at the end of the process. Other threads still run then, and one may create a file while the
    /// folder is being removed. So this is repeated until the folder is gone, for at most ten seconds.
    public static func removeAtExit(_ path: String) {
        for _ in 0..<2_000 {
            try? FileManager.default.removeItem(atPath: path)
            guard FileManager.default.fileExists(atPath: path) else { return }
            usleep(5_000)
        }
    }

    private static func make(under parent: String) throws -> String {
        var bytes = Array((parent as NSString).appendingPathComponent("latchstring-XXXXXX").utf8CString)
        guard mkdtemp(&bytes) != nil else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Returns the path of `name` in the folder, without creating it.
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
