import Database

/// What a person allowed a client: the grants, each as the person allowed it.
///
/// They are not joined, because a client must not get a scope at a server for which the person allowed it another one.
struct AllowedGrants: Sendable, Equatable {
    /// The maximum number of grants of one client that are remembered.
    static let maximum = 32
    /// The maximum length of these grants, in bytes as they are stored. The last one is stored in any case; it was part of
    /// one request, which has at most 8 KiB.
    static let maximumBytes = 8_192

    /// The `client_id`.
    let client: String
    private var grants: [ClientGrant] = []

    /// Creates an empty list.
    init(client: String) {
        self.client = client
    }

    /// Reads the columns `client_id`, `scopes`, `audience` and `grants` of `client_consents`, of which the first is at
    /// `index`.
    ///
    /// Gateways of earlier versions stored only all scopes and all addresses, and not which were allowed together. Such
    /// scopes are allowed at this server only, where the person could be asked for any of them, and such addresses
    /// without a scope.
    init(_ row: SQLRow, at index: Int) throws(DatabaseError) {
        let all = try ClientGrant(row, at: index)
        client = all.client
        for line in (try row.get(index + 3) as String).split(separator: "\n") {
            let lists = line.split(separator: "\t", omittingEmptySubsequences: false)
                .map { ClientGrant.words(String($0)) }
            guard lists.count == 2 else { continue }
            grants.append(ClientGrant(client: client, scopes: lists[0], audience: lists[1]))
        }
        let (scopeTexts, addresses) = (Self.texts(grants.flatMap(\.scopes)), Self.texts(grants.flatMap(\.audience)))
        let scopes = all.scopes.filter { !scopeTexts.contains(ExactText($0)) }
        let audience = all.audience.filter { !addresses.contains(ExactText($0)) }
        if !audience.isEmpty { grants.insert(ClientGrant(client: client, scopes: [], audience: audience), at: 0) }
        if !scopes.isEmpty || grants.isEmpty { grants.insert(ClientGrant(client: client, scopes: scopes), at: 0) }
    }

    /// The grants as the column `grants` has them: each is a line with the scopes, a tab and the addresses.
    var text: String { grants.map(Self.line).joined(separator: "\n") }

    /// All scopes and all addresses, those that were allowed last at the end.
    var all: ClientGrant {
        ClientGrant(
            client: client, scopes: Self.distinct(grants.flatMap(\.scopes)),
            audience: Self.distinct(grants.flatMap(\.audience)))
    }

    /// Whether the person allowed all scopes of a grant at each of its addresses, and at this server, which shows in an
    /// ID token what the scopes of OpenID Connect allow.
    func covers(_ grant: ClientGrant) -> Bool {
        let scopes = Self.texts(grant.scopes)
        guard !grants.isEmpty, Self.texts(grants.flatMap(\.scopes)).isSuperset(of: scopes) else { return false }
        return grant.audience.allSatisfy { address in
            let there = grants.filter { Self.texts($0.audience).contains(ExactText(address)) }
            return !there.isEmpty && Self.texts(there.flatMap(\.scopes)).isSuperset(of: scopes)
        }
    }

    /// Adds a grant. Beyond the maximum the oldest grants are removed, and the person is asked for them again.
    mutating func add(_ grant: ClientGrant) {
        var added = Self(client: client)
        added.grants = [grant]
        grants.removeAll(where: added.covers)
        grants.append(grant)
        grants.removeFirst(max(0, grants.count - Self.maximum))
        while grants.count > 1, text.utf8.count > Self.maximumBytes { grants.removeFirst() }
    }

    private static func line(_ grant: ClientGrant) -> String {
        grant.scopes.joined(separator: " ") + "\t" + grant.audience.joined(separator: " ")
    }

    private static func texts(_ words: [String]) -> Set<ExactText> { Set(words.map { ExactText($0) }) }

    /// Returns each word once, where it occurs last.
    private static func distinct(_ words: [String]) -> [String] {
        var known: Set<ExactText> = []
        return words.reversed().filter { known.insert(ExactText($0)).inserted }.reversed()
    }
}
