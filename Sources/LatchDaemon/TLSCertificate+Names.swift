import HTTPServer
import Primitives
import Terminal

extension TLSCertificate {
    /// What a person reads of the names it holds for.
    var coveredNames: String {
        names.isEmpty ? "(no names)" : names.map(\.printable).joined(separator: ", ")
    }
}
