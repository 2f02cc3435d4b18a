extension MainScreen {
    /// Makes the screen of the downloads of all accounts.
    public func makeDownloadsScreen() -> DownloadsScreen { DownloadsScreen(client) }
}
