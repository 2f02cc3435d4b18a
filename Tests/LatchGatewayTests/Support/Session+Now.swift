import FoundationEssentials

@testable import GatewayCore

extension Session {
    /// A session of a person who signs in now.
    init(now person: Person, _ now: Date) {
        self.init(id: .random(), person: person, created: now, expires: now + day, cap: now + day)
    }
}
