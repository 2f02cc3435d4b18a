extension AccountStore {
    /// Removes all stored responses and thumbnails of an account, or of all accounts when `account` is nil.
    ///
    /// Source: RM-9.
    func purgeCaches(of account: Account.ID? = nil) async {
        await cache.purge(account)
        await thumbnails.purge(account)
    }
}
