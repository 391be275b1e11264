import HTTP

/// The stages of a connection.
extension Connection {
  /// The current phase of the connection's protocol.
  ///
  /// Structures are indirect, so that a stage that few connections are in takes no space in the others.
  enum Stage {
    /// Waiting for a PROXY header, before TLS.
    indirect case proxyHeader(ProxyHeaderParser)
    /// Requests are read one by one.
    indirect case http(HTTPRequestParser)
    /// Passing a request's body to its receiver.
    indirect case receiving(ReceivedBody)
    /// Waiting for the delegate's answer to a request.
    indirect case answering(PendingRequest)
    /// Writing a body after the head of an answer.
    case sending(OutgoingBody)
    /// Open: messages flow both ways.
    case webSocket
    /// Open: responses to requests carry the events.
    case eventStream(EventStream)
    /// A closed stream, whose last events may still be asked for.
    case endedStream(EventStream)
    /// The peer has ended its side. Its requests are processed, and then our side ends.
    indirect case departing(Departure)
    /// Our close frame has been queued or sent, and the connection waits for the peer's.
    case closing
    /// Nothing more is added: the queue is written, then our side is ended and further input discarded,
    /// so that the kernel does not reset the connection before the peer has read the last bytes.
    case lingering
    case closed
  }

  /// Whether a WebSocket or a stream is open on the connection.
  package var isOpen: Bool {
    switch stage {
    case .webSocket, .eventStream, .departing: true
    case .proxyHeader, .http, .receiving, .answering, .sending, .endedStream, .closing, .lingering,
      .closed:
      false
    }
  }

  /// Whether the peer has ended its side of an open WebSocket.
  var isDeparting: Bool {
    if case .departing = stage { true } else { false }
  }

  /// Whether a request is still to be answered, or its answer to be written.
  package var isAnswering: Bool {
    switch stage {
    case .receiving, .answering, .sending: true
    case .proxyHeader, .http, .webSocket, .eventStream, .endedStream, .departing, .closing,
      .lingering, .closed:
      false
    }
  }

  /// Whether no byte of a request was received, and none is to be written.
  var isIdle: Bool {
    switch stage {
    case .proxyHeader: true
    case .http(let parser): parser.isIdle && queuedByteCount == 0
    case .receiving, .answering, .sending, .webSocket, .eventStream, .endedStream, .departing,
      .closing, .lingering, .closed:
      false
    }
  }

  /// Whether everything has been written and only the end of the peer's side is missing.
  var hasSaidAll: Bool {
    if case .lingering = stage { queuedByteCount == 0 } else { false }
  }

  /// Whether a request waits for the delegate's answer.
  var awaitsAnswer: Bool {
    if case .answering = stage { true } else { false }
  }
}
