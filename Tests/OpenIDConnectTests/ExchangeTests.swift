import Crypto
import FoundationEssentials
import HTTPMessages
import HTTPServer
import JOSE
import OAuth
import OpenIDConnect
import ScriptedProvider
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(20))) struct ExchangeTests {
    @Test("client_secret_post and none send the client in the form, and nothing in the header")
    func form() async throws {
        let posted = try await SignIn(
            ProviderScript {
                $0.isClient = { request, form in
                    form["client_id"] == ScriptedProvider.clientID && request.headers["Authorization"] == nil
                        && form["client_secret"] == ScriptedProvider.clientSecret
                }
            }
        ) { $0.authentication = .post(Secret(ScriptedProvider.clientSecret)) }
        let open = try await SignIn(
            ProviderScript {
                $0.isClient = { request, form in
                    form["client_id"] == ScriptedProvider.clientID && request.headers["Authorization"] == nil
                        && form["client_secret"] == nil
                }
            }
        ) { $0.authentication = .none }

        #expect(try await posted.identity().subject == ScriptedProvider.subject)
        #expect(try await open.identity().subject == ScriptedProvider.subject)
        await posted.stop()
        await open.stop()
    }

    @Test(
        "Apple gets a short-lived secret that the key signed for it, and the name is read from the form")
    func apple() async throws {
        let script = ProviderScript {
            $0.isClient = { _, form in
                guard let text = form["client_secret"], let secret = try? JSONWebSignature(parsing: text),
                    let claims = try? JSONValue(parsing: secret.payload)
                else { return false }
                return secret.isValid(by: AppleKey.key.publicKey) && secret.header.keyID == "KEY1234567"
                    && claims["iss"] == "TEAM123456" && claims["sub"] == .string(ScriptedProvider.clientID)
                    && claims["aud"]?.string?.hasPrefix("http://127.0.0.1:") == true
                    && claims["iat"] == .number(SignIn.seconds) && claims["exp"] == .number(SignIn.seconds + 300)
            }
            $0.claims = {
                $0["email"] = "ada@example.org"
                $0["email_verified"] = "true"
            }
        }
        let signIn = try await SignIn(script) {
            $0.authentication = .apple(teamID: "TEAM123456", keyID: "KEY1234567", key: Secret(AppleKey.pem))
            $0.responseMode = .formPost
        }

        let identity = try await signIn.identity {
            $0.pairs.append((name: "user", value: #"{"name":{"firstName":"Ada","lastName":"King"},"email":"x@y"}"#))
        }

        #expect(identity.name == "Ada King")
        #expect(identity.email == "ada@example.org" && identity.isEmailVerified)
        #expect(!signIn.provider.requests.contains("/userinfo"))
        await signIn.stop()
    }

    @Test(
        "A refusal by the token endpoint is reported with the provider's error code",
        arguments: [("invalid_client", "misconfigured"), ("invalid_grant", "refused"), ("server_error", "refused")])
    func refusals(_ error: String, _ code: String) async throws {
        let signIn = try await SignIn(
            ProviderScript {
                $0.replacements["/token"] = { _ in
                    .json(
                        ["error": .string(error), "error_description": "Nothing\u{7}\"\u{1F}here"] as JSONValue,
                        status: .badRequest)
                }
            })

        let thrown = await #expect(throws: OpenIDConnectError.self) { try await signIn.identity() }

        #expect(thrown?.code.description == code)
        #expect(thrown?.providerError == error)
        #expect(thrown?.providerDescription == "Nothing   here")
        #expect(thrown?.message.contains("Nothing") == false)
        await signIn.stop()
    }

    @Test("OX-16 if a provider quotes the client's secret, the code or the verifier, no error contains it")
    func quoting() async throws {
        let signIn = try await SignIn(
            ProviderScript {
                $0.replacements["/token"] = { request in
                    let form = (try? FormURLEncoded.decode(request.body)) ?? FormFields()
                    let quoted = ["code", "code_verifier"].compactMap { form[$0] } + [ScriptedProvider.clientSecret]
                    return .json(
                        [
                            "error": "invalid_grant",
                            "error_description": .string("I do not know " + quoted.shuffled()[0]),
                        ] as JSONValue, status: .badRequest)
                }
            })

        for _ in 0..<12 {
            let error = await #expect(throws: OpenIDConnectError.self) { try await signIn.identity() }
            #expect(error?.providerError == "invalid_grant")
            #expect(error?.providerDescription == nil)
            var dumped = ""
            dump(error, to: &dumped)
            #expect(!dumped.leaks("code-0123456789") && !dumped.leaks(ScriptedProvider.clientSecret))
        }
        await signIn.stop()
    }

    @Test(
        "A denial by the person is distinguished from a refusal by the provider",
        arguments: ["access_denied", "other"])
    func denial(_ error: String) async throws {
        let signIn = try await SignIn(
            ProviderScript { script in
                script.callback = { pairs in
                    pairs = pairs.map { $0.name == "code" ? (name: "error", value: error) : $0 }
                    pairs.append((name: "error_description", value: "No"))
                }
            })

        let thrown = await #expect(throws: OpenIDConnectError.self) { try await signIn.identity() }

        #expect(thrown?.code == (error == "access_denied" ? .denied : .refused))
        #expect(thrown?.providerError == error)
        #expect(thrown?.providerDescription == "No")
        await signIn.stop()
    }

    @Test("UserInfo is requested only if the token has no e-mail address, with the Bearer header")
    func userInfo() async throws {
        let signIn = try await SignIn(ProviderScript { $0.claims = { $0["email"] = "ada@example.com" } })

        let identity = try await signIn.identity()

        #expect(identity.email == "ada@example.com" && !identity.isEmailVerified)
        #expect(!signIn.provider.requests.contains("/userinfo"))
        await signIn.stop()
    }

    @Test(
        "Groups are read from the named claim or its dotted path, and invalid names are ignored",
        arguments: [
            ("groups", ["groups": ["a", "b"]], ["a", "b"]), ("groups", ["groups": "a"], ["a"]),
            ("groups", ["groups": ["a", 1, "", "b\nc"]], ["a"]), ("roles", ["groups": ["a"]], []),
            ("realm_access.roles", ["realm_access": ["roles": ["x"]]], ["x"]),
            ("https://example.org/groups", ["https://example.org/groups": ["y"]], ["y"]), (nil, ["groups": ["a"]], []),
        ] as [(String?, JSONValue, [String])])
    func groups(_ claim: String?, _ claims: JSONValue, _ expected: [String]) async throws {
        let signIn = try await SignIn(
            ProviderScript { script in
                script.claims = { for member in claims.members ?? [] { $0[member.name] = member.value } }
            }
        ) { $0.groupsClaim = claim }

        #expect(try await signIn.identity().groups == expected)
        await signIn.stop()
    }

    @Test(
        "Groups that are not in the token are requested from UserInfo, only if groups are configured",
        arguments: [true, false])
    func groupsOfUserInfo(_ isWanted: Bool) async throws {
        let signIn = try await SignIn(
            ProviderScript {
                $0.claims = { $0["email"] = "ada@example.com" }
                $0.userInfo = { $0["groups"] = ["a"] }
            }
        ) { $0.groupsClaim = isWanted ? "groups" : nil }

        let identity = try await signIn.identity()

        #expect(identity.groups == (isWanted ? ["a"] : []))
        #expect(identity.email == "ada@example.com")
        #expect(signIn.provider.requests.contains("/userinfo") == isWanted)
        await signIn.stop()
    }

    @Test("A provider without UserInfo returns an identity without e-mail address")
    func noUserInfo() async throws {
        let signIn = try await SignIn(ProviderScript { $0.discovery = { $0["userinfo_endpoint"] = nil } })

        let identity = try await signIn.identity()

        #expect(identity.subject == ScriptedProvider.subject && identity.email == nil && !identity.isEmailVerified)
        await signIn.stop()
    }

    @Test(
        "An address counts as verified only if the provider says so",
        arguments: [
            (.bool(true), true), ("true", true), (.bool(false), false), ("1", false), (1, false), (.null, false),
        ]
            as [(JSONValue, Bool)])
    func verified(_ value: JSONValue, _ isVerified: Bool) async throws {
        let signIn = try await SignIn(ProviderScript { $0.userInfo = { $0["email_verified"] = value } })
        #expect(try await signIn.identity().isEmailVerified == isVerified)
        await signIn.stop()
    }

    @Test(
        "Of several audiences each must be trusted, and the token issued to this client",
        arguments: [
            (["project"], ScriptedProvider.clientID, true), (["project", "other"], ScriptedProvider.clientID, true),
            (["project", "stranger"], ScriptedProvider.clientID, false), (["project"], nil, false),
            (["project"], "project", false),
        ] as [([String], String?, Bool)])
    func audiences(_ further: [String], _ party: String?, _ isGood: Bool) async throws {
        let script = ProviderScript {
            $0.claims = { claims in
                claims["aud"] = .array((further + [ScriptedProvider.clientID]).map { .string($0) })
                claims["azp"] = party.map { .string($0) }
            }
        }
        let signIn = try await SignIn(script) { $0.trustedAudiences = ["project", "other"] }

        let identity = try? await signIn.identity()

        #expect((identity != nil) == isGood)
        await signIn.stop()
    }

    @Test(
        "A request for a fresh sign-in accepts no old one",
        arguments: [(0.0, true), (-360, true), (-361, false), (nil, false)] as [(Double?, Bool)])
    func maximumAge(_ offset: Double?, _ isGood: Bool) async throws {
        let script = ProviderScript {
            $0.claims = { claims in claims["auth_time"] = offset.map { .number(SignIn.seconds + $0) } }
        }
        let signIn = try await SignIn(script) { $0.parameters = [("max_age", "300")] }

        let identity = try? await signIn.identity()

        #expect((identity != nil) == isGood)
        await signIn.stop()
    }
}

extension ExchangeTests {
    @Test(
        "OpenID Connect Core §3.1.2.1 a required new sign-in must have an 'auth_time' after the request",
        arguments: [
            (0.0, nil), (-60, nil), (60, nil), (-61, .staleSignIn), (-3_600, .staleSignIn), (61, .invalidToken),
            (1e10, .invalidToken),
            (nil, .missingSignInTime),
        ] as [(Double?, OpenIDConnectError.Code?)])
    func freshSignIn(_ offset: Double?, _ refusal: OpenIDConnectError.Code?) async throws {
        let script = ProviderScript {
            $0.claims = { claims in claims["auth_time"] = offset.map { .number(SignIn.seconds + $0) } }
        }
        let signIn = try await SignIn(script)
        let began = Date(timeIntervalSince1970: SignIn.seconds)

        var found: OpenIDConnectError.Code?
        do {
            let identity = try await signIn.identity(freshSince: began)
            #expect(identity.authenticated == offset.map { Date(timeIntervalSince1970: SignIn.seconds + $0) })
        } catch let error as OpenIDConnectError {
            found = error.code
        }

        #expect(found == refusal)
        await signIn.stop()
    }

    @Test(
        "An invalid 'auth_time' counts as an old sign-in, and is accepted if that may be old",
        arguments: ["today", .number(1e13), -1, []] as [JSONValue])
    func unreadableTime(_ time: JSONValue) async throws {
        let signIn = try await SignIn(ProviderScript { $0.claims = { $0["auth_time"] = time } })
        #expect(try await signIn.identity().authenticated == Date(timeIntervalSince1970: 0))
        await signIn.stop()
        let again = try await SignIn(ProviderScript { $0.claims = { $0["auth_time"] = time } })
        await #expect(throws: OpenIDConnectError.self) {
            try await again.identity(freshSince: Date(timeIntervalSince1970: SignIn.seconds))
        }
        await again.stop()
    }
}

/// A key as Apple gives it, made for these tests.
enum AppleKey {
    static let pem = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg55B37xfRp/076JsW
        /4I9A7k8NKRNR6ZNSYbke1syeiShRANCAATh69N9ebAFnryo1OcEPXiDgPW5y2Ks
        WBo6JsPLybP4vJg3SfRXQ8mIpT08A5pGNvysRbF+0x/4ldw2LUdVF/xa
        -----END PRIVATE KEY-----
        """
    static let key: SigningKey = {
        guard let key = try? SigningKey(pem: Secret(pem), keyID: "KEY1234567") else { fatalError("The key is broken.") }
        return key
    }()
}
