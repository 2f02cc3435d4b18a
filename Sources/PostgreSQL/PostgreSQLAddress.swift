import CLibrary
internal import CPostgreSQL
package import Database
import Primitives

/// The address of a PostgreSQL database, and how to connect to it.
///
/// Source: PostgreSQL, "Connection Strings"; "Parameter Key Words".
package struct PostgreSQLAddress: Sendable, Equatable {
    /// The address as the operator wrote it. It contains no password.
    package let uri: String
    /// The hosts, the database and the user, for messages.
    package let description: String
    /// Whether every host is this machine: a socket, or a loopback address.
    package let isLocal: Bool
    /// How long a gateway waits for the answer to a statement: 5 seconds, unless a test sets another time.
    package var answerTimeout = Duration.seconds(5)

    /// What is wrong with an address, and what to do: the cause of a `DatabaseError`. Contains no password.
    package struct Fault: Error {
        /// What is wrong.
        package let reason: String
        /// What to do.
        package let remedy: String
    }

    /// Parses an address of the form `postgresql://user@host1:5432,host2:5432/database?sslrootcert=…`.
    ///
    /// The connection is encrypted, and the server's name is compared with its certificate (`sslmode=verify-full`),
    /// unless the address contains another `sslmode`. A weaker mode than `verify-ca` is allowed for this machine only.
    /// The password comes from `passfile`, from the user's `~/.pgpass`, or from `PGPASSFILE`; a socket needs none with
    /// peer authentication.
    ///
    /// - Throws: ``DatabaseError/Code/cannotOpen`` when the address is malformed, contains a password, would send
    ///   data over a network without encryption, or leads to a server that accepts no writes.
    package init(_ uri: String) throws(DatabaseError) {
        let options = try Self.parse(uri)
        guard options["password"] == nil, options["sslpassword"] == nil else {
            throw Self.refusal(
                "it contains a password, which others can read in the process list",
                "remove it and name a file with 'passfile=/etc/latchd/pgpass'")
        }
        try Self.refuseOutsideSettings(options)
        let hosts = Self.list(options["host"])
        isLocal = Self.destinations(options).allSatisfy {
            $0.isEmpty || $0.hasPrefix("/") || $0.hasPrefix("@") || Self.isLoopback($0)
        }
        try Self.requirePorts(options)
        try Self.requireNumbers(options)
        let target = options["target_session_attrs"] ?? "read-write"
        guard ["read-write", "primary", "any"].contains(target) else {
            throw Self.refusal(
                "'target_session_attrs=\(target)' leads to a server that accepts no writes", "remove it")
        }
        let mode = options["sslmode"]
        guard isLocal || mode == nil || ["verify-ca", "verify-full"].contains(mode) else {
            throw Self.refusal(
                "'sslmode=\(mode ?? "")' would send data over a network that anyone can read or change",
                "remove it, or use 'verify-full'")
        }
        self.uri = uri
        let name = options["dbname"] ?? options["user"] ?? "postgres"
        let places = hosts.map { $0.isEmpty ? "the local socket" : $0 }
        description = "the database '\(name)' at \(places.joined(separator: ", "))"
    }

    /// Returns whether text is the address of a PostgreSQL database and not a path.
    package static func isAddress(_ text: String) -> Bool {
        text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    }

    private static func isLoopback(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        let isIPv4 = parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
        return host == "localhost" || host == "::1" || isIPv4 && parts[0] == "127"
    }

    private static func list(_ value: String?) -> [String] {
        (value ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    /// Returns where libpq connects to: the numeric address of each host if `hostaddr` has one, and otherwise the host.
    /// With `hostaddr`, the host is only the name in the certificate.
    private static func destinations(_ options: [String: String]) -> [String] {
        let (hosts, addresses) = (list(options["host"]), list(options["hostaddr"]))
        return (0..<max(hosts.count, addresses.count)).map { index in
            let address = index < addresses.count ? addresses[index] : ""
            return address.isEmpty && index < hosts.count ? hosts[index] : address
        }
    }

    /// Throws when a port is not a number, or when it is unclear to which host a port or a numeric address belongs.
    private static func requirePorts(_ options: [String: String]) throws(DatabaseError) {
        let (hosts, addresses, ports) = (list(options["host"]), list(options["hostaddr"]), list(options["port"]))
        guard ports.allSatisfy({ $0.isEmpty || UInt16($0) != nil }) else {
            throw refusal("a port in it is not a number", "write 'postgresql://user@host:5432/database'")
        }
        let hasAddresses = options["hostaddr"] != nil
        guard !hasAddresses || options["host"] == nil || hosts.count == addresses.count else {
            throw refusal(
                "it has \(hosts.count) hosts and \(addresses.count) values of 'hostaddr'", "write one for each host")
        }
        let hostCount = hasAddresses ? addresses.count : hosts.count
        guard ports.count == 1 || ports.count == hostCount else {
            throw refusal(
                "it has \(hostCount) hosts and \(ports.count) ports", "write one port for all hosts, or one for each")
        }
    }

    /// Throws when a time or a number of libpq is not a whole number. libpq would report that as a failure to connect.
    private static func requireNumbers(_ options: [String: String]) throws(DatabaseError) {
        let names = [
            "connect_timeout", "keepalives", "keepalives_idle", "keepalives_interval", "keepalives_count",
            "tcp_user_timeout",
        ]
        if let name = names.first(where: { name in options[name].map { Int32($0) == nil } ?? false }) {
            throw refusal("'\(name)' in it is not a whole number", "write a number, or remove it")
        }
    }

    /// Throws when a file of services or the environment would change the meaning of the address.
    private static func refuseOutsideSettings(_ options: [String: String]) throws(DatabaseError) {
        guard options["service"] == nil else {
            throw refusal("it has the parameter 'service'", "write host, port, user and database in the address")
        }
        let names = ["PGHOSTADDR", "PGSERVICE"] + (list(options["host"]).contains("") ? ["PGHOST"] : [])
        if let name = names.first(where: { getenv($0) != nil }) {
            throw refusal("the environment variable \(name) changes its meaning", "unset it")
        }
    }

    private static func refusal(_ reason: String, _ remedy: String) -> DatabaseError {
        DatabaseError(
            .cannotOpen, "Could not use the address of the database: \(reason); \(remedy).",
            cause: Fault(reason: reason, remedy: remedy))
    }

    private static func parse(_ uri: String) throws(DatabaseError) -> [String: String] {
        guard isAddress(uri), !uri.utf8.contains(0) else {
            throw refusal("it does not begin with 'postgresql://'", "write 'postgresql://user@host/database'")
        }
        guard let parameters = parameters(uri) else {
            try refuseUnknownParameter(uri)
            throw refusal("it is malformed", "write 'postgresql://user@host/database?sslrootcert=/path'")
        }
        return Dictionary(uniqueKeysWithValues: parameters.compactMap { name, value in value.map { (name, $0) } })
    }

    /// Returns all parameters of libpq with their values in an address. Nil for an address that libpq refuses.
    private static func parameters(_ uri: String) -> [(name: String, value: String?)]? {
        var message: UnsafeMutablePointer<CChar>?
        guard let parsed = PQconninfoParse(uri, &message) else {
            // It quotes the address, which may contain a password.
            PQfreemem(message)
            return nil
        }
        defer { PQconninfoFree(parsed) }
        var parameters: [(name: String, value: String?)] = []
        var option = parsed
        while let keyword = option.pointee.keyword {
            parameters.append((String(cString: keyword), option.pointee.val.map { String(cString: $0) }))
            option += 1
        }
        return parameters
    }

    /// Throws when the address has a parameter that libpq does not know. The message does not repeat it, because it may be
    /// a part of a password.
    ///
    /// Source: PostgreSQL, "Connection URIs", where `ssl=true` is allowed although it is no parameter.
    private static func refuseUnknownParameter(_ uri: String) throws(DatabaseError) {
        let known = (parameters("postgresql://") ?? []).map(\.name)
        var rest = uri.split(separator: "://", maxSplits: 1).last ?? ""
        // A question mark before it belongs to the user.
        if let at = rest.prefix(while: { $0 != "/" }).lastIndex(of: "@") { rest = rest[at...] }
        let names = rest.drop { $0 != "?" }.dropFirst().split(separator: "&").map { String($0.prefix { $0 != "=" }) }
        guard let unknown = names.first(where: { $0 != "ssl" && !known.contains($0) }) else { return }
        let usable = known.filter { !["password", "sslpassword", "service"].contains($0) }
        let nearest = SpellingSuggestion.nearest(to: unknown, among: usable)
        throw refusal(
            "it has an unknown parameter" + (nearest.map { " (did you mean '\($0)'?)" } ?? ""),
            "correct its name, or remove it")
    }
}
