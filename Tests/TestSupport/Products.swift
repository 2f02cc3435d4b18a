import Foundation

/// Locates the programs that were built with the tests.
public enum Products {
    /// Returns the path of a built program, such as `latchd`.
    public static func path(_ name: String) throws -> String {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return (tests as NSString).deletingLastPathComponent + "/" + name
    }

    /// The folder of the package to which this file belongs.
    public static var packageFolder: String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().path
    }
}
