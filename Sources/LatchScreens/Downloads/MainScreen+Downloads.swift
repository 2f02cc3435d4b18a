extension MainScreen {
    /// Makes the screen of the downloads of all accounts.
    public func makeDownloadsScreen() -> DownloadsScreen { commands.adding(DownloadsScreen(client)) }
}
