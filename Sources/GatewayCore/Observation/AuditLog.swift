package import FoundationEssentials
import Primitives

/// The log of sign-ins, failed sign-ins, lock-outs and changes to accounts.
///
/// Every event is a line of the log, and of a file of JSON lines if there is one. An event never contains a password, a
/// token or a hash. It also omits what was typed for an account that does not exist, because people type passwords
/// there by mistake.
///
/// Source: OX-16; ARCHITECTURE.md, Invariants, 3.
package final class AuditLog: Sendable {
    private let log: Log
    private let file: LogWriter?
    private let now: @Sendable () -> Date

    /// The most recent failed sign-ins.
    package let failures = SignInFailures()

    /// Creates an audit log, with or without a file.
    package init(log: Log, file: LogWriter? = nil, now: @escaping @Sendable () -> Date) {
        self.log = log
        self.file = file
        self.now = now
    }

    /// Records an event.
    package func record(_ event: AuditEvent) {
        failures.record(event, at: now())
        let values: KeyValuePairs<String, LogValue?> = [
            "event": .text(event.kind.rawValue),
            "reason": event.reason.map(LogValue.text),
            "provider": event.provider.map(LogValue.text),
            "subject": event.subject.map(LogValue.text),
            "person": event.person.map(LogValue.id),
            "actor": event.actor.map(LogValue.id),
            "session": event.session.map { .text($0.rawValue) },
            "address": event.address.map(LogValue.text),
            "request": event.request.map(LogValue.text),
            "device": event.device?.name.map(LogValue.text),
            "device_kind": event.device?.kind.map(LogValue.text),
            "seconds": event.duration.map { .number(Int($0.seconds.rounded(.up))) },
            "certificate": event.certificate.map(LogValue.text),
            "expires": event.expires.map { .text(Timestamp.text($0)) },
            "key": event.key.map(LogValue.text),
            "client": event.client.map(LogValue.text),
        ]
        log.info("Audit.", values)
        guard let file else { return }
        var line: [UInt8] = []
        LogLine.appendJSON(to: &line, time: now(), values: values)
        file.write(line)
    }

    /// Waits until every event so far is written to the file.
    package func flush() {
        file?.flush()
    }
}
