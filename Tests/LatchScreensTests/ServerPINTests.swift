import LatchKit
import TestSupport
import Testing

@testable import LatchScreens

/// The PIN of the server's locked folder.
@MainActor
@Suite("Server PIN screen", .timeLimit(.minutes(5)))
struct ServerPINTests {
    @Test("IM-15 a PIN is set, changed with the PIN or the password, and removed; a wrong one is told")
    func pin() async throws {
        try await AppFixture.with { fixture in
            let app = fixture.start()
            let screen = try await fixture.signIn(app).accountScreen().pin()
            try await observed { screen.state == .editing(nil) }
            #expect(!screen.hasPIN)
            (screen.new, screen.again) = ("123456", "123457")
            screen.save()
            #expect(screen.error?.message == ServerPINScreen.Text.differ && screen.new.isEmpty)
            #expect(screen.errorField == .new)
            (screen.new, screen.again) = ("12x456", "12x456")
            screen.save()
            #expect(screen.error?.code == .invalidRequest)
            (screen.new, screen.again) = ("123456", "123456")
            screen.save()
            try await observed { screen.state == .editing(nil) && screen.hasPIN }

            (screen.new, screen.again) = ("654321", "654321")
            screen.save()
            #expect(screen.error?.message == ServerPINScreen.Text.proofNeeded && screen.errorField == .current)
            (screen.current, screen.new, screen.again) = ("000000", "654321", "654321")
            screen.save()
            #expect(screen.current.isEmpty && screen.state == .working)
            try await observed { screen.state != .working }
            #expect(screen.error?.code == .wrongPIN && screen.hasPIN)
            (screen.current, screen.new, screen.again) = ("123456", "654321", "654321")
            screen.save()
            try await observed { screen.state == .editing(nil) }
            screen.password = fixture.ada.password
            screen.remove()
            try await observed { screen.state == .editing(nil) && !screen.hasPIN }
        }
    }
}
