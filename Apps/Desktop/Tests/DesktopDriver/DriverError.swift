/// Why the window could not be driven, with the visible part of its accessible tree.
package struct DriverError: Error, CustomStringConvertible {
    package let description: String

    init(_ message: String) { description = message }
}
