import Foundation
import TestSupport
import Testing

/// Which store is chosen on a real bus, with and without a keyring.
@Suite(.timeLimit(.minutes(20))) struct OpenedSecretStorageTests {
    @Test("automatic uses the keyring, and writes no file") func keyring() async throws {
        let said = try await PrivateBus.run("$PROBE open automatic $XDG_DATA_HOME; $PROBE read; \(files)")
        #expect(said.count == 2, "\(said)")
        #expect(said[0].hasPrefix("service: ") && said[0].contains("which this desktop provides"))
        #expect(said[1] == "holds one")
    }

    @Test("automatic with a locked keyring is locked, and creates no file") func locked() async throws {
        let said = try await PrivateBus.run("lock; $PROBE open automatic $XDG_DATA_HOME; \(files)")
        #expect(said.count == 1, "\(said)")
        #expect(said[0].hasPrefix("locked: ") && said[0].contains("unlock it"))
    }

    @Test("automatic creates a sealed file if there is no Secret Service, and reports that", arguments: [true, false])
    func file(hasBus: Bool) async throws {
        let said = try await PrivateBus.run(
            "$PROBE open automatic $XDG_DATA_HOME; \(files)", bus: hasBus ? .empty : .none)
        let first = try #require(said.first)
        #expect(first.hasPrefix("file: ") && first.contains("because no Secret Service is available"))
        #expect(said.dropFirst().contains("secrets.sealed") && said.dropFirst().contains("secrets.key"))
    }

    @Test(
        "if a Secret Service that was used before is gone, it is absent, and no file is used",
        arguments: [true, false])
    func gone(hasBus: Bool) async throws {
        let said = try await PrivateBus.run(
            "$PROBE open automatic $XDG_DATA_HOME service; \(files)", bus: hasBus ? .empty : .none)
        #expect(said.count == 1, "\(said)")
        #expect(said[0].hasPrefix("absent: ") && said[0].contains("--secrets file"))
    }

    @Test("if a requested Secret Service is missing, it is absent, and no file is used", arguments: [true, false])
    func askedFor(hasBus: Bool) async throws {
        let said = try await PrivateBus.run(
            "$PROBE open service $XDG_DATA_HOME; $PROBE open service $XDG_DATA_HOME file; \(files)",
            bus: hasBus ? .empty : .none)
        #expect(said.count == 2 && said.allSatisfy { $0.hasPrefix("absent: ") }, "\(said)")
    }

    private let files = "ls -A $XDG_DATA_HOME 2>/dev/null | grep -v ^keyrings"
}
