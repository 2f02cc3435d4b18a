import Foundation
import TestSupport

/// A relay of TCP connections, in its own process. It can hold all bytes back without closing anything, as a network
/// does that is cut. What was held arrives when the network is back, as with TCP.
final class PausableRelay: Sendable {
    private let process: ChildProcess

    /// Starts the relay.
    ///
    /// - Parameter routes: Pairs of addresses, to listen at and to connect to, at the port of PostgreSQL.
    /// - Throws: ``ChildProcess/Failure`` when an address cannot be used.
    init(_ routes: [(from: String, to: String)]) throws {
        process = try ChildProcess(
            "/usr/bin/python3", ["-c", Self.script] + routes.flatMap { [$0.from, $0.to] }, errors: .nowhere)
        try expect("ready\n")
    }

    /// Holds all bytes back, until ``resume()``.
    func pause() throws { try command("pause\n") }

    /// Passes bytes on again.
    func resume() throws { try command("resume\n") }

    private func command(_ text: String) throws {
        process.input.write(Array(text.utf8))
        try expect(text)
    }

    private func expect(_ text: String) throws {
        let answer = String(decoding: process.output.read(), as: UTF8.self)
        guard answer == text else { throw ChildProcess.Failure("The relay said '\(answer)'.") }
    }

    private static let script = """
        import socket, sys, threading, time
        is_open = threading.Event()
        is_open.set()
        def pump(a, b):
            try:
                while data := a.recv(65536):
                    is_open.wait()
                    b.sendall(data)
            except OSError: pass
            is_open.wait()
            for s in (a, b):
                try: s.shutdown(socket.SHUT_RDWR)
                except OSError: pass
        def serve(client, target):
            is_open.wait()
            try: server = socket.create_connection((target, 5432))
            except OSError: return client.close()
            threading.Thread(target=pump, args=(client, server), daemon=True).start()
            pump(server, client)
            for s in (client, server): s.close()
        def answers(target):
            try: socket.create_connection((target, 5432)).close()
            except OSError: return False
            return True
        def accept(listener, target):
            try:
                while True:
                    client, _ = listener.accept()
                    threading.Thread(target=serve, args=(client, target), daemon=True).start()
            except OSError: pass
        # Refuses connections while the server does: libpq tries the next server only then.
        def follow(address, target, begun):
            listener = None
            while True:
                if not is_open.is_set(): pass
                elif answers(target) and listener is None:
                    listener = socket.create_server((address, 5432))
                    threading.Thread(target=accept, args=(listener, target), daemon=True).start()
                elif listener is not None and not answers(target):
                    listener.shutdown(socket.SHUT_RDWR)
                    listener.close()
                    listener = None
                begun.set()
                time.sleep(0.05)
        addresses = sys.argv[1:]
        for address, target in zip(addresses[::2], addresses[1::2]):
            begun = threading.Event()
            threading.Thread(target=follow, args=(address, target, begun), daemon=True).start()
            begun.wait()
        def say(text):
            sys.stdout.write(text)
            sys.stdout.flush()
        say("ready\\n")
        for line in sys.stdin:
            is_open.set() if line == "resume\\n" else is_open.clear()
            say(line)
        """
}
