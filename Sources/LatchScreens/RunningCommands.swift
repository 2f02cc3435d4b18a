/// A screen whose commands are completed when the person leaves it or closes the app.
@MainActor
protocol CommandScreen: AnyObject {
    /// Waits until the commands that were given have ended.
    func finishCommands() async
}

/// The screens of an app whose commands must end before its accounts are closed.
@MainActor
final class RunningCommands {
    private var screens: [() -> (any CommandScreen)?] = []
    /// The sign-ins. A cancelled one revokes a token that is granted late, and removes the profile of its browser.
    let signIn = ScreenTask()

    /// Adds a screen. Its commands keep it while they run.
    func adding<Screen: CommandScreen>(_ screen: Screen) -> Screen {
        screens.removeAll { $0() == nil }
        screens.append { [weak screen] in screen }
        return screen
    }

    /// Waits until all commands have ended.
    func finish() async {
        for screen in screens { await screen()?.finishCommands() }
        await signIn.finish()
    }
}
