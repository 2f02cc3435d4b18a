import CProcess

/// The person's own manager of services: what it has started outlives terminals, and is started again after a crash.
///
/// Source: org.freedesktop.systemd1(5), `StartTransientUnit`; systemd.service(5); systemd.exec(5).
actor UserManager {
    private let executor = BusExecutor("latchstring.units")
    private let address: BusAddress

    /// Its own thread: the bus may let it wait.
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ bus: BusAddress) { address = bus }

    /// Has a program run as a service that is forgotten when it ends; whether that was taken on. Everybody who may ask the
    /// manager can read its words, and the environment that it has besides the manager's own.
    func start(
        _ words: [String], named name: String, description: String, environment: [String: String], log: String
    ) -> Bool {
        let method = BusMethod(
            service: "org.freedesktop.systemd1", path: "/org/freedesktop/systemd1",
            interface: "org.freedesktop.systemd1.Manager", name: "StartTransientUnit")
        let answer = BusConnection(address)?.call(method, starts: false) { message in
            message.append(name + ".service")
            message.append("fail")
            message.array(of: "(sv)") {
                message.property("Description", "s") { message.append(description) }
                message.property("Type", "s") { message.append("exec") }
                message.property("CollectMode", "s") { message.append("inactive-or-failed") }
                // By a signal, not by an exit status: an error comes again.
                message.property("Restart", "s") { message.append("on-abnormal") }
                // The manager's own mask is another than that of whoever asks for this.
                if let mask = UInt32(exactly: latch_file_mask()) {
                    message.property("UMask", "u") { message.append(mask) }
                }
                message.property("StandardOutputFileToAppend", "s") { message.append(log) }
                message.property("StandardErrorFileToAppend", "s") { message.append(log) }
                message.property("Environment", "as") {
                    message.append(environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
                }
                message.property("ExecStart", "a(sasb)") {
                    message.array(of: "(sasb)") {
                        message.structure("sasb") {
                            message.append(words.first ?? "")
                            message.append(words)
                            message.append(false)
                        }
                    }
                }
            }
            message.array(of: "(sa(sv))") {}
        }
        return answer != nil
    }
}

extension BusMessage {
    /// A property as services' managers take them: a name and a variant.
    fileprivate func property(_ name: String, _ signature: String, _ value: () -> Void) {
        structure("sv") {
            append(name)
            variant(of: signature, value)
        }
    }
}
