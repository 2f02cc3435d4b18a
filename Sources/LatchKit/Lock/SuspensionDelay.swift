import Desktop

/// Delays the suspension of the machine while there is a lock, until the lock is locked.
actor SuspensionDelay {
    private let inhibitor: SleepInhibitor
    private var lockExists = false
    private var isSuspending = false

    /// Creates a delay that is not in effect.
    init(_ environment: [String: String]) { inhibitor = SleepInhibitor(environment, mode: .delay) }

    /// Records whether there is a lock.
    func setLock(exists: Bool) async {
        lockExists = exists
        await apply()
    }

    /// Records that the lock is locked before a suspension, or that no suspension is about to begin.
    func setSuspending(_ isSuspending: Bool) async {
        self.isSuspending = isSuspending
        await apply()
    }

    private func apply() async {
        if lockExists && !isSuspending {
            await inhibitor.hold("Locking the accounts of this device")
        } else {
            await inhibitor.release()
        }
    }
}
