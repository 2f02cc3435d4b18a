/// Decodes a message of a known shape from a parsed JSON text.
///
/// The rules are those of Foundation's decoder: a number with a fraction of zero is also an integer, `null` counts as a
/// missing value, and unknown members are ignored.
struct JSONValueDecoder: Decoder {
    let value: JSONValue
    var path = Path.top

    var codingPath: [any CodingKey] { path.keys }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let members = value.members else { throw mismatch([String: JSONValue].self) }
        return KeyedDecodingContainer(Members<Key>(members: members, path: path))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let elements = value.array else { throw mismatch([JSONValue].self) }
        return Elements(elements: elements, path: path)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    private func mismatch(_ type: Any.Type) -> DecodingError {
        let context = DecodingError.Context(codingPath: codingPath, debugDescription: "The value has the wrong type.")
        return value == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    /// The position of a value. The keys are collected into an array only for an error.
    indirect enum Path {
        case top
        case member(any CodingKey, of: Path)

        var keys: [any CodingKey] {
            switch self {
            case .top: []
            case .member(let key, let path): path.keys + [key]
            }
        }
    }
}

extension JSONValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value == .null }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard let flag = value.bool else { throw mismatch(type) }
        return flag
    }

    func decode(_ type: String.Type) throws -> String {
        guard let text = value.string else { throw mismatch(type) }
        return text
    }

    func decode(_ type: Double.Type) throws -> Double {
        guard let number = value.number else { throw mismatch(type) }
        return number
    }

    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }
    func decode(_ type: Int.Type) throws -> Int { try integer() }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
    func decode(_ type: UInt.Type) throws -> UInt { try integer() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if type == JSONValue.self, let value = value as? Value { return value }
        return try Value(from: self)
    }

    private func integer<Value: FixedWidthInteger>() throws -> Value {
        guard case .number(let number) = value, let whole = number.integer(Value.self) else {
            throw mismatch(Value.self)
        }
        return whole
    }
}

extension JSONValueDecoder {
    private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
        private static var few: Int { 32 }
        let members: [JSONValue.Member]
        let path: Path
        /// The index of each name, for objects with many members. A linear search for each key would take quadratic
        /// time.
        private let positions: [[UInt8]: Int]

        init(members: [JSONValue.Member], path: Path) {
            self.members = members
            self.path = path
            let names = members.count > Self.few ? members.enumerated().map { (Array($1.name.utf8), $0) } : []
            positions = Dictionary(uniqueKeysWithValues: names)
        }

        var codingPath: [any CodingKey] { path.keys }
        var allKeys: [Key] { members.compactMap { Key(stringValue: $0.name) } }

        func contains(_ key: Key) -> Bool { find(key) != nil }
        func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            try decoder(key).decode(type)
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> {
            try decoder(key).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try decoder(key).unkeyedContainer()
        }

        func superDecoder() throws -> any Decoder { try superDecoder(of: JSONKey(stringValue: "super")) }
        func superDecoder(forKey key: Key) throws -> any Decoder { try superDecoder(of: key) }

        private func superDecoder(of key: any CodingKey) throws -> any Decoder {
            JSONValueDecoder(value: find(key) ?? .null, path: .member(key, of: path))
        }

        private func decoder(_ key: Key) throws -> JSONValueDecoder {
            guard let value = find(key) else {
                let context = DecodingError.Context(codingPath: codingPath, debugDescription: "The member is missing.")
                throw DecodingError.keyNotFound(key, context)
            }
            return JSONValueDecoder(value: value, path: .member(key, of: path))
        }

        private func find(_ key: any CodingKey) -> JSONValue? {
            if positions.isEmpty { return JSONValue.object(members)[key.stringValue] }
            return positions[Array(key.stringValue.utf8)].map { members[$0].value }
        }
    }

    private struct Elements: UnkeyedDecodingContainer {
        let elements: [JSONValue]
        let path: Path
        private(set) var currentIndex = 0

        init(elements: [JSONValue], path: Path) {
            self.elements = elements
            self.path = path
        }

        var codingPath: [any CodingKey] { path.keys }
        var count: Int? { elements.count }
        var isAtEnd: Bool { currentIndex == elements.count }

        mutating func decodeNil() throws -> Bool {
            let isNil = try peek(JSONValue?.self).decodeNil()
            if isNil { currentIndex += 1 }
            return isNil
        }

        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            let value = try peek(type).decode(type)
            currentIndex += 1
            return value
        }

        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type
        ) throws -> KeyedDecodingContainer<Nested> {
            let container = try peek(type).container(keyedBy: type)
            currentIndex += 1
            return container
        }

        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
            let container = try peek([JSONValue].self).unkeyedContainer()
            currentIndex += 1
            return container
        }

        mutating func superDecoder() throws -> any Decoder {
            let decoder = try peek(JSONValue.self)
            currentIndex += 1
            return decoder
        }

        private func peek(_ type: Any.Type) throws -> JSONValueDecoder {
            let key = JSONKey(index: currentIndex)
            guard !isAtEnd else {
                let context = DecodingError.Context(
                    codingPath: codingPath + [key], debugDescription: "The array has no more elements.")
                throw DecodingError.valueNotFound(type, context)
            }
            return JSONValueDecoder(value: elements[currentIndex], path: .member(key, of: path))
        }
    }
}

extension JSONValue: Decodable {
    /// Decodes any JSON value. Works only with ``JSON/decode(_:from:repairsText:)``.
    package init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? JSONValueDecoder else {
            let context = DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "This is not JSON.")
            throw DecodingError.dataCorrupted(context)
        }
        self = decoder.value
    }
}

/// The name of a member or the position in an array.
struct JSONKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(index: Int) {
        stringValue = String(index)
        intValue = index
    }

    init?(intValue: Int) { self.init(index: intValue) }
}
