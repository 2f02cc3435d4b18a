import Foundation
import TestSupport
import Testing

/// Many files on a server, and what a program downloads of them.
struct Bulk {
    /// The bytes of each file by the name that it has at home.
    let files: [String: Data]
    private let folder: TemporaryDirectory
    private let server: FileServer

    /// Makes files of all lengths from nothing to `length` bytes, some of them pairs that belong together, and serves them.
    init(_ count: Int, pairs: Int = 0, length: Int, _ random: inout SeededRandom) async throws {
        folder = try TemporaryDirectory()
        var files: [String: Data] = [:]
        var lines: [String] = []
        try FileManager.default.createDirectory(
            atPath: folder.file("files"), withIntermediateDirectories: false)
        for number in 0..<count {
            let isStill = number < pairs * 2 && number % 2 == 0
            let isFilm = number < pairs * 2 && number % 2 == 1
            let stem = isFilm ? "IMG_\(number - 1)" : "IMG_\(number)"
            let name = stem + (isFilm ? ".MOV" : ".jpg")
            let size = number == count - 1 ? 0 : Int(random.next() % UInt64(length))
            let seed = random.next() | 1
            let bytes = Data((0..<size).map { UInt8(truncatingIfNeeded: (UInt64($0) &* seed) >> 17) })
            files[name] = bytes
            try bytes.write(to: URL(filePath: folder.file("files/\(number)")))
            let group = isStill || isFilm ? "group_livephoto" : number % 3 == 0 ? "group_video" : "group_image"
            let live = isStill ? "\(number)" : isFilm ? "\(number - 1)" : "-"
            lines.append("\(number)\t/files/\(number)\t\(name)\t\(group)\t\(live)")
        }
        try folder.write(lines.joined(separator: "\n"), to: "list")
        self.files = files
        server = try await FileServer.start(folder.path)
    }

    /// Signs in in a new folder, and puts all files in the queue there.
    func begin(in home: String) async throws {
        for arguments in try commands(in: home).dropLast() {
            let result = try await Program.run(arguments[0], Array(arguments.dropFirst()))
            try #require(result.status == 0, "\(result.output)\(result.errors)")
        }
    }

    /// The commands that sign in, put all files in the queue, and fetch them.
    func commands(in home: String) throws -> [[String]] {
        let program = [try Products.path("QueueProbe"), home]
        return [program + ["sign-in", server.address], program + ["add", folder.file("list")], program + ["run"]]
    }

    /// Starts the program that fetches.
    func start(in home: String) throws -> RunningProgram {
        try RunningProgram(
            try Products.path("QueueProbe"), [home, "run"], environment: ProcessInfo.processInfo.environment)
    }

    /// Fetches the rest, and looks whether everything is there, whole, once and with nothing beside it.
    ///
    /// - Parameters:
    ///   - home: Where.
    ///   - what: What happened before.
    ///   - command: The words that start the program, where it is not started by itself.
    /// - Throws: What running and reading throws.
    func finish(in home: String, _ what: String, through command: [String] = []) async throws {
        let arguments = command + [try Products.path("QueueProbe"), home, "run"]
        let result = try await Program.run("/usr/bin/env", arguments)
        try #require(result.status == 0, "\(what): \(result.output)\(result.errors)")
        let done = "done \(files.count) failed 0 skipped 0 open 0"
        #expect(result.output.contains(done), "\(what): \(result.output)")
        var seen: Set<String> = []
        try check(home, &seen, what)
        #expect(seen.count == files.count, "\(what): \(seen.count) files")
        #expect(try Self.names(home + "/Pictures/.latchstring").isEmpty, "\(what): parts are left")
    }

    /// Looks whether every file that is in its place is whole; those that were looked at before are left out.
    func check(_ home: String, _ seen: inout Set<String>, _ what: String) throws {
        for name in try Self.names(home + "/Pictures") where name != ".latchstring" && !seen.contains(name) {
            let bytes = try Data(contentsOf: URL(filePath: home + "/Pictures/" + name))
            #expect(files[name] == bytes, "\(what): \(name) is another file of \(bytes.count) bytes")
            seen.insert(name)
        }
    }

    private static func names(_ folder: String) throws -> [String] {
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder)
    }
}
