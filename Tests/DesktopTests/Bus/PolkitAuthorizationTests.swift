import TestSupport
import Testing

@testable import Desktop

/// The system's authentication, over a real bus with a simulated polkit.
@Suite(.timeLimit(.minutes(20))) struct PolkitAuthorizationTests {
    private static let action = "org.latchstring.unlock"

    @Test("IM-15 polkit is asked for the connection's own name and with interaction, and allows")
    func allowed() async throws {
        let desktop = try await MockDesktop(.polkit)
        try await desktop.setPolkit(.allows)
        try await authorization(desktop).request()
        let call = try await desktop.call(.polkit) { $0.contains("CheckAuthorization") }
        #expect(call.contains("system-bus-name") && call.contains("':1.") && call.contains(Self.action))
        #expect(call.contains("1 \"latchstring\""))
    }

    @Test(
        "IM-15 each answer of polkit other than a permission is its own error",
        arguments: [
            (MockDesktop.PolkitAnswer.denies, DesktopError.Code.authenticationDenied, "did not accept"),
            (.isDismissed, .authenticationUnanswered, "was dismissed"),
            (.hasNoAgent, .authenticationUnavailable, "no program asks for it"),
            (.lacksPolicy, .authenticationUnavailable, "Install its policy file 'org.latchstring.unlock.policy'"),
            (.fails, .authenticationUnavailable, "polkit reported 'No session for cookie'. See the log of polkit."),
        ])
    func refused(answer: MockDesktop.PolkitAnswer, code: DesktopError.Code, text: String) async throws {
        let desktop = try await MockDesktop(.polkit)
        try await desktop.setPolkit(answer)
        let error = await #expect(throws: DesktopError.self) { try await authorization(desktop).request() }
        #expect(error?.code == code && error?.message.contains(text) == true)
    }

    @Test("IM-15 without polkit, and without a system bus, the error names what to install")
    func missing() async throws {
        let desktop = try await MockDesktop()
        for environment in [desktop.environment, ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere"]] {
            let error = await #expect(throws: DesktopError.self) {
                try await PolkitAuthorization(environment, action: Self.action, usesTerminal: false).request()
            }
            #expect(error?.code == .authenticationUnavailable && error?.message.contains("polkit") == true)
        }
    }

    @Test("IM-15 a cancelled task stops the wait, and polkit closes the question")
    func cancelled() async throws {
        let desktop = try await MockDesktop(.polkit)
        try await desktop.setPolkit(.hangs)
        let task = Task { try await authorization(desktop).request() }
        try await desktop.waitForHangingAuthorization()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.cancellableValue }
        try await desktop.call(.polkit) { $0.contains("CancelCheckAuthorization \"latchstring\"") }
    }

    @Test("IM-15 a polkit that does not answer is given up after the timeout, and told so")
    func hanging() async throws {
        let desktop = try await MockDesktop(.polkit)
        try await desktop.setPolkit(.hangs)
        let error = await #expect(throws: DesktopError.self) {
            try await authorization(desktop, timeout: .milliseconds(200)).request()
        }
        #expect(error?.code == .authenticationUnanswered)
        try await desktop.call(.polkit) { $0.contains("CancelCheckAuthorization \"latchstring\"") }
    }

    @Test("IM-15 a polkit that ends while it asks is an error at once")
    func killed() async throws {
        let desktop = try await MockDesktop(.polkit)
        try await desktop.setPolkit(.hangs)
        let task = Task { try await authorization(desktop).request() }
        try await desktop.waitForHangingAuthorization()
        await desktop.kill(.polkit)
        let error = await #expect(throws: DesktopError.self) { try await task.cancellableValue }
        #expect(error?.code == .authenticationUnavailable)
    }

    private func authorization(
        _ desktop: MockDesktop, timeout: Duration = .seconds(300)
    ) -> PolkitAuthorization {
        PolkitAuthorization(desktop.environment, action: Self.action, usesTerminal: false, timeout: timeout)
    }
}
