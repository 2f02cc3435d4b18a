import Foundation
import TestSupport
import Testing

/// Which store is chosen on a real bus, with and without a keyring.
@Suite(.timeLimit(.minutes(20))) struct OpenedSecretStorageTests {
    @Test("automatic takes the keyring, and writes no file") func keyring() async throws {
        let said = try await PrivateBus.run("$PROBE open automatic $XDG_DATA_HOME; $PROBE read; \(files)")
        #expect(said.count == 2, "\(said)")
        #expect(said[0].hasPrefix("service: ") && said[0].contains("which this desktop provides"))
        #expect(said[1] == "holds one")
    }

    @Test("automatic with a locked keyring is locked, and makes no file") func locked() async throws {
        let said = try await PrivateBus.run("lock; $PROBE open automatic $XDG_DATA_HOME; \(files)")
        #expect(said.count == 1, "\(said)")
        #expect(said[0].hasPrefix("locked: ") && said[0].contains("unlock it"))
    }

    @Test("automatic makes a sealed file where no Secret Service answers, and says so", arguments: [true, false])
    func file(hasBus: Bool) async throws {
        let said = try await PrivateBus.run(
            "$PROBE open automatic $XDG_DATA_HOME; \(files)", bus: hasBus ? .empty : .none)
        let first = try #require(said.first)
        #expect(first.hasPrefix("file: ") && first.contains("because no Secret Service is available"))
        #expect(said.dropFirst().contains("secrets.sealed") && said.dropFirst().contains("secrets.key"))
    }

    @Test("a Secret Service that was used before and is gone is absent, never the file", arguments: [true, false])
    func gone(hasBus: Bool) async throws {
        let said = try await PrivateBus.run(
            "$PROBE open automatic $XDG_DATA_HOME service; \(files)", bus: hasBus ? .empty : .none)
        #expect(said.count == 1, "\(said)")
        #expect(said[0].hasPrefix("absent: ") && said[0].contains("--secrets file"))
    }

    @Test("a Secret Service that was asked for and is not there is absent, never the file", arguments: [true, false])
    func askedFor(hasBus: Bool) async throws {
        let said = try await PrivateBus.run(
            "$PROBE open service $XDG_DATA_HOME; $PROBE open service $XDG_DATA_HOME file; \(files)",
            bus: hasBus ? .empty : .none)
        #expect(said.count == 2 && said.allSatisfy { $0.hasPrefix("absent: ") }, "\(said)")
    }

    private let files = "ls -A $XDG_DATA_HOME 2>/dev/null | grep -v ^keyrings"
}
