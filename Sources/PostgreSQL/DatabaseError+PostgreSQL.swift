internal import CPostgreSQL
import Database

/// A failure that PostgreSQL reported: the cause of a `DatabaseError`.
///
/// Source: PostgreSQL, "PostgreSQL Error Codes".
package struct PostgreSQLFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The five characters of SQLSTATE, such as `23505`. Empty when the server was not reached.
    package let state: String
    /// The server's primary message, which names tables and columns but no values.
    package let text: String

    init(_ result: OpaquePointer?) {
        state = Self.field(result, LATCH_PG_DIAG_SQLSTATE) ?? ""
        text = Self.field(result, LATCH_PG_DIAG_MESSAGE_PRIMARY) ?? "no message"
    }

    init(state: String = "", text: String) {
        self.state = state
        self.text = text
    }

    /// Reads a message of libpq in its verbose form. The part that is from the server looks like `FATAL:  28P01: reason`,
    /// with the first word and the reason in the server's language. Only one line is kept: others are details, which
    /// may contain values, or from other hosts. A host that refuses the user or the database comes first, because
    /// waiting does not help there.
    init(message: String) {
        let lines = message.split(separator: "\n")
        let failures = lines.compactMap { line -> PostgreSQLFailure? in
            guard let start = line.firstRange(of: ":  ")?.upperBound else { return nil }
            let (state, rest) = (line[start...].prefix(5), line[start...].dropFirst(5))
            guard rest.hasPrefix(": "), state.allSatisfy({ $0.isASCII && ($0.isUppercase || $0.isNumber) }) else {
                return nil
            }
            return PostgreSQLFailure(state: String(state), text: String(rest.dropFirst(2)))
        }
        self =
            failures.first { ["28", "3D"].contains($0.state.prefix(2)) } ?? failures.first
            ?? PostgreSQLFailure(text: lines.first.map(String.init) ?? "the connection was lost")
    }

    /// The text and SQLSTATE.
    package var description: String { state.isEmpty ? text : "\(text) (SQLSTATE \(state))" }

    private static func field(_ result: OpaquePointer?, _ field: Int32) -> String? {
        PQresultErrorField(result, field).map { String(cString: $0) }
    }
}

extension DatabaseError {
    /// Returns the error for a failure of PostgreSQL. Every such error is made here. If `isConnecting`, what the server
    /// does not understand is from the address.
    static func postgreSQL(
        _ failure: PostgreSQLFailure, act: String, subject: String, isConnecting: Bool = false
    ) -> DatabaseError {
        let state = code(ofState: failure.state)
        let code = isConnecting && state == .misuse ? .cannotOpen : state
        return DatabaseError(
            code, "Could not \(act) \(subject): \(explanation(code, failure))", cause: failure)
    }

    private static func code(ofState state: String) -> Code {
        switch state {
        case "23505": .constraint(.unique)
        case "23503": .constraint(.foreignKey)
        case "23502": .constraint(.notNull)
        case "23514": .constraint(.check)
        case "25006": .readOnly
        case "42501": .cannotOpen
        case "53100": .full
        case "55P03", "40001", "40P01": .locked
        case "57014": .interrupted
        case "": .unavailable
        default:
            switch state.prefix(2) {
            case "08", "53", "57", "58", "XX": .unavailable
            case "23": .constraint(.other)
            case "22", "42": .misuse
            case "28", "3D": .cannotOpen
            // The server ended a transaction that was idle for too long.
            case "25": state == "25P03" ? .unavailable : .other
            default: .other
            }
        }
    }

    private static func explanation(_ code: Code, _ failure: PostgreSQLFailure) -> String {
        let reason = failure.text
        switch failure.state {
        case "42501": return "\(reason); make the role the owner of the database and of its tables."
        case "53300":
            return "the server has no connection left (\(reason)); raise 'max_connections' or the role's limit, or end "
                + "other programs."
        default: break
        }
        return switch code {
        case .readOnly: "the server accepts no writes (\(reason)); connect to the primary server."
        case .full:
            "the disk of the server is full (\(reason)); free some space there. Nothing of this write was saved."
        case .locked:
            "another gateway or program held a lock for too long (\(reason)); try again, and end transactions that "
                + "'pg_stat_activity' shows as idle."
        case .unavailable:
            "the server is not available (\(reason)); check that it runs and can be reached, and its certificate."
        case .interrupted: "the statement was cancelled at the server (\(reason)); try again."
        case .other: "\(reason); look for the reason in the log of the server."
        case .cannotOpen where ["22", "42"].contains(failure.state.prefix(2)):
            "\(reason); correct 'options' in the address of the database."
        case .cannotOpen:
            "\(reason); check the user, the name of the database, and the password file, which needs mode 0600 and a line "
                + "for both."
        case .misuse: "\(reason); this is a bug in the program."
        default: "\(reason)."
        }
    }
}
