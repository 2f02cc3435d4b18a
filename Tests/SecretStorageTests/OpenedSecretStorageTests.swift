import Foundation
import TestSupport
import Testing

/// Which store is chosen on a real bus, with and without a keyring.
@Suite(.timeLimit(.minutes(20))) struct OpenedSecretStorageTests {
    @Test("automatic uses the keyring, and writes no file") func keyring() async throws {
        let output = try await PrivateBus.run("$PROBE open automatic $XDG_DATA_HOME; $PROBE read; \(files)")
        #expect(output.count == 2, "\(output)")
        #expect(output[0].hasPrefix("service: ") && output[0].contains("which this desktop provides"))
        #expect(output[1] == "holds one")
    }

    @Test("automatic with a locked keyring is locked, and creates no file") func locked() async throws {
        let output = try await PrivateBus.run("lock; $PROBE open automatic $XDG_DATA_HOME; \(files)")
        #expect(output.count == 1, "\(output)")
        #expect(output[0].hasPrefix("locked: ") && output[0].contains("unlock it"))
    }

    @Test("automatic creates a sealed file if there is no Secret Service, and reports that", arguments: [true, false])
    func file(hasBus: Bool) async throws {
        let output = try await PrivateBus.run(
            "$PROBE open automatic $XDG_DATA_HOME; \(files)", bus: hasBus ? .empty : .none)
        let first = try #require(output.first)
        #expect(first.hasPrefix("file: ") && first.contains("because no Secret Service is available"))
        #expect(output.dropFirst().contains("secrets.sealed") && output.dropFirst().contains("secrets.key"))
    }

    @Test(
        "if a Secret Service that was used before is gone, it is absent, and no file is used",
        arguments: [true, false])
    func missingAfterUse(hasBus: Bool) async throws {
        let output = try await PrivateBus.run(
            "$PROBE open automatic $XDG_DATA_HOME service; \(files)", bus: hasBus ? .empty : .none)
        #expect(output.count == 1, "\(output)")
        #expect(output[0].hasPrefix("absent: ") && output[0].contains("--secrets file"))
    }

    @Test("if a requested Secret Service is missing, it is absent, and no file is used", arguments: [true, false])
    func requestedServiceMissing(hasBus: Bool) async throws {
        let output = try await PrivateBus.run(
            "$PROBE open service $XDG_DATA_HOME; $PROBE open service $XDG_DATA_HOME file; \(files)",
            bus: hasBus ? .empty : .none)
        #expect(output.count == 2 && output.allSatisfy { $0.hasPrefix("absent: ") }, "\(output)")
    }

    private let files = "ls -A $XDG_DATA_HOME 2>/dev/null | grep -v ^keyrings"
}
