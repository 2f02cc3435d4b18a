extension Database {
    /// The location and the settings of a database.
    package struct Configuration: Sendable {
        /// The location of a database.
        package enum Location: Hashable, Sendable {
            /// A file at a path. It is created with mode 0600 when it is missing, and its folder with mode 0700.
            case file(String)
            /// Memory, for tests. One connection performs all reads and writes, one at a time. The data is lost when it
            /// is closed.
            case inMemory
        }

        /// The location of the data.
        package var location: Location
        /// The number in the file's header that identifies the program that owns the file. A file with a different
        /// number is refused.
        package var applicationID: Int32
        /// How long to wait for another program's lock before throwing ``DatabaseError/Code/locked``.
        package var busyTimeout: Duration
        /// The number of reading connections, each on its own thread. At least 1.
        package var readerCount: Int
        /// The number of reading connections for ``Database/readLong(_:)``, each on its own thread. Default: 0, which
        /// means that long reads use the other reading connections.
        package var longReaderCount = 0
        /// Whether every commit is flushed to the disk before the write returns.
        ///
        /// When false, a crash of the program loses nothing, but a power failure may lose the last commits.
        package var synchronousFull: Bool
        /// The maximum size of the page cache of each connection, in KiB. Default: 2,000.
        ///
        /// Source: SQLite, "Pragma Statements": `cache_size`.
        package var cacheSize = 2_000

        /// Creates a configuration for a file.
        ///
        /// - Parameters:
        ///   - path: The path of the file, relative to the current folder unless it begins with a slash.
        ///   - applicationID: The number that identifies the program that owns the file. Not 0.
        ///   - busyTimeout: How long to wait for another program's lock.
        ///   - readerCount: The number of reading connections, at least 1.
        ///   - synchronousFull: Whether every commit is flushed to the disk before the write returns.
        ///
        /// Source: SQLite, "Pragma Statements": `application_id`, `busy_timeout`, `synchronous`.
        package init(
            path: String, applicationID: Int32, busyTimeout: Duration = .seconds(5), readerCount: Int = 2,
            synchronousFull: Bool = true
        ) {
            self.init(
                location: .file(path), applicationID: applicationID, busyTimeout: busyTimeout,
                readerCount: readerCount, synchronousFull: synchronousFull)
        }

        /// Returns a configuration for a database in memory, for tests.
        package static func inMemory(applicationID: Int32) -> Configuration {
            Configuration(
                location: .inMemory, applicationID: applicationID, busyTimeout: .zero, readerCount: 1,
                synchronousFull: true)
        }

        private init(
            location: Location, applicationID: Int32, busyTimeout: Duration, readerCount: Int, synchronousFull: Bool
        ) {
            precondition(applicationID != 0, "a database's application ID must not be 0, the ID of every new file")
            precondition(readerCount >= 1, "a database needs at least one reader")
            self.location = location
            self.applicationID = applicationID
            self.busyTimeout = busyTimeout
            self.readerCount = readerCount
            self.synchronousFull = synchronousFull
        }

        /// The location as messages name it.
        var subject: String {
            switch location {
            case .file(let path): "'\(path)'"
            case .inMemory: "the database in memory"
            }
        }
    }
}
