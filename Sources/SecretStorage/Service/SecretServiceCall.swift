import CSecret
import Crypto

/// One blocking conversation with the Secret Service, with a session of its own: a service that was restarted since
/// the last one does not matter.
struct SecretServiceCall {
    private let service: UnsafeMutablePointer<SecretService>
    private let cancellation: Cancellation

    static func open(_ cancellation: Cancellation) throws(SecretStorageError) -> SecretServiceCall {
        var error: UnsafeMutablePointer<GError>?
        guard let bus = g_bus_get_sync(G_BUS_TYPE_SESSION, cancellation.pointer, &error) else {
            // A bus that is there and does not answer, or refuses, is not one that is absent: nothing weaker may take over.
            if let reason = error, latch_secret_is_cancelled(reason) != 0 || latch_secret_is_denied(reason) != 0 {
                throw failure("reach", &error)
            }
            g_clear_error(&error)
            throw SecretStorageError(
                .absent,
                "Could not reach the Secret Service: there is no session bus; sign in to a desktop or use --secrets file."
            )
        }
        // GLib ends the whole program when the session bus goes away, unless told not to.
        g_dbus_connection_set_exit_on_close(bus, 0)
        defer { g_object_unref(UnsafeMutableRawPointer(bus)) }
        let opened = secret_service_open_sync(
            secret_service_get_type(), nil, SECRET_SERVICE_OPEN_SESSION, cancellation.pointer, &error)
        guard let opened else { throw failure("open", &error) }
        return SecretServiceCall(service: opened, cancellation: cancellation)
    }

    func close() {
        g_object_unref(UnsafeMutableRawPointer(service))
    }

    func read(_ key: SecretKey) throws(SecretStorageError) -> Secret? {
        let items = try search(key)
        defer { Self.release(items) }
        guard let items else {
            // Attributes inside a locked keyring cannot be seen, so only an unlocked one can say "nothing".
            try requireUnlocked()
            return nil
        }
        let item = items.pointee.data.assumingMemoryBound(to: SecretItem.self)
        guard secret_item_get_locked(item) == 0 else { throw Self.locked }
        guard let value = secret_item_get_secret(item) else { throw Self.locked }
        defer { secret_value_unref(UnsafeMutableRawPointer(value)) }
        var count: gsize = 0
        let bytes = secret_value_get(value, &count)
        return Secret(bytes: [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(count))))
    }

    func write(_ secret: Secret, _ key: SecretKey) throws(SecretStorageError) {
        try requireUnlocked()
        let attributes = Self.attributes(key)
        defer { g_hash_table_unref(attributes) }
        let value = secret.withUnsafeBytes {
            secret_value_new($0.assumingMemoryBound(to: gchar.self).baseAddress, $0.count, "text/plain")
        }
        defer { secret_value_unref(UnsafeMutableRawPointer(value)) }
        var error: UnsafeMutablePointer<GError>?
        let stored = secret_service_store_sync(
            service, latch_secret_schema(), attributes, "default", "Latchstring: \(key.account) at \(key.service)",
            value, cancellation.pointer, &error)
        guard stored != 0 else { throw Self.failure("write to", &error) }
    }

    func remove(_ key: SecretKey) throws(SecretStorageError) {
        guard try read(key) != nil else { return }
        let attributes = Self.attributes(key)
        defer { g_hash_table_unref(attributes) }
        var error: UnsafeMutablePointer<GError>?
        let cleared = secret_service_clear_sync(
            service, latch_secret_schema(), attributes, cancellation.pointer, &error)
        if cleared == 0, error != nil { throw Self.failure("remove from", &error) }
    }

    func requireUnlocked() throws(SecretStorageError) {
        var error: UnsafeMutablePointer<GError>?
        let collection = secret_collection_for_alias_sync(
            service, "default", SECRET_COLLECTION_NONE, cancellation.pointer, &error)
        if error != nil { throw Self.failure("look into", &error) }
        guard let collection else {
            throw SecretStorageError(
                .locked,
                "Could not use the Secret Service: it has no default keyring; make one in your keyring program.")
        }
        defer { g_object_unref(UnsafeMutableRawPointer(collection)) }
        guard secret_collection_get_locked(collection) == 0 else { throw Self.locked }
    }

    private func search(_ key: SecretKey) throws(SecretStorageError) -> UnsafeMutablePointer<GList>? {
        let attributes = Self.attributes(key)
        defer { g_hash_table_unref(attributes) }
        var error: UnsafeMutablePointer<GError>?
        let flags = SecretSearchFlags(rawValue: SECRET_SEARCH_LOAD_SECRETS.rawValue | SECRET_SEARCH_ALL.rawValue)
        let items = secret_service_search_sync(
            service, latch_secret_schema(), attributes, flags, cancellation.pointer, &error)
        if error != nil { throw Self.failure("read from", &error) }
        return items
    }

    private static func attributes(_ key: SecretKey) -> OpaquePointer {
        let table = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free)!
        for (name, value) in [("service", key.service), ("account", key.account)] {
            g_hash_table_insert(table, g_strdup(name), g_strdup(value))
        }
        return table
    }

    private static func release(_ items: UnsafeMutablePointer<GList>?) {
        g_list_free_full(items, g_object_unref)
    }

    private static var locked: SecretStorageError {
        SecretStorageError(.locked, "Could not use the Secret Service: the keyring is locked; unlock it and try again.")
    }

    /// Turns GLib's error into ours and frees it.
    private static func failure(_ act: String, _ error: inout UnsafeMutablePointer<GError>?) -> SecretStorageError {
        defer { g_clear_error(&error) }
        guard let error else { return SecretStorageError(.io, "Could not \(act) the Secret Service.") }
        let reason = String(cString: error.pointee.message)
        if latch_secret_is_locked(error) != 0 { return locked }
        if latch_secret_is_absent(error) != 0 {
            return SecretStorageError(
                .absent,
                "Could not \(act) the Secret Service: none answers (\(reason)); start a keyring or use --secrets file.")
        }
        if latch_secret_is_cancelled(error) != 0 {
            return SecretStorageError(
                .io, "Could not \(act) the Secret Service: it did not answer in time; restart the keyring service.")
        }
        let code: SecretStorageError.Code = latch_secret_is_denied(error) != 0 ? .denied : .io
        return SecretStorageError(code, "Could not \(act) the Secret Service: \(reason).")
    }
}
