package import Foundation

/// Counts the changes of files in a folder as they happen, and runs a closure at one of them.
package enum FileChanges {
    /// Runs a closure once, directly after the change with a number. The first change has the number 1.
    ///
    /// - Parameters:
    ///   - count: The number of the change.
    ///   - folder: The folder. Files in folders inside of it are not counted.
    ///   - run: The closure. It runs on a thread of its own.
    /// - Throws: ``DriverError`` when the folder cannot be watched.
    package static func at(_ count: Int, in folder: URL, _ run: @escaping @Sendable () -> Void) throws {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC))
        let kinds = UInt32(IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_TO)
        guard descriptor >= 0, inotify_add_watch(descriptor, folder.path, kinds) >= 0 else {
            throw DriverError("\(folder.path) cannot be watched.")
        }
        Thread.detachNewThread {
            defer { close(descriptor) }
            var (seen, buffer) = (0, [UInt8](repeating: 0, count: 65_536))
            while seen < count {
                // The end of the folder is also an event.
                let size = read(descriptor, &buffer, buffer.count)
                guard size > 0 else { return }
                var offset = 0
                while offset < size {
                    let (mask, length) = buffer.withUnsafeBytes {
                        (
                            $0.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self),
                            $0.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self)
                        )
                    }
                    if mask & UInt32(IN_IGNORED) != 0 { return }
                    seen += 1
                    offset += 16 + Int(length)
                }
            }
            run()
        }
    }
}
