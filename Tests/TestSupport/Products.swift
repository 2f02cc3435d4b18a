import Foundation

/// The programs that were built beside the tests.
public enum Products {
    /// The path of a built program, such as `latchd`.
    public static func path(_ name: String) throws -> String {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return (tests as NSString).deletingLastPathComponent + "/" + name
    }

    /// The folder of the package that this file belongs to.
    public static var packageFolder: String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path
    }
}
