/// Calls of the C library that differ between the systems, so that their callers need no `#if`.
package enum PlatformCalls {
    #if os(Linux)
        /// What a thread runs.
        package typealias ThreadBody = @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?

        /// Creates a thread, which calls `body` with `argument`.
        ///
        /// - Returns: The thread, or nil and an error number.
        ///
        /// Source: `pthread_create(3)`.
        package static func createThread(
            _ body: ThreadBody, argument: UnsafeMutableRawPointer
        ) -> (thread: pthread_t?, error: Int32) {
            var thread = pthread_t()
            let error = unsafe pthread_create(&thread, nil, body, argument)
            return (error == 0 ? thread : nil, error)
        }

        /// The identifier of the calling thread, unique among running threads.
        package static var threadNumber: UInt { UInt(pthread_self()) }

        /// Sets the nice value of the calling thread.
        ///
        /// Source: `setpriority(2)`, notes on Linux threads.
        package static func setThreadNiceness(_ niceness: Int32) {
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
        }

        /// Creates an empty file without opening it. Closing any descriptor of a file releases all locks that this
        /// process has on it, including those of another connection.
        ///
        /// - Returns: 0, or -1 with `errno`.
        ///
        /// Source: `fcntl(2)`, advisory record locking; `mknod(2)`.
        package static func createFile(_ path: String, mode: mode_t) -> Int32 {
            unsafe mknod(path, S_IFREG | mode, 0)
        }
    #elseif canImport(Darwin)
        // Untested: nothing in this branch has been compiled.

        package typealias ThreadBody = @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?

        package static func createThread(
            _ body: ThreadBody, argument: UnsafeMutableRawPointer
        ) -> (thread: pthread_t?, error: Int32) {
            var thread: pthread_t?
            let error = unsafe pthread_create(&thread, nil, body, argument)
            return unsafe (error == 0 ? thread : nil, error)
        }

        package static var threadNumber: UInt { unsafe UInt(bitPattern: pthread_self()) }

        /// Does nothing: the nice value belongs to the process.
        package static func setThreadNiceness(_ niceness: Int32) {}

        /// Opens and closes the file, because `mknod(2)` requires the superuser. A lock that this process takes through
        /// another descriptor between the two calls is lost.
        package static func createFile(_ path: String, mode: mode_t) -> Int32 {
            let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode)
            return descriptor < 0 ? -1 : close(descriptor)
        }
    #else
        #error("PlatformCalls does not know this system")
    #endif
}
