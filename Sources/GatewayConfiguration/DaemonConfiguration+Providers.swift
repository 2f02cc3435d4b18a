import GatewayCore
import HTTPMessages
import HTTPServer
import OpenIDConnect
import SignInBridge

extension DaemonConfiguration {
    mutating func resolveProviders() {
        let isVerifying = settings.verify.isEnabled
        func resolved(_ drafts: [(name: String, draft: ProviderDraft)]) -> [ProviderConfiguration] {
            drafts.map { name, draft in
                var provider = draft.configuration(name)
                let claim = draft.groupsClaim ?? (isVerifying ? "groups" : "none")
                provider.settings.groupsClaim = claim == "none" ? nil : claim
                return provider
            }
        }
        settings.providers = resolved(providers.all.filter(\.draft.isEnabled))
        // Many people keep only the name of a provider that they have disabled.
        settings.disabledProviders = resolved(providers.all.filter { !$0.draft.isEnabled })
            .filter { !$0.settings.issuer.isEmpty }
    }

    /// Returns the mistakes in the identity providers and the ways to sign in, each with the key to report it at.
    func providerMistakes(isUnread: (String) -> Bool) -> [ProviderDraft.Mistake] {
        let enabled = providers.all.filter(\.draft.isEnabled)
        var mistakes = enabled.flatMap { name, draft in draft.mistakes(name, isUnread: isUnread) }
        mistakes += sharedCallbacks(enabled) + addressMistakes(enabled, isUnread)
        if !settings.passwordsEnabled, enabled.isEmpty {
            mistakes.append(
                (
                    "passwords.enabled",
                    "passwords.enabled is false and there is no identity provider, so no one can sign in",
                    "add one to providers, or enable passwords"
                ))
        }
        return mistakes
    }

    /// Returns mistakes in callbacks. Each provider needs its own callback, so that the response of one cannot be
    /// mistaken for that of another.
    private func sharedCallbacks(_ enabled: [(name: String, draft: ProviderDraft)]) -> [ProviderDraft.Mistake] {
        var seen: [String: String] = [:]
        var mistakes: [ProviderDraft.Mistake] = []
        for (name, draft) in enabled {
            let path = BridgeProviders.callbackPath(of: draft.configuration(name), among: enabled.count)
            let known = BridgeProviders.unnamedCallbacks + ["/auth/oauth/\(name)/callback"]
            if !known.contains(path) {
                mistakes.append(
                    (
                        "providers.\(name).callback", "providers.\(name).callback is not a callback path",
                        "it must be one of \(known.joined(separator: ", "))"
                    ))
            } else if let other = seen.updateValue(name, forKey: path) {
                mistakes.append(
                    (
                        "providers.\(name).callback", "providers.\(name) and providers.\(other) have the same callback",
                        "change one of them, or remove both"
                    ))
            }
        }
        return mistakes
    }

    private func addressMistakes(
        _ enabled: [(name: String, draft: ProviderDraft)], _ isUnread: (String) -> Bool
    ) -> [ProviderDraft.Mistake] {
        guard let first = enabled.first, !isUnread("public_url") else { return [] }
        guard let url = settings.publicURL else {
            guard !isReachedByOthers else {
                return [
                    (
                        "providers.\(first.name).kind", "an identity provider is configured, but public_url is not set",
                        "set public_url to the address at which browsers reach this server"
                    )
                ]
            }
            return formPostMistakes(enabled)
        }
        if url.hasPrefix("https://") { return [] }
        guard Self.isLoopback(url) else {
            return [
                (
                    "public_url", "public_url is plain http, but sign-in through an identity provider requires https",
                    "write https://, and use TLS here or in the reverse proxy"
                )
            ]
        }
        return formPostMistakes(enabled)
    }

    /// Returns mistakes for providers that post a form. Browsers send cookies with a form from another site only over
    /// https.
    private func formPostMistakes(_ enabled: [(name: String, draft: ProviderDraft)]) -> [ProviderDraft.Mistake] {
        guard settings.certificateFiles == nil || settings.publicURL != nil else { return [] }
        return enabled.filter { $0.draft.configuration($0.name).settings.responseMode == .formPost }.map { name, _ in
            (
                "providers.\(name).kind", "providers.\(name) responds with a posted form, which requires https",
                "set public_url to an https:// address"
            )
        }
    }

    /// Whether other machines can reach the server. The `Host` field of a request cannot be trusted then.
    private var isReachedByOthers: Bool {
        !proxyNetworks.isEmpty
            || server.listeners.contains { listener in
                switch listener {
                case .tcp(let host, _), .tls(let host, _): IPAddress(host)?.isLoopback != true
                case .unix: true
                }
            }
    }

    /// Whether a plain `http` address is that of this machine.
    static func isLoopback(_ url: String) -> Bool {
        let rest = url.dropFirst("http://".count)
        return ["127.0.0.1", "[::1]", "localhost"].contains { host in
            rest.hasPrefix(host) && (rest.count == host.count || ":/".contains(rest.dropFirst(host.count).first ?? "x"))
        }
    }
}
