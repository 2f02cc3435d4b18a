import Foundation

/// The moment at which a program is killed: before the n-th change that it makes.
///
/// A change is a call that writes, flushes, names or removes a file below the person's folders, except logs and caches, a request that may change
/// something on a server, and the arrival of its response. The library `KillPoints` counts them in the program itself, so the
/// moment does not depend on time.
package final class KillPoint: Sendable {
    private let control: URL
    private let trace: URL
    /// The limit and the count, which the library maps too. Each is one aligned word, so
    /// neither side sees half of a change.
    private nonisolated(unsafe) let numbers: UnsafeMutablePointer<Int32>
    private let folder: URL

    /// Makes a moment that is not set yet.
    ///
    /// - Parameter folders: The folders of the person.
    /// - Throws: ``DriverError`` when the file cannot be mapped.
    package init(_ folders: PersonFolders) throws {
        folder = folders.root
        control = folder.appending(path: "kill-point")
        trace = folder.appending(path: "kill-point.log")
        try Data(count: 8).write(to: control)
        let file = open(control.path, O_RDWR | O_CLOEXEC)
        defer { close(file) }
        guard let memory = mmap(nil, 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), memory != MAP_FAILED else {
            throw DriverError("\(control.path) cannot be mapped.")
        }
        numbers = memory.bindMemory(to: Int32.self, capacity: 2)
    }

    deinit { munmap(numbers, 8) }

    /// The environment of the program.
    package var environment: [String: String] {
        [
            "LD_PRELOAD": Programs.killPoints, "KILL_POINTS_CONTROL": control.path, "KILL_POINTS_TRACE": trace.path,
            "KILL_POINTS_FOLDER": folder.path,
        ]
    }

    /// Counts from now on, and kills the program before the change with a number. The first change has the number 1.
    package func set(_ number: Int) { numbers[0] = Int32(number) }

    /// Counts from now on, and kills nothing.
    package func countOnly() { numbers[0] = .max }

    /// Whether the program came to the moment.
    package var isReached: Bool { numbers[0] > 0 && numbers[1] >= numbers[0] }

    /// The changes so far, such as `rename data/latchstring/secrets.sealed`.
    package var changes: [String] {
        ((try? String(contentsOf: trace, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }
}
