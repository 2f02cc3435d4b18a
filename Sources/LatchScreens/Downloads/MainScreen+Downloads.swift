extension MainScreen {
    /// Makes the screen of the downloads of all accounts.
    public func makeDownloadsScreen() -> DownloadsScreen { DownloadsScreen(client) }

    /// Makes the screen of the settings of downloads.
    public func makeDownloadSettingsScreen() -> DownloadSettingsScreen { DownloadSettingsScreen(client) }
}
