@testable import Crypto

extension FuzzedParser {
    static let passwords = [
        FuzzedParser("phc-string") { input in
            let hash = PasswordHash(rawValue: input.text)
            guard hash.isWellFormed else {
                try require(!hash.verify(Secret("password")), "A hash that is none accepts a password.")
                return
            }
            guard let parameters = hash.parameters else {
                throw BrokenProperty(description: "A well-formed hash has no parameters.")
            }
            try require(parameters.isWithinLimits, "A stored hash may take \(parameters.memoryKiB) KiB.")
            try require(!"\(hash)".contains("argon2id"), "A hash is in its description.")
            // Only cheap ones: the machine has other work.
            guard parameters.memoryKiB <= 256, parameters.iterations <= 4 else { return }
            _ = hash.verify(Secret("password"))
        }
    ]
}
