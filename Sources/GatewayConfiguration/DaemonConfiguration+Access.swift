import GatewayCore
import HTTPMessages
import HTTPServer

extension DaemonConfiguration {
    mutating func resolveAccess() {
        settings.verify.rules.rules = access.all.map { name, draft in draft.rule(name) }
    }

    /// Returns the mistakes in access rules and in the settings for reverse proxies, each with the key to report it at.
    func accessMistakes(isUnread: (String) -> Bool) -> [ProviderDraft.Mistake] {
        var mistakes = access.all.flatMap { name, draft in Self.mistakes(in: draft, named: name, isUnread: isUnread) }
        guard settings.verify.isEnabled else {
            if let first = access.all.first {
                mistakes.append(
                    (
                        "access.\(first.name).allow", "access has rules, but verify.enabled is false",
                        "set verify.enabled to true"
                    ))
            }
            return mistakes
        }
        if settings.publicURL == nil, !isUnread("public_url") {
            mistakes.append(
                (
                    "verify.enabled", "verify.enabled is true, but public_url is not set",
                    "set public_url to the address at which browsers and apps reach this server"
                ))
        }
        let hasSocket = server.listeners.contains { if case .unix = $0 { true } else { false } }
        if proxyNetworks.isEmpty, !hasSocket, !isUnread("trusted_proxies"), !isUnread("listen") {
            mistakes.append(
                (
                    "verify.enabled", "verify.enabled is true, but no proxy is trusted",
                    "add the proxy to trusted_proxies, or listen on unix:/PATH"
                ))
        }
        return mistakes + cookieMistakes(isUnread)
    }

    private func cookieMistakes(_ isUnread: (String) -> Bool) -> [ProviderDraft.Mistake] {
        guard let domain = settings.verify.cookieDomain, let url = settings.publicURL, !isUnread("public_url") else {
            return []
        }
        guard PublicAddress(url, isTLS: false).host?.isWithin(domain) != true else { return [] }
        return [
            (
                "verify.cookie_domain",
                "verify.cookie_domain does not contain the host of public_url, so browsers would refuse the cookie",
                "use a domain that contains all hosts, or remove it"
            )
        ]
    }

    private static func mistakes(
        in draft: AccessDraft, named name: String, isUnread: (String) -> Bool
    ) -> [ProviderDraft.Mistake] {
        let path = "access.\(name)"
        guard !isUnread("\(path).allow"), draft.allow != .signedIn else { return [] }
        let conflicts = [
            (draft.namesPeople, "has users or groups"),
            (draft.acceptsKeys, "has basic_keys"),
            (!draft.requirement.isEmpty, "has max_age, acr or scopes"),
        ]
        return conflicts.filter(\.0).map { _, what in
            (
                "\(path).allow", "\(path).allow is \(draft.allow.rawValue), but the rule \(what)",
                "write allow: signed-in, or remove them"
            )
        }
    }
}
