import CSecret
import Crypto

/// A blocking exchange with the Secret Service. Each has its own session, so a restart of the service between two
/// exchanges does no harm.
struct SecretServiceCall {
    private let service: OpaquePointer
    private let cancellation: Cancellation
    private let library: latch_secret_functions

    static func open(_ library: latch_secret_functions, _ cancellation: Cancellation) throws(SecretStorageError)
        -> SecretServiceCall
    {
        var error: UnsafeMutablePointer<GError>?
        guard let bus = library.g_bus_get_sync(Int32(G_BUS_TYPE_SESSION), cancellation.pointer, &error) else {
            // A bus that exists but refuses or does not respond does not count as absent, so that no weaker store is
            // selected.
            if let reason = error, latch_secret_is_cancelled(library, reason) || latch_secret_is_denied(library, reason)
            {
                throw failure("reach", &error, library: library)
            }
            library.g_clear_error(&error)
            throw SecretStorageError(
                .absent,
                "Could not reach the Secret Service: there is no session bus; sign in to a desktop or use --secrets file."
            )
        }
        // By default GLib ends the process when the connection to the session bus closes.
        library.g_dbus_connection_set_exit_on_close(bus, 0)
        defer { library.g_object_unref(UnsafeMutableRawPointer(bus)) }
        let opened = library.secret_service_open_sync(
            library.secret_service_get_type(), nil, Int32(SECRET_SERVICE_OPEN_SESSION), cancellation.pointer, &error)
        guard let opened else { throw failure("open", &error, library: library) }
        return SecretServiceCall(service: opened, cancellation: cancellation, library: library)
    }

    func close() {
        library.g_object_unref(UnsafeMutableRawPointer(service))
    }

    func read(_ key: SecretKey) throws(SecretStorageError) -> Secret? {
        let items = try search(key)
        defer { release(items) }
        guard let items else {
            // Attributes in a locked keyring cannot be read, so "no secret" is only certain when the keyring is
            // unlocked.
            try requireUnlocked()
            return nil
        }
        let item = OpaquePointer(items.pointee.data)
        guard library.secret_item_get_locked(item) == 0 else { throw Self.locked }
        guard let value = library.secret_item_get_secret(item) else { throw Self.locked }
        defer { library.secret_value_unref(UnsafeMutableRawPointer(value)) }
        var count = 0
        let bytes = library.secret_value_get(value, &count)
        return Secret(bytes: [UInt8](UnsafeRawBufferPointer(start: bytes, count: count)))
    }

    func write(_ secret: Secret, _ key: SecretKey) throws(SecretStorageError) {
        try requireUnlocked()
        let attributes = attributes(key)
        defer { library.g_hash_table_unref(attributes) }
        let value = secret.withUnsafeBytes {
            library.secret_value_new($0.assumingMemoryBound(to: CChar.self).baseAddress, $0.count, "text/plain")
        }
        defer { library.secret_value_unref(UnsafeMutableRawPointer(value)) }
        var error: UnsafeMutablePointer<GError>?
        let stored = library.secret_service_store_sync(
            service, latch_secret_schema(), attributes, "default", "Latchstring: \(key.account) at \(key.service)",
            value, cancellation.pointer, &error)
        guard stored != 0 else { throw failure("write to", &error) }
    }

    func remove(_ key: SecretKey) throws(SecretStorageError) {
        guard try read(key) != nil else { return }
        let attributes = attributes(key)
        defer { library.g_hash_table_unref(attributes) }
        var error: UnsafeMutablePointer<GError>?
        let cleared = library.secret_service_clear_sync(
            service, latch_secret_schema(), attributes, cancellation.pointer, &error)
        if cleared == 0, error != nil { throw failure("remove from", &error) }
    }

    func requireUnlocked() throws(SecretStorageError) {
        var error: UnsafeMutablePointer<GError>?
        let collection = library.secret_collection_for_alias_sync(
            service, "default", Int32(SECRET_COLLECTION_NONE), cancellation.pointer, &error)
        if error != nil { throw failure("access", &error) }
        guard let collection else {
            throw SecretStorageError(
                .locked,
                "Could not use the Secret Service: it has no default keyring; create one in your keyring program.")
        }
        defer { library.g_object_unref(UnsafeMutableRawPointer(collection)) }
        guard library.secret_collection_get_locked(collection) == 0 else { throw Self.locked }
    }

    private func search(_ key: SecretKey) throws(SecretStorageError) -> UnsafeMutablePointer<GList>? {
        let attributes = attributes(key)
        defer { library.g_hash_table_unref(attributes) }
        var error: UnsafeMutablePointer<GError>?
        let flags = Int32(SECRET_SEARCH_LOAD_SECRETS | SECRET_SEARCH_ALL)
        let items = library.secret_service_search_sync(
            service, latch_secret_schema(), attributes, flags, cancellation.pointer, &error)
        if error != nil { throw failure("read from", &error) }
        return items
    }

    private func attributes(_ key: SecretKey) -> OpaquePointer {
        let table = library.g_hash_table_new_full(
            library.g_str_hash, library.g_str_equal, library.g_free, library.g_free)!
        for (name, value) in [("service", key.service), ("account", key.account), ("id", key.id)] {
            guard let value else { continue }
            _ = library.g_hash_table_insert(table, library.g_strdup(name), library.g_strdup(value))
        }
        return table
    }

    private func release(_ items: UnsafeMutablePointer<GList>?) {
        library.g_list_free_full(items, library.g_object_unref)
    }

    private static var locked: SecretStorageError {
        SecretStorageError(.locked, "Could not use the Secret Service: the keyring is locked; unlock it and try again.")
    }

    private func failure(_ action: String, _ error: inout UnsafeMutablePointer<GError>?) -> SecretStorageError {
        Self.failure(action, &error, library: library)
    }

    /// Converts a GLib error to a ``SecretStorageError`` and frees it.
    private static func failure(
        _ action: String, _ error: inout UnsafeMutablePointer<GError>?, library: latch_secret_functions
    ) -> SecretStorageError {
        defer { library.g_clear_error(&error) }
        guard let error else { return SecretStorageError(.io, "Could not \(action) the Secret Service.") }
        let reason = String(cString: error.pointee.message)
        if latch_secret_is_locked(library, error) { return locked }
        if latch_secret_is_absent(library, error) {
            return SecretStorageError(
                .absent,
                "Could not \(action) the Secret Service: it is not running (\(reason)); start a keyring or use "
                    + "--secrets file.")
        }
        if latch_secret_is_cancelled(library, error) {
            return SecretStorageError(
                .io, "Could not \(action) the Secret Service: it did not respond in time; restart the keyring service.")
        }
        let code: SecretStorageError.Code = latch_secret_is_denied(library, error) ? .denied : .io
        return SecretStorageError(code, "Could not \(action) the Secret Service: \(reason).")
    }
}
