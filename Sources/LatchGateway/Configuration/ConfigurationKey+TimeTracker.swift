extension ConfigurationKey {
    static let timeTracker = [
        ConfigurationKey(
            "dialects.timetracker.enabled", \.settings.timeTracker.isEnabled, .truth,
            "Whether clients of Time Tracker can sign in."),
        ConfigurationKey(
            "dialects.timetracker.prefix", \.settings.timeTracker.prefix, .prefix,
            "What stands before the paths of the Time Tracker dialect."),
    ]
}
