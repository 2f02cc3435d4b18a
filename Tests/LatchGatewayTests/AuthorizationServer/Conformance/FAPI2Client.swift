import Crypto
import FoundationEssentials
import HTTPMessages
import JOSE
import OAuth
import TestSupport

/// The client of the FAPI 2.0 modules: it pushes its requests, signs assertions and proves its key.
struct FAPI2Client: Sendable {
    let run: ConformanceRun
    let proofs: ProofMaker

    init(_ run: ConformanceRun) throws {
        self.run = run
        proofs = try ProofMaker()
    }

    /// The changes of a proof. A nil value removes a member.
    struct ProofChanges {
        var seconds = 0.0
        var header: [(String, JSONValue?)] = []
        var claims: [(String, JSONValue?)] = []
        /// The key that the proof is of. Nil for the client's own.
        var maker: ProofMaker?
    }

    private var now: Date { run.fixture.gateway.clock.now }

    /// A proof for an endpoint.
    func proof(_ endpoint: String, _ changes: ProofChanges = ProofChanges()) throws -> String {
        try (changes.maker ?? proofs).proof(
            "POST", "\(OAuthFixture.issuer)/oauth2/\(endpoint)", at: now.addingTimeInterval(changes.seconds),
            header: changes.header, claims: changes.claims)
    }

    /// Pushes a request.
    func push(
        _ changes: [(String, String?)] = [], assertion: [(String, JSONValue?)] = [], proof: String? = nil
    ) async throws -> Exchange.Response {
        let parameters = run.parameters([("client_id", run.signed.client)] + changes)
        return try await run.fixture.post(
            "par", parameters + run.signed.credentials(at: now, assertion),
            headers: proof.map { [("DPoP", $0)] } ?? [])
    }

    /// Pushes a request, signs the person in, and returns the fields of the response.
    func authorize(_ changes: [(String, String?)] = [], proof: String? = nil) async throws -> FormFields {
        let browser = run.fixture.browser
        if browser.browser.cookies["latchd_session"] == nil { _ = try await browser.signIn() }
        let address = try (try await push(changes, proof: proof).json?["request_uri"]?.string).orThrow
        return try await run.finish(
            try await run.fixture.open([("client_id", run.signed.client), ("request_uri", address)]))
    }

    /// Exchanges a code with a proof.
    func exchange(_ code: String, proof: String?) async throws -> Exchange.Response {
        try await exchange(code, proof: proof, credentials: run.signed.credentials(at: now))
    }

    /// Exchanges a code with a proof and other credentials.
    func exchange(
        _ code: String, proof: String?, credentials: [(String, String)]
    ) async throws -> Exchange.Response {
        let fields = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", OAuthFixture.webRedirect),
            ("code_verifier", run.fixture.verifier.secret.reveal()),
        ]
        return try await run.fixture.post(
            "token", fields + credentials, headers: proof.map { [("DPoP", $0)] } ?? [])
    }

    /// Refreshes with a proof.
    func refresh(_ token: String, proof: String?) async throws -> Exchange.Response {
        let fields = [("grant_type", "refresh_token"), ("refresh_token", token)]
        return try await run.fixture.post(
            "token", fields + run.signed.credentials(at: now), headers: proof.map { [("DPoP", $0)] } ?? [])
    }

    /// The whole sign-in. Each proof has the changes.
    func tokens(
        _ changes: [(String, String?)] = [], proof: ProofChanges = ProofChanges()
    ) async throws -> OAuthTokens {
        let code = try await authorize(changes, proof: try self.proof("par", proof))["code"].orThrow
        return try OAuthTokens(try await exchange(code, proof: try self.proof("token", proof)))
    }

    /// Asks for the claims of the person with a proof for the token.
    func userInfo(
        _ token: String, _ changes: ProofChanges = ProofChanges(), id: String = UUID().uuidString,
        signedBy signer: SigningKey? = nil
    ) async throws -> Int {
        let proof = try proofs.proof(
            "GET", OAuthFixture.userInfoAddress, at: now.addingTimeInterval(changes.seconds), token: token, id: id,
            header: changes.header, claims: changes.claims, signedBy: signer)
        return try await userInfo(token, fields: [("DPoP", proof)])
    }

    /// Asks for the claims of the person with other fields than a proof.
    func userInfo(_ token: String, scheme: String = "DPoP", fields: [(String, String)]) async throws -> Int {
        try await run.fixture.userInfo(fields: [("Authorization", "\(scheme) \(token)")] + fields).status
    }
}
