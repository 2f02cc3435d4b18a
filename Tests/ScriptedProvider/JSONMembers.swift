package import HTTPMessages

/// A JSON object whose members can be set and removed by name.
package struct JSONMembers: Sendable {
    /// The members, in order.
    package private(set) var members: [JSONValue.Member]

    /// Creates an object.
    package init(_ pairs: [(String, JSONValue)]) {
        members = pairs.map { JSONValue.Member($0.0, $0.1) }
    }

    /// The value of a member. Setting nil removes the member.
    package subscript(name: String) -> JSONValue? {
        get { members.first { $0.name == name }?.value }
        set {
            members.removeAll { $0.name == name }
            if let newValue { members.append(.init(name, newValue)) }
        }
    }

    /// The object as JSON text.
    package var encoded: [UInt8] { JSONValue.object(members).encoded() }
}
