import Foundation
import TestSupport

@testable import LatchKit

/// An Immich server at its own address, with more addresses, and a person who is signed in there.
struct EndpointFixture {
    let base: ImmichFixture
    let folder: TemporaryDirectory

    init() throws {
        base = try ImmichFixture()
        folder = try TemporaryDirectory()
    }

    /// Another address of the same server.
    func mirror() throws -> ScriptedServer {
        try ScriptedServer { [immich = base.immich] in immich.response($0) }
    }

    static func address(_ server: ScriptedServer) throws -> ServerAddress {
        try ServerAddress("http://127.0.0.1:\(server.port)")
    }

    /// Returns the hosts in the log that were switched to.
    func switches(_ latch: LatchClient) -> [String] {
        latch.log.entries().filter { $0.action == .endpoint }.map { "\($0.server) \($0.outcome)" }
    }
}

extension ScriptedServer {
    var authority: String { "127.0.0.1:\(port)" }

    /// Whether a token arrived here in any field.
    var hasToken: Bool {
        requests.contains { $0.headers["Authorization"] != nil || $0.headers["x-immich-user-token"] != nil }
    }
}
