import CProcess

extension DownloadPart {
    /// Puts a text on the file, which goes with it wherever it is moved; left out where the file system keeps no such things.
    ///
    /// Source: xattr(7), the namespace `user`.
    public func setAttribute(_ name: String, _ value: String) {
        guard let file else { return }
        var value = value
        _ = value.withUTF8 { latch_set_attribute(file, name, $0.baseAddress, $0.count) }
    }

    /// A text that was put on a file; nil when there is none, or it is longer than `maximum` bytes.
    public static func attribute(_ name: String, of path: String, maximum: Int = 256) -> String? {
        var value = [UInt8](repeating: 0, count: maximum)
        let count = latch_attribute(path, name, &value, maximum)
        return count > 0 ? String(validating: value[..<count], as: UTF8.self) : nil
    }
}
