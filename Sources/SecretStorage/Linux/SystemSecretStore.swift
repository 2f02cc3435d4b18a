#if os(Linux)
    /// The secret store of the system.
    package typealias SystemSecretStore = SecretServiceStore
#else
    #error("This platform has no secret store yet: add one in a folder beside Linux/.")
#endif
