import CCurl

/// Curl's set of transfers with its pool of connections.
///
/// ``wakeUp()`` may be called from any thread until ``close()``; everything else belongs to the loop's thread.
struct MultiHandle: @unchecked Sendable {  // The loop's lock keeps `wakeUp` from running after `close`.
    private let pointer: UnsafeMutableRawPointer

    /// Curl's own set-up, done once; safe beside other threads since curl 7.84.
    private static let isCurlReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    init?() {
        guard Self.isCurlReady, let pointer = curl_multi_init() else { return nil }
        self.pointer = pointer
    }

    func wakeUp() { curl_multi_wakeup(pointer) }

    /// Begins a transfer; false if there is not enough memory for it.
    func add(_ easy: EasyHandle) -> Bool { curl_multi_add_handle(pointer, easy.pointer) == CURLM_OK }

    /// Takes a transfer out. One that is not over has its connection closed, or its stream reset.
    func remove(_ easy: EasyHandle) { curl_multi_remove_handle(pointer, easy.pointer) }

    func perform() {
        var running: Int32 = 0
        curl_multi_perform(pointer, &running)
    }

    /// Waits for traffic, one of curl's own deadlines or ``wakeUp()``, a minute at most.
    func wait() { curl_multi_poll(pointer, nil, 0, 60_000, nil) }

    func nextEnded() -> (easy: UnsafeMutableRawPointer, code: CURLcode)? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(pointer, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
            return (easy, latch_curl_message_result(message))
        }
        return nil
    }

    func close() { curl_multi_cleanup(pointer) }
}
