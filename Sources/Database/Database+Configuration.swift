extension Database {
    /// Where a database is and how it is used.
    public struct Configuration: Sendable {
        /// Where the data is.
        public enum Location: Hashable, Sendable {
            /// A file, made with mode 0600 when it is missing; its folder is made with mode 0700 when that is missing.
            case file(String)
            /// Memory, for tests: one connection that reads and writes by turns, gone when closed.
            case inMemory
        }

        /// Where the data is.
        public var location: Location
        /// The number in the file's header that says whose it is; a file with another one is refused.
        public var applicationID: Int32
        /// How long to wait for another program's lock before ``DatabaseError/Code/locked``.
        public var busyTimeout: Duration
        /// Connections that read, each on a thread of its own; 1 or more.
        public var readerCount: Int
        /// Whether every commit is flushed to the disk before it is answered.
        ///
        /// Without, a crash of the program loses nothing, a loss of power the last commits.
        public var synchronousFull: Bool
        /// Whether what is deleted is overwritten at once.
        ///
        /// Source: SQLite, "Pragma Statements": `secure_delete`.
        public var overwritesDeleted = false
        /// How much of the file each connection may keep in memory, in KiB.
        ///
        /// Source: SQLite, "Pragma Statements": `cache_size`.
        public var cacheSize = 2_000

        /// Makes a configuration for a file.
        ///
        /// - Parameters:
        ///   - path: The file; relative to the current folder unless it begins with a slash.
        ///   - applicationID: The number that says whose file it is; not 0.
        ///   - busyTimeout: How long to wait for another program's lock.
        ///   - readerCount: Connections that read, 1 or more.
        ///   - synchronousFull: Whether every commit is flushed to the disk before it is answered.
        ///
        /// Source: SQLite, "Pragma Statements": `application_id`, `busy_timeout`, `synchronous`.
        public init(
            path: String, applicationID: Int32, busyTimeout: Duration = .seconds(5), readerCount: Int = 2,
            synchronousFull: Bool = true
        ) {
            self.init(.file(path), applicationID, busyTimeout, readerCount, synchronousFull)
        }

        /// A database in memory, for tests.
        public static func inMemory(applicationID: Int32) -> Configuration {
            Configuration(.inMemory, applicationID, .zero, 1, true)
        }

        private init(
            _ location: Location, _ applicationID: Int32, _ busyTimeout: Duration, _ readerCount: Int,
            _ synchronousFull: Bool
        ) {
            precondition(applicationID != 0, "a database's application id is not 0, which every new file has")
            precondition(readerCount >= 1, "a database needs one reader or more")
            self.location = location
            self.applicationID = applicationID
            self.busyTimeout = busyTimeout
            self.readerCount = readerCount
            self.synchronousFull = synchronousFull
        }

        /// The place as messages name it.
        var subject: String {
            switch location {
            case .file(let path): "'\(path)'"
            case .inMemory: "the database in memory"
            }
        }
    }
}
