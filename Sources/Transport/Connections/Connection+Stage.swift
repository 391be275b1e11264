import HTTP1

/// The stages of a connection.
extension Connection {
  /// The part of the protocol that the connection is in.
  ///
  /// Indirect: a stage that few connections are in takes no room in the others.
  indirect enum Stage {
    /// A PROXY header is awaited, before TLS.
    case proxyHeader(ProxyHeaderParser)
    /// Requests are read one by one.
    case http(HTTPRequestParser)
    /// A request's body is on its way to its receiver.
    case receiving(ReceivedBody)
    /// A request's answer is awaited from the delegate.
    case answering(PendingRequest)
    /// A body is being written after the head of an answer.
    case sending(OutgoingBody)
    /// Open: messages flow both ways.
    case webSocket
    /// The peer has ended its side; its requests are carried out, and then our side ends.
    case departing(Departure)
    /// Our close frame is on its way; the peer's is awaited.
    case closing
    /// Nothing more is sent: the queue is written, then our side ended, and further input discarded,
    /// so that the kernel does not reset the connection before the peer has read the last bytes.
    case lingering
    case closed
  }

  /// Whether a WebSocket is open on it.
  package var isOpen: Bool {
    switch stage {
    case .webSocket, .departing: true
    case .proxyHeader, .http, .receiving, .answering, .sending, .closing, .lingering, .closed: false
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
    case .proxyHeader, .http, .webSocket, .departing, .closing, .lingering, .closed: false
    }
  }

  /// Whether no byte of a request has come, and none is to be written.
  var isIdle: Bool {
    switch stage {
    case .proxyHeader: true
    case .http(let parser): parser.isIdle && queuedByteCount == 0
    case .receiving, .answering, .sending, .webSocket, .departing, .closing, .lingering, .closed:
      false
    }
  }

  /// Whether everything has been written, and only the peer's end is awaited.
  var hasSaidAll: Bool {
    if case .lingering = stage { queuedByteCount == 0 } else { false }
  }

  /// Whether a request waits for the delegate's answer.
  var awaitsAnswer: Bool {
    if case .answering = stage { true } else { false }
  }
}
