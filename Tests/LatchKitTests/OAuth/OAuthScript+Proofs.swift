import Crypto
import Foundation
import HTTPMessages
import OpenIDConnect

@testable import LatchKit

/// The checks of a server that binds all tokens to keys.
extension OAuthScript.State {
    /// The nonce that proofs must contain now. It changes with each new token.
    var nonce: String { "nonce-\(families.values.reduce(0) { $0 + $1.access.count })" }

    /// Returns the refusal of a request without a valid proof, and counts everything that a correct client never sends.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - family: The sign-in that the request to the token endpoint is about. Nil for one with an access token.
    /// - Returns: The refusal. Nil when the proof is valid.
    mutating func proofRefusal(
        _ request: ScriptedServer.Request, of family: OAuthScript.Family? = nil
    ) -> ScriptedServer.Response? {
        let token = request.headers["Authorization"] == nil ? nil : request.boundToken ?? ""
        let path = request.path.prefix { $0 != "?" }
        let family = family ?? families.values.first { $0.access.contains(token ?? "") }
        let fields = request.headers.values(DPoPProof.field)
        // A request without a token learns where to sign in, and an old token is renewed.
        if token == nil, fields.isEmpty, path != OAuthFixture.token { return nil }
        func refuse(_ error: String) -> ScriptedServer.Response {
            guard path == OAuthFixture.token else {
                return ScriptedServer.Response(
                    status: 401, headers: ["WWW-Authenticate": #"DPoP error="\#(error)", algs="ES256""#])
            }
            return .json(#"{"error":"\#(error)"}"#, 400)
        }
        func violation(_ text: String) -> ScriptedServer.Response {
            violations.append("proof at \(path): " + text)
            return refuse("invalid_dpop_proof")
        }
        guard fields.count == 1, let proof = try? DPoPProof(parsing: fields[0]),
            let thumbprint = try? proof.verifiedThumbprint()
        else {
            return violation("not exactly one valid proof")
        }
        guard proof.method == request.method,
            proof.address == DPoPAddress(OAuthScript.base(of: request) + path)
        else { return violation("another method or address") }
        guard proof.tokenHash == token.map({ SHA256.digest($0) }) else { return violation("another token") }
        guard proofs.insert(proof.id).inserted else { return violation("a proof twice") }
        if let family, family.key != thumbprint { return violation("another key") }
        if settings.requiresNonces, proof.nonce != nonce {
            nonceRefusals += 1
            var response = refuse("use_dpop_nonce")
            response.headers["DPoP-Nonce"] = nonce
            return response
        }
        if let time = settings.time, abs(proof.issued.timeIntervalSince(time)) > 60 {
            timeRefusals += 1
            var response = refuse("invalid_dpop_proof")
            response.headers["Date"] = Self.text(of: time)
            return response
        }
        return nil
    }
}

extension OAuthScript.State {
    private static func text(of time: Date) -> String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.string(from: time)
    }
}

extension ScriptedServer.Request {
    /// The token with the scheme `DPoP`.
    var boundToken: String? {
        guard let field = headers["Authorization"], field.hasPrefix("DPoP ") else { return nil }
        return String(field.dropFirst(5))
    }
}
