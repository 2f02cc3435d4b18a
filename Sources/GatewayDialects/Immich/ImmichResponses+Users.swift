import Crypto
import FoundationEssentials
import GatewayCore
import HTTPMessages
import ServerMessages

extension ImmichResponses {
    /// Returns the message about a person.
    static func user(_ person: Person, oauthID: String = "") -> ImmichUser {
        let created = Timestamp.text(person.created, fraction: true)
        let id = person.id.uuidString.lowercased()
        var user = ImmichUser(id: id, email: person.email, name: person.name ?? "", createdAt: created)
        user.avatarColor = person.avatarColor ?? standardColor(of: person)
        user.shouldChangePassword = person.mustChangePassword
        user.isAdmin = person.isAdministrator
        user.oauthId = oauthID
        user.clusterGroupId = id
        return user
    }

    /// Returns the default colour of a person who has not chosen one. It is always the same for the same person.
    private static func standardColor(of person: Person) -> String {
        let colors = ImmichUser.avatarColors
        return colors[Int(SHA256.digest(person.id.uuidString).leadingWord % UInt64(colors.count))]
    }
}
