extension Schema {
    /// The requests of devices without a browser; see ``DeviceRequestStore``. `poll_interval` is in seconds.
    ///
    /// `person_id` and the columns after it say who allowed the request, and are null before.
    static let devices =
        """
        ALTER TABLE clients ADD COLUMN allows_device INTEGER NOT NULL DEFAULT 0;

        CREATE TABLE device_requests (
            device_hash BLOB NOT NULL PRIMARY KEY,
            user_hash BLOB NOT NULL UNIQUE,
            client_id TEXT NOT NULL,
            scopes TEXT NOT NULL,
            audience TEXT NOT NULL,
            dialect TEXT,
            device_name TEXT,
            device_address TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            poll_interval INTEGER NOT NULL,
            polled_at INTEGER,
            state TEXT NOT NULL,
            person_id TEXT REFERENCES people (id) ON DELETE CASCADE,
            session_epoch INTEGER,
            authenticated_at INTEGER,
            browser_session TEXT,
            methods TEXT
        ) STRICT, WITHOUT ROWID;

        CREATE INDEX device_requests_by_expiry ON device_requests (expires_at);
        CREATE INDEX device_requests_by_person ON device_requests (person_id) WHERE person_id IS NOT NULL;
        """

    /// The same tables as ``devices`` in PostgreSQL.
    static let serverDevices =
        """
        ALTER TABLE clients ADD COLUMN allows_device BOOLEAN NOT NULL DEFAULT FALSE;

        CREATE TABLE device_requests (
            device_hash BYTEA PRIMARY KEY,
            user_hash BYTEA NOT NULL UNIQUE,
            client_id \(text) NOT NULL,
            scopes \(text) NOT NULL,
            audience \(text) NOT NULL,
            dialect \(text),
            device_name \(text),
            device_address \(text) NOT NULL,
            created_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL,
            poll_interval BIGINT NOT NULL,
            polled_at BIGINT,
            state \(text) NOT NULL,
            person_id \(text) REFERENCES people (id) ON DELETE CASCADE,
            session_epoch BIGINT,
            authenticated_at BIGINT,
            browser_session \(text),
            methods \(text)
        );
        CREATE INDEX device_requests_by_expiry ON device_requests (expires_at);
        CREATE INDEX device_requests_by_person ON device_requests (person_id) WHERE person_id IS NOT NULL;
        """

    /// What the device asks of the authentication of the person. `maximum_age` is in seconds.
    static let deviceRequirements =
        """
        ALTER TABLE device_requests ADD COLUMN level TEXT;
        ALTER TABLE device_requests ADD COLUMN maximum_age INTEGER;
        """

    /// The same as ``deviceRequirements`` in PostgreSQL.
    static let serverDeviceRequirements =
        """
        ALTER TABLE device_requests ADD COLUMN level \(text);
        ALTER TABLE device_requests ADD COLUMN maximum_age BIGINT;
        """
}
