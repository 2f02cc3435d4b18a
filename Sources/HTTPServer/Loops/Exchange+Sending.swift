import CMicroHTTPD

extension Exchange {
    /// Suspends the connection until the producer of the body has bytes.
    func suspendForBody() {
        MHD_suspend_connection(handle)
        connection.enter(.producing)
    }

    /// Resumes the connection when the producer has bytes or has ended.
    func resumeForBody() {
        MHD_resume_connection(handle)
        connection.daemon.needsRun = true
        if connection.phase == .producing { connection.enter(.sending) }
    }

    /// Records the end of the response, whether it was sent completely or not.
    func bodyHasEnded(isComplete: Bool) {
        guard let body = outgoingBody else { return }
        answerBytes = body.end(isComplete: isComplete)
        outgoingBody = nil
    }

    /// Handles the failure of a body of unknown length. For an HTTP/1.0 client, the end of the connection is the end of
    /// the body, so the connection is reset. With TLS or chunks, the missing end marker suffices.
    func abortBody() {
        guard head?.isVersion10 == true, connection.security.session == nil else { return }
        latch_tcp_reset(connection.descriptor)
    }
}
