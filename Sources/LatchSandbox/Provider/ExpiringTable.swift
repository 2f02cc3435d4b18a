import FoundationEssentials

/// A table of values that expire. When it is full, the value that expires first is removed.
struct ExpiringTable<Value: Sendable>: Sendable {
    /// The maximum number of values.
    static var limit: Int { 10_000 }

    private var values: [String: (value: Value, ends: Date)] = [:]

    var count: Int { values.count }

    mutating func store(_ value: Value, under name: String, until ends: Date, now: Date) {
        if values.count >= Self.limit { values = values.filter { $0.value.ends > now } }
        if values.count >= Self.limit, let oldest = values.min(by: { $0.value.ends < $1.value.ends }) {
            values[oldest.key] = nil
        }
        values[name] = (value, ends)
    }

    func find(_ name: String, now: Date) -> Value? {
        guard let entry = values[name], entry.ends > now else { return nil }
        return entry.value
    }

    mutating func replace(_ name: String, by value: Value) {
        guard let entry = values[name] else { return }
        values[name] = (value, entry.ends)
    }

    mutating func remove(where shouldRemove: (Value) -> Bool) {
        values = values.filter { !shouldRemove($0.value.value) }
    }
}
