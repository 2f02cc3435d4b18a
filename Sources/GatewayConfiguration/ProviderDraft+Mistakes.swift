import GatewayCore
import OpenIDConnect

extension ProviderDraft {
    /// A mistake, with the key of the provider to report it at.
    typealias Mistake = (key: String, problem: String, remedy: String)

    /// Returns the mistakes in this provider alone. `isUnread` says whether the value of a key could not be read, which
    /// has already been reported.
    func mistakes(_ name: String, isUnread: (String) -> Bool) -> [Mistake] {
        let path = "providers.\(name)"
        guard name != "password" else {
            return [
                (
                    path, "\(path) is not an identity provider",
                    "remove it; passwords.enabled controls sign-in by password"
                )
            ]
        }
        let mistakes = missing(path, isUnread) + credentialMistakes(path, isUnread) + foreign(path)
        guard mistakes.isEmpty, !["issuer", "client_id", "key_file"].contains(where: { isUnread("\(path).\($0)") })
        else { return mistakes }
        do {
            try configuration(name).settings.check()
            return []
        } catch {
            return [(kind == .apple ? "\(path).key_file" : "\(path).issuer", "\(path): \(error.plain)", "correct it")]
        }
    }

    private func missing(_ path: String, _ isUnread: (String) -> Bool) -> [Mistake] {
        var wanted: [(key: String, isThere: Bool)] = [("client_id", clientID != nil)]
        if kind == .oidc { wanted.append(("issuer", issuer != nil)) }
        if kind == .apple {
            wanted += [("team_id", teamID != nil), ("key_id", keyID != nil), ("key_file", key != nil)]
        }
        return wanted.filter { !$0.isThere && !isUnread("\(path).\($0.key)") }.map { key, _ in
            ("\(path).\(key)", "\(path) has no \(key)", "add \(path).\(key)")
        }
    }

    private func credentialMistakes(_ path: String, _ isUnread: (String) -> Bool) -> [Mistake] {
        guard kind != .apple else { return [] }
        let hasSecret = secret != nil || fileSecret != nil
        if secret != nil, fileSecret != nil {
            return [("\(path).client_secret", "\(path) has a client_secret and a client_secret_file", "remove one")]
        }
        if authentication == ProviderDraft.Authentication.none, hasSecret {
            return [
                (
                    "\(path).client_authentication", "\(path).client_authentication is none, but there is a secret",
                    "remove one of them"
                )
            ]
        }
        let keys = ["client_secret", "client_secret_file", "client_authentication"]
        if !hasSecret, authentication != ProviderDraft.Authentication.none,
            !keys.contains(where: { isUnread("\(path).\($0)") })
        {
            return [
                (
                    "\(path).client_secret_file", "\(path) has no secret",
                    "set \(path).client_secret_file, or client_authentication: none for a public client"
                )
            ]
        }
        return []
    }

    /// Returns mistakes for keys that do not apply to the kind of provider.
    private func foreign(_ path: String) -> [Mistake] {
        var set: [String] = []
        if kind != .oidc, issuer != nil { set.append("issuer") }
        if kind == .apple {
            if secret != nil { set.append("client_secret") }
            if fileSecret != nil { set.append("client_secret_file") }
            if authentication != nil { set.append("client_authentication") }
            if responseMode != nil { set.append("response_mode") }
        } else {
            if teamID != nil { set.append("team_id") }
            if keyID != nil { set.append("key_id") }
            if key != nil { set.append("key_file") }
        }
        return set.map { key in
            ("\(path).\(key)", "\(path).\(key) does not apply if kind is \(kind.rawValue)", "remove it")
        }
    }
}

extension OpenIDConnectError {
    /// The reason without its introduction, to be appended to a key.
    fileprivate var plain: String {
        let reason = message.split(separator: ": ", maxSplits: 1).last.map(String.init) ?? message
        return reason.hasSuffix(".") ? String(reason.dropLast()) : reason
    }
}
