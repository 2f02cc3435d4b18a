import Crypto
import Foundation
import OpenIDConnect
import ScriptedProvider
import TestSupport

@testable import GatewayConfiguration
@testable import GatewayCore
@testable import LatchGateway

extension GatewayFixture {
    /// Runs `body` with a gateway where one person is known, and a provider that follows one case's script; ends both.
    static func with(
        _ row: ProviderCase, _ change: (inout GatewaySettings) -> Void = { _ in },
        _ body: (GatewayFixture, ScriptedProvider) async throws -> Void
    ) async throws {
        let clock = TestClock()
        let provider = try await ScriptedProvider.start(row.script, at: clock.now.timeIntervalSince1970)
        var settings = ProviderSettings(
            issuer: provider.issuer, clientID: ScriptedProvider.clientID,
            authentication: .basic(Secret(ScriptedProvider.clientSecret)),
            timeout: SuccessTimeout.duration)
        if row.isPosted { settings.responseMode = .formPost }
        let configuration = ProviderConfiguration(
            id: "google", title: "Sign in", settings: settings, linksByEmail: true, allowsRegistration: true)
        try await attempt {
            try await GatewayFixture.with(
                {
                    $0.providers = [configuration]
                    change(&$0)
                }, clock: clock
            ) { fixture in
                try await fixture.addPerson(ScriptedProvider.email)
                try await body(fixture, provider)
            }
        } finally: {
            await provider.stop()
        }
    }
}
