extension ServerAddress {
    /// Returns the address that a program is configured with: `API_BASE_URL`, or the default address of a family that has
    /// one, `http://localhost:3001`.
    ///
    /// - Parameter values: The environment variables, or the strings of the property list of a bundle.
    /// - Returns: The address.
    /// - Throws: ``LatchError/Code/invalidAddress`` when the value is not an address.
    ///
    /// Source: TT-10.
    public static func configured(in values: [String: String]) throws(LatchError) -> ServerAddress {
        try TimeTrackerDialect.address(in: values)
    }
}
