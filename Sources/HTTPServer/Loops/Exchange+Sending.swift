import CMicroHTTPD

extension Exchange {
    /// The body's producer has nothing yet: libmicrohttpd leaves the connection alone until it has.
    func suspendForBody() {
        MHD_suspend_connection(handle)
        connection.enter(.producing)
    }

    /// There is more of the body, or its end.
    func resumeForBody() {
        MHD_resume_connection(handle)
        connection.daemon.needsRun = true
        if connection.phase == .producing { connection.enter(.sending) }
    }

    /// The answer is over, sent or cut off.
    func bodyHasEnded(isComplete: Bool) {
        guard let body = answerBody else { return }
        answerBytes = body.end(isComplete: isComplete)
        answerBody = nil
    }

    /// A body of unknown length has failed. To an HTTP/1.0 client the end of the connection is the end of the body, so it
    /// gets a reset instead; over TLS and in chunks the missing end says enough.
    func breakOff() {
        guard head?.isVersion10 == true, connection.security.session == nil else { return }
        latch_tcp_reset(connection.descriptor)
    }
}
