import Foundation

/// A folder of its own for one test, mode 0700, removed with all it holds when the value goes.
public final class TemporaryDirectory: Sendable {
    /// The folder's absolute path, without a trailing slash.
    public let path: String

    /// Makes the folder under the system's folder for temporary files.
    public init() throws {
        let template = (NSTemporaryDirectory() as NSString).appendingPathComponent("latchstring-XXXXXX")
        var bytes = Array(template.utf8CString)
        guard mkdtemp(&bytes) != nil else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        path = String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
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
