import HTTPServer
import Primitives
import Terminal

extension TLSCertificate {
    /// The names that the certificate covers, as text for people.
    var coveredNames: String {
        names.isEmpty ? "(no names)" : names.map(\.printable).joined(separator: ", ")
    }
}
