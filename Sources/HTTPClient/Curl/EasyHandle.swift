import CCurl

/// One transfer of curl with the memory that it points to. Used only by the thread of its loop.
final class EasyHandle {
    let pointer: UnsafeMutableRawPointer
    private var fields: UnsafeMutablePointer<curl_slist>?
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    init?() {
        guard let pointer = curl_easy_init() else { return nil }
        self.pointer = pointer
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        setPointer(CURLOPT_ERRORBUFFER, errorText)
    }

    deinit {
        // The handle first, because it refers to the fields and the text until then.
        curl_easy_cleanup(pointer)
        curl_slist_free_all(fields)
        errorText.deallocate()
    }

    /// Curl's description of the failure.
    var errorDescription: String { String(cString: errorText) }

    func set(_ option: CURLoption, _ value: Int) { check(latch_curl_set_long(pointer, option, value), option) }

    func set(_ option: CURLoption, _ value: Bool) { set(option, value ? 1 : 0) }

    func set(_ option: CURLoption, _ value: String?) { check(latch_curl_set_string(pointer, option, value), option) }

    func setPointer(_ option: CURLoption, _ value: UnsafeMutableRawPointer?) {
        check(latch_curl_set_pointer(pointer, option, value), option)
    }

    /// Copies `bytes` into the handle as the request body.
    func setBody(_ bytes: [UInt8]) {
        // The size first, or curl would copy only up to the first NUL. See CURLOPT_COPYPOSTFIELDS(3).
        check(
            latch_curl_set_offset(pointer, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(bytes.count)),
            CURLOPT_POSTFIELDSIZE_LARGE)
        bytes.withUnsafeBytes { buffer in
            // An empty array has no address, and without one, curl would read the body from standard input.
            let start = buffer.baseAddress.map { UnsafeMutableRawPointer(mutating: $0) }
            if let start { setPointer(CURLOPT_COPYPOSTFIELDS, start) } else { set(CURLOPT_COPYPOSTFIELDS, "") }
        }
    }

    /// Adds a line in the format of `CURLOPT_HTTPHEADER`.
    func addField(_ line: String) {
        if let longer = curl_slist_append(fields, line) { fields = longer }
    }

    func installFields() { setPointer(CURLOPT_HTTPHEADER, fields) }

    func long(_ info: CURLINFO) -> Int {
        var value = 0
        latch_curl_get_long(pointer, info, &value)
        return value
    }

    func microseconds(_ info: CURLINFO) -> Int {
        var value: curl_off_t = 0
        latch_curl_get_offset(pointer, info, &value)
        return Int(value)
    }

    /// The socket of the connection. -1 when there is none.
    var socket: curl_socket_t {
        var value: curl_socket_t = -1
        latch_curl_get_socket(pointer, &value)
        return value
    }

    /// Traps when an option could not be set. The options used here exist in every curl since 7.87 and copy their text.
    /// They fail only without memory, or in a curl that was built without HTTP or TLS.
    func check(_ code: CURLcode, _ option: CURLoption) {
        precondition(code == CURLE_OK, "curl refuses option \(option.rawValue) with code \(code.rawValue)")
    }
}
