import CLibrary
internal import CSystemd

/// A D-Bus message. Arguments are appended and read in order.
///
/// Source: sd_bus_message_append_basic(3), sd_bus_message_read_basic(3).
final class BusMessage {
    let raw: OpaquePointer
    private let library: latch_bus_functions
    /// Whether appending an argument failed. Such a message is not sent.
    private(set) var isBroken = false

    /// Takes ownership of a message.
    init(_ raw: OpaquePointer, _ library: latch_bus_functions) { (self.raw, self.library) = (raw, library) }

    deinit { _ = library.sd_bus_message_unref(raw) }

    /// Whether the message is a signal.
    var isSignal: Bool { library.sd_bus_message_is_signal(raw, nil, nil) > 0 }

    /// The path of the object that a signal is from.
    var object: String? { library.sd_bus_message_get_path(raw).map { String(cString: $0) } }

    /// The number of the call that the message replies to. Nil when it is neither a method return nor an error.
    var replyCookie: UInt64? {
        var (type, cookie): (UInt8, UInt64) = (0, 0)
        guard library.sd_bus_message_get_type(raw, &type) >= 0,
            [SD_BUS_MESSAGE_METHOD_RETURN, SD_BUS_MESSAGE_METHOD_ERROR].contains(where: { Int(type) == Int($0) }),
            library.sd_bus_message_get_reply_cookie(raw, &cookie) >= 0
        else { return nil }
        return cookie
    }

    /// The error that the message reports. Nil when it reports none.
    var error: BusError? {
        guard let error = library.sd_bus_message_get_error(raw)?.pointee, let name = error.name else { return nil }
        return BusError(name: String(cString: name), message: error.message.map { String(cString: $0) } ?? "")
    }

    /// Returns whether the message is the signal with this interface and name.
    func isSignal(_ interface: String, _ name: String) -> Bool {
        library.sd_bus_message_is_signal(raw, interface, name) > 0
    }

    func append(_ text: String) {
        record(text.withCString { library.sd_bus_message_append_basic(raw, Self.string, $0) })
    }

    func append(_ number: UInt32) {
        record(withUnsafePointer(to: number) { library.sd_bus_message_append_basic(raw, Self.uint32, $0) })
    }

    func append(_ number: Int32) {
        record(withUnsafePointer(to: number) { library.sd_bus_message_append_basic(raw, Self.int32, $0) })
    }

    func append(_ byte: UInt8) {
        record(withUnsafePointer(to: byte) { library.sd_bus_message_append_basic(raw, Self.byte, $0) })
    }

    /// Appends a boolean, which sd-bus represents in four bytes.
    func append(_ flag: Bool) {
        record(
            withUnsafePointer(to: flag ? 1 as Int32 : 0) { library.sd_bus_message_append_basic(raw, Self.boolean, $0) })
    }

    /// Appends an array of strings.
    func append(_ texts: [String]) {
        within(Self.array, of: "s") { for text in texts { append(text) } }
    }

    /// Appends a dictionary from strings to variants.
    func append(variants entries: [(key: String, value: BusValue)]) {
        within(Self.array, of: "{sv}") {
            for (key, value) in entries {
                within(Self.entry, of: "sv") {
                    append(key)
                    within(Self.variant, of: value.signature) { value.append(to: self) }
                }
            }
        }
    }

    /// Appends an array with elements of the given type.
    func array(of contents: String, _ elements: () -> Void) { within(Self.array, of: contents, elements) }

    /// Appends a structure with members of the given types.
    func structure(_ contents: String, _ members: () -> Void) { within(Self.structure, of: contents, members) }

    /// Appends a variant with a value of the given type.
    func variant(of contents: String, _ value: () -> Void) { within(Self.variant, of: contents, value) }

    /// Reads the next argument as a string.
    func string() -> String? {
        var text: UnsafePointer<CChar>?
        guard library.sd_bus_message_read_basic(raw, Self.string, &text) > 0, let text else { return nil }
        return String(cString: text)
    }

    /// Reads the next argument as an object path.
    func objectPath() -> String? {
        var text: UnsafePointer<CChar>?
        guard library.sd_bus_message_read_basic(raw, Self.object, &text) > 0, let text else { return nil }
        return String(cString: text)
    }

    /// Reads the next argument as a boolean, which sd-bus represents in four bytes.
    func boolean() -> Bool? {
        var flag: Int32 = 0
        return library.sd_bus_message_read_basic(raw, Self.boolean, &flag) > 0 ? flag != 0 : nil
    }

    /// Reads the next argument as a number.
    func uint32() -> UInt32? {
        var number: UInt32 = 0
        return library.sd_bus_message_read_basic(raw, Self.uint32, &number) > 0 ? number : nil
    }

    /// Reads the next argument as a variant with a number.
    func variantUInt32() -> UInt32? {
        guard library.sd_bus_message_enter_container(raw, Self.variant, "u") > 0 else { return nil }
        return uint32()
    }

    /// Reads the next argument as an array of strings.
    func strings() -> [String] {
        guard library.sd_bus_message_enter_container(raw, Self.array, "s") > 0 else { return [] }
        var texts: [String] = []
        while let text = string() { texts.append(text) }
        return texts
    }

    /// Reads the next argument as a variant with a string.
    func variantString() -> String? {
        guard library.sd_bus_message_enter_container(raw, Self.variant, "s") > 0 else { return nil }
        return string()
    }

    /// Reads the next argument as an object path.
    func path() -> String? {
        var text: UnsafePointer<CChar>?
        guard library.sd_bus_message_read_basic(raw, Self.object, &text) > 0, let text else { return nil }
        return String(cString: text)
    }

    /// Reads the next argument as a variant with an object path.
    func variantPath() -> String? {
        guard library.sd_bus_message_enter_container(raw, Self.variant, "o") > 0 else { return nil }
        defer { _ = library.sd_bus_message_exit_container(raw) }
        return path()
    }

    /// Reads the next argument as a variant with an array of object paths.
    func variantPaths() -> [String] {
        guard library.sd_bus_message_enter_container(raw, Self.variant, "ao") > 0,
            library.sd_bus_message_enter_container(raw, Self.array, "o") > 0
        else { return [] }
        var paths: [String] = []
        while let path = path() { paths.append(path) }
        return paths
    }

    /// Reads the next argument as a variant with an array of bytes.
    func variantBytes() -> [UInt8]? {
        var (start, count) = (UnsafeRawPointer?.none, 0)
        guard library.sd_bus_message_enter_container(raw, Self.variant, "ay") > 0,
            library.sd_bus_message_read_array(raw, Self.byte, &start, &count) > 0
        else { return nil }
        return start.map { Array(UnsafeRawBufferPointer(start: $0, count: count)) } ?? []
    }

    /// Reads the entries of the next argument, a dictionary with the given types of key and value. `read` must read
    /// one key and one value.
    func entries(of contents: String, _ read: () -> Void) {
        guard library.sd_bus_message_enter_container(raw, Self.array, "{\(contents)}") > 0 else { return }
        while library.sd_bus_message_enter_container(raw, Self.entry, contents) > 0 {
            read()
            guard library.sd_bus_message_exit_container(raw) >= 0 else { return }
        }
        _ = library.sd_bus_message_exit_container(raw)
    }

    /// Reads the members of the next argument, a structure with members of the given types.
    func members(of contents: String, _ read: () -> Void) {
        guard library.sd_bus_message_enter_container(raw, Self.structure, contents) > 0 else { return }
        read()
        _ = library.sd_bus_message_exit_container(raw)
    }

    /// Skips the next argument, which has the given type.
    func skip(_ contents: String) { _ = library.sd_bus_message_skip(raw, contents) }

    /// Reads the next argument as a file descriptor and duplicates it. The caller must close the result.
    func descriptor() -> Int32? {
        var number: Int32 = -1
        guard library.sd_bus_message_read_basic(raw, Self.file, &number) > 0 else { return nil }
        let own = fcntl(number, F_DUPFD_CLOEXEC, 3)
        return own >= 0 ? own : nil
    }

    private func within(_ type: CChar, of contents: String, _ body: () -> Void) {
        record(library.sd_bus_message_open_container(raw, type, contents))
        guard !isBroken else { return }
        body()
        record(library.sd_bus_message_close_container(raw))
    }

    private func record(_ status: Int32) {
        if status < 0 { isBroken = true }
    }

    // Source: sd-bus-protocol.h. The values of its enumeration are these letters.
    private static let string = CChar(UInt8(ascii: "s"))
    private static let object = CChar(UInt8(ascii: "o"))
    private static let uint32 = CChar(UInt8(ascii: "u"))
    private static let int32 = CChar(UInt8(ascii: "i"))
    private static let byte = CChar(UInt8(ascii: "y"))
    private static let boolean = CChar(UInt8(ascii: "b"))
    private static let file = CChar(UInt8(ascii: "h"))
    private static let array = CChar(UInt8(ascii: "a"))
    private static let structure = CChar(UInt8(ascii: "r"))
    private static let entry = CChar(UInt8(ascii: "e"))
    private static let variant = CChar(UInt8(ascii: "v"))
}

/// An error of a D-Bus service.
struct BusError: Error, Equatable {
    /// The name, such as `org.freedesktop.DBus.Error.ServiceUnknown`.
    var name: String
    /// The description that the service gives.
    var message: String
}

/// The types of variant values that are supported here.
indirect enum BusValue {
    case string(String)
    case boolean(Bool)
    case byte(UInt8)
    case number(Int32)
    case dictionaries([[(key: String, value: BusValue)]])

    var signature: String {
        switch self {
        case .string: "s"
        case .boolean: "b"
        case .byte: "y"
        case .number: "i"
        case .dictionaries: "aa{sv}"
        }
    }

    func append(to message: BusMessage) {
        switch self {
        case .string(let text): message.append(text)
        case .boolean(let flag): message.append(flag)
        case .byte(let byte): message.append(byte)
        case .number(let number): message.append(number)
        case .dictionaries(let all):
            message.array(of: "a{sv}") { for entries in all { message.append(variants: entries) } }
        }
    }
}
