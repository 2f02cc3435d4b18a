import Crypto
import FoundationEssentials
import HTTPMessages

@testable import JOSE
@testable import OAuth
@testable import OpenIDConnect

extension FuzzedParser {
    private static let issuer = "https://id.example.org"
    private static let seconds = 1_800_000_000.0

    static let identity = [
        FuzzedParser("key-set") { input in
            guard let set = try? JSONWebKeySet(parsing: input) else { return }
            try require(set.keys.count <= JSONWebKeySet.maximumCount, "A set has more keys than allowed.")
            for key in set.keys {
                try require(
                    key.type != .rsa || (2048...8192).contains(key.key.bits), "An RSA key of a bad size was accepted.")
                let again = try? JSONWebKey(parsing: key.json)
                try require(again?.thumbprint == key.thumbprint, "A key is another after it was written and read.")
                let signature = try? JSONWebSignature(parsing: "eyJhbGciOiJFUzI1NiJ9.e30.AAAA")
                try require(signature?.isValid(by: key) == false, "A signature that nobody made was found good.")
            }
        },
        FuzzedParser("signed-text") { input in
            guard let signature = try? JSONWebSignature(parsing: input.text) else { return }
            try require(input.text.split(separator: ".").count <= 3, "A text of more than three parts was accepted.")
            for key in FuzzedKeys.all {
                try require(!signature.isValid(by: key.publicKey), "A signature that nobody made was found good.")
            }
        },
        FuzzedParser("proof") { input in
            let text = input.text
            if let proof = try? DPoPProof(parsing: text) {
                try require(text.utf8.count <= DPoPProof.maximumCount, "An oversized proof was accepted.")
                try require((1...DPoPProof.maximumIDCount).contains(proof.id.utf8.count), "An id of a bad length.")
                let thumbprint = try? proof.verifiedThumbprint()
                try require(thumbprint.map { $0.utf8.count == 43 } ?? true, "A thumbprint that is no hash.")
                try require(proof.issued.timeIntervalSince1970.isFinite, "A time that is no time.")
            }
            guard let address = DPoPAddress(text) else { return }
            try require(DPoPAddress(address.text) == address, "A normalized address has another normal form.")
            try require(
                address.text.hasPrefix("https://") || address.text.hasPrefix("http://"), "Another scheme was accepted.")
            try require(!address.text.contains { "?#".contains($0) }, "A query or a fragment was kept.")
        },
        FuzzedParser("discovery") { input in
            let result = Result { () throws(OpenIDConnectError) in
                try ProviderMetadata(parsing: input, issuer: issuer)
            }
            guard case .success(let metadata) = result else { return }
            let addresses = [metadata.authorizationEndpoint, metadata.tokenEndpoint, metadata.keysAddress]
            for address in addresses + [metadata.userInfoEndpoint].compactMap({ $0 }) {
                try require(address.lowercased().hasPrefix("https://"), "An address without TLS was accepted.")
                try require(
                    address.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "An address with a blank was accepted.")
            }
        },
        FuzzedParser("id-token-claims") { input in
            guard let token = try? token(input) else { return }
            let value = try JSONValue(parsing: input)
            try require(value["iss"]?.string == issuer, "Another issuer's token was accepted.")
            try require(value["nonce"]?.string == "nonce", "A token with another nonce was accepted.")
            let isAudience = value["aud"] == "client" || value["aud"] == ["client"]
            try require(isAudience, "A token for somebody else was accepted.")
            try require((value["exp"]?.number ?? 0) > seconds - 60, "A token that has expired was accepted.")
            try require((value["iat"]?.number ?? .infinity) <= seconds + 60, "A token from the future was accepted.")
            try require((1...255).contains(token.subject.utf8.count), "A subject of a bad length was accepted.")
            try require(
                token.person.email?.unicodeScalars.allSatisfy { $0.value >= 32 } != false,
                "An address with a control character was accepted.")
        },
        FuzzedParser("provider-callback") { input in
            let provider = try FuzzedProvider.metadata.get()
            guard let fields = try? FormURLEncoded.decode(input) else { return }
            let result = Result { () throws(OpenIDConnectError) in try AuthorizationCallback(fields, from: provider) }
            switch result {
            case .success(let response):
                try require(fields.values("code") == [response.code.reveal()], "Another code was taken.")
                try require(fields.values("iss") == [issuer], "An answer of another issuer was accepted.")
                try require(fields["error"] == nil, "An error was accepted.")
            case .failure(let error):
                let code = fields["code"] ?? ""
                // The message's own words have no digit.
                try require(
                    !code.contains(where: \.isNumber) || !"\(error)".contains(code),
                    "The code is in the error's message.")
                for text in [error.providerError, error.providerDescription].compactMap({ $0 }) {
                    try require(
                        text.utf8.count <= 200 && text.utf8.allSatisfy { (0x20...0x7E).contains($0) },
                        "A provider's words were taken as they stood.")
                }
            }
        },
    ]

    private static func token(_ claims: [UInt8]) throws(OpenIDConnectError) -> IDToken {
        try IDToken(
            checking: claims, signedBy: .rs256,
            against: IDToken.Expectation(
                issuer: issuer, clientID: "client", trustedAudiences: [], nonce: "nonce",
                now: Date(timeIntervalSince1970: seconds),
                maximumClockSkew: .seconds(60), maximumAge: nil, accessToken: Secret("access"), code: Secret("code")))
    }
}

/// Keys that texts are checked with, made once.
private enum FuzzedKeys {
    static let all = [SignatureAlgorithm.rs256, .es256, .edDSA].compactMap { try? SigningKey.generate($0) }
}

/// A provider that names itself in its answers, read once.
private enum FuzzedProvider {
    static let metadata = Result {
        let issuer = "https://id.example.org"
        let document =
            #"{"issuer":"\#(issuer)","authorization_endpoint":"\#(issuer)/a","token_endpoint":"\#(issuer)/t","#
            + #""jwks_uri":"\#(issuer)/k","authorization_response_iss_parameter_supported":true}"#
        return try ProviderMetadata(parsing: Array(document.utf8), issuer: issuer)
    }
}
