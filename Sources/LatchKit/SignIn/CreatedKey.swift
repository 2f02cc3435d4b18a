/// A key that a server created for a sign-in and that no account holds yet.
struct CreatedKey: Sendable {
    let intent: KeyIntent
    /// The id of the key on the server.
    let id: String
    /// Revokes the key with the credentials that this sign-in has in memory. Returns whether the key was revoked.
    let revoke: @Sendable () async -> Bool

    /// Revokes the key after a failed sign-in, even if the caller is cancelled.
    ///
    /// If that fails, the record of the key stays for the person's next sign-in at the server.
    func discard() async {
        await Task {
            if await revoke() { await intent.resolve(id) } else { intent.release() }
        }.value
    }
}
