extension BrowserSignIn {
    /// The custom schemes with which servers of all families send the browser back, without duplicates. A program
    /// registers itself for them with the system.
    ///
    /// Source: TT-1; RFC 8252 §7.1.
    public static var callbackSchemes: [String] {
        Dialects.all.compactMap { ($0 as? any BrowserDialect)?.callback }
            .map { String($0.prefix { $0 != ":" }) }
            .reduce(into: []) { schemes, scheme in
                if !schemes.contains(scheme) { schemes.append(scheme) }
            }
    }
}
