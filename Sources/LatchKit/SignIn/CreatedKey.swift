/// A key that a server made for a sign-in, until an account holds it.
struct CreatedKey: Sendable {
    let note: KeyIntent
    /// The server's id of it.
    let id: String
    /// Revokes it, with what this sign-in has in memory; whether it is gone.
    let revoke: @Sendable () async -> Bool

    /// Revokes the key of a sign-in that came to nothing, also when the caller is cancelled.
    ///
    /// Where the server does not do that, the note stays for the person's next sign-in there.
    func discard() async {
        await Task {
            if await revoke() { await note.settle(id) } else { note.release() }
        }.value
    }
}
