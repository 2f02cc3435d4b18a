import Desktop

/// Delays the suspension of the machine while there is a lock and logind is watched, until the lock is locked.
actor SuspensionDelay {
    private let inhibitor: SleepInhibitor
    private var lockExists = false
    private var isWatching = false
    private var isSuspending = false

    /// Creates a delay that is not in effect.
    init(_ environment: [String: String], pause: Duration = .seconds(30)) {
        inhibitor = SleepInhibitor(environment, mode: .delay, pause: pause)
    }

    /// Records whether there is a lock. Also without a change, it tries again what logind refused.
    func setLock(exists: Bool) async {
        lockExists = exists
        await apply()
    }

    /// Records an event. The lock is locked before a suspension is recorded.
    func record(_ event: SessionLockWatch.Event) async {
        switch event {
        case .began: (isWatching, isSuspending) = (true, false)
        case .suspending: isSuspending = true
        case .resumed: isSuspending = false
        case .ended: isWatching = false
        case .sessionLocked: break
        }
        await apply()
    }

    private func apply() async {
        if lockExists && isWatching && !isSuspending {
            await inhibitor.hold("Locking the accounts of this device")
        } else {
            await inhibitor.release()
        }
    }
}
