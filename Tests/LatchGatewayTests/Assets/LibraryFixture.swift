import Foundation
import TestSupport

@testable import GatewayConfiguration
@testable import GatewayHTTP
@testable import LatchGateway
@testable import PictureLibrary

/// A picture library of a test's own, with its database in memory.
struct LibraryFixture {
    let folder: TemporaryDirectory
    let stores: GatewayStores
    let library: AssetLibrary

    static func library(_ path: String, _ stores: GatewayStores) -> AssetLibrary {
        AssetLibrary(path: path, database: stores.database, log: stores.log, now: stores.now)
    }

    static func with(_ body: (LibraryFixture) async throws -> Void) async throws {
        let folder = try TemporaryDirectory()
        var settings = GatewaySettings(databasePath: nil)
        settings.database = try await TestDatabase.temporary(for: folder)
        let stores = try await GatewayStores.open(settings, logWriter: Lines().writer)
        try await attempt {
            try await body(LibraryFixture(folder: folder, stores: stores, library: library(folder.path, stores)))
        } finally: {
            await stores.close()
        }
    }

    static func owners(_ email: String) -> AssetOwners { AssetOwners(email: email, id: UUID()) }

    static func day(_ number: Int) -> Date { Date(timeIntervalSince1970: 1_700_000_000 + Double(number) * 86_400) }

    func path(_ name: String) -> String { folder.path + "/" + name }

    /// Writes a file, with its folders; `day` is when it was last changed.
    func put(_ text: String, at name: String, day: Int? = nil) throws {
        let url = URL(fileURLWithPath: path(name))
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
        if let day {
            try FileManager.default.setAttributes([.modificationDate: Self.day(day)], ofItemAtPath: url.path)
        }
    }

    func move(_ name: String, to other: String) throws {
        try FileManager.default.moveItem(atPath: path(name), toPath: path(other))
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: path(name))
    }

    func list(_ email: String) async throws -> [Asset] {
        try await library.store.search(AssetQuery(count: 1_000), for: Self.owners(email)).assets
    }

    func hidden(_ email: String) async throws -> [Asset] {
        try await library.store.search(AssetQuery(visibility: .hidden), for: Self.owners(email)).assets
    }

    /// Ada's ids by name.
    func ids() async throws -> [String: UUID] {
        Dictionary(try await list("ada@example.org").map { ($0.name, $0.id) }) { first, _ in first }
    }
}

extension AssetStore {
    /// The files with these ids that a person may see.
    func find(_ ids: [UUID], for owners: AssetOwners, isElevated: Bool) async throws -> [Asset] {
        try await find(ids, for: owners, isElevated: isElevated) { $0 }
    }

    /// One page of the files that match a query, and whether there is another page.
    func search(_ query: AssetQuery, for owners: AssetOwners) async throws -> (assets: [Asset], hasMore: Bool) {
        try await search(query, for: owners) { ($0, $1) }
    }
}

extension [UInt8] {
    init(hexadecimal: String) {
        let digits = hexadecimal.compactMap(\.hexDigitValue)
        self = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}

extension Date {
    /// As the database keeps it.
    var wholeMilliseconds: Date { Date(timeIntervalSince1970: (timeIntervalSince1970 * 1_000).rounded() / 1_000) }
}
