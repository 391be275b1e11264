package import HTTP
import Reactor
import Streams

/// Ends a connection.
extension Connection {
  /// Begins the closing handshake.
  ///
  /// Nothing can be sent after it.
  package func close(_ code: CloseCode, reason: String = "") {
    guard isOpen else { return }
    if case .departing(let departure) = stage { return end(departure) }
    if encoding.isEvents {
      closeEvents(code, reason: reason)
      return didStopBeingOpen(.closed(code))
    }
    var frame: [UInt8] = []
    endpoint?.close(code, reason: reason, into: &frame)
    append(frame)
    enter(.closing)
    resumeReading()
    setTimer(.close, after: transport.configuration.closeTimeout)
    didStopBeingOpen(.closed(code))
  }

  /// The largest rest of a frame that is still written when a connection is closed for holding too much
  /// memory.
  private static let largestRest = 65_536

  /// Closes the connection and frees its memory immediately.
  ///
  /// Queued frames are not sent, and a pending HTTP request is not answered.
  package func shed(_ code: CloseCode, reason: String) {
    guard isOpen, cutFrame.byteCount <= Self.largestRest else { return drop() }
    dropEvents()
    if isStream {
      shedReader(beyond: Self.largestRest)
    } else {
      stream.keepFirst(cutFrame.byteCount)
    }
    dropHeldInput()
    close(code, reason: reason)
    account()
  }

  /// Ends the connection without a closing handshake, once its queue has been written.
  package func end() {
    let wasOpen = isOpen
    finish()
    if wasOpen { didStopBeingOpen(.lost) }
  }

  /// Ends the connection as soon as its queue has been written.
  func finish() {
    switch stage {
    case .lingering, .closed: return
    case .eventStream, .endedStream: return drop()
    case .sending(let outgoing) where outgoing.count > 0 || queuedByteCount > 0:
      outgoing.persistence = .close
      return
    case .proxyHeader, .http, .receiving, .answering, .sending, .webSocket, .departing, .closing:
      break
    }
    abandonRequest()
    transport.connections.setPath(.closed, of: id)
    enter(.lingering)
    endpoint = nil
    // The peer's end must be read: otherwise closing would reset the connection under our last bytes.
    resumeReading()
    setTimer(.close, after: transport.configuration.closeTimeout)
    scheduleFlush()
  }

  /// Handles the end of the peer's side.
  ///
  /// A response to the peer may still be in progress.
  func peerDidEnd() {
    switch stage {
    case .http where queuedByteCount > 0, .lingering where queuedByteCount > 0:
      finish()
      stopReading()
    // The events of a client that is gone wait for its next request.
    case .sending(let outgoing) where outgoing.isEndless: drop()
    case .sending:
      finish()
      stopReading()
    case .answering(let pending) where pending.onAbandonment == nil:
      // The peer may have closed only its sending side (RFC 9112 §9.6): its request is answered.
      noteEndOfInput()
      stopReading()
    case .webSocket:
      guard depart(.lost) else { return drop() }
      stopReading()
    case .departing: stopReading()
    case .proxyHeader, .http, .receiving, .answering, .eventStream, .endedStream, .closing,
      .lingering, .closed:
      dropSocket()
    }
  }

  /// Lets the application process the requests that the peer sent before it ended its side.
  ///
  /// Output is held until then, or until the queue is full. The peer may have closed its socket: it
  /// would answer the first byte with a reset, which ends the connection.
  ///
  /// - Parameter farewell: The frame that answers the peer's close frame, if it sent one.
  /// - Returns: Whether there are any such requests.
  func depart(_ reason: ClosingReason, farewell: [UInt8] = []) -> Bool {
    guard case .webSocket = stage, pendingClose == nil,
      let application, application.connectionIsBusy(self)
    else { return false }
    enter(.departing(Departure(reason: reason, farewell: farewell)))
    transport.connections.setPath(.closed, of: id)
    setTimer(.close, after: transport.configuration.closeTimeout)
    updateInterest()
    application.connectionPeerDidEnd(self)
    return true
  }

  /// Ends our side after the peer has ended its own and its requests were processed.
  private func end(_ departure: Departure) {
    append(departure.farewell)
    finish()
    didStopBeingOpen(departure.reason)
  }

  /// Ends a connection whose peer sends nothing more, unless a request is still to be answered.
  func endUnlessAnswering() {
    switch stage {
    case .http, .lingering:
      finish()
      stopReading()
    case .proxyHeader, .receiving, .answering, .sending, .webSocket, .eventStream, .endedStream,
      .departing, .closing, .closed:
      break
    }
  }

  /// Closes a slow or broken connection after the fan-out that found the problem.
  func closeCondemned() {
    switch takePendingClose() {
    case .slow:
      guard isOpen else { return }
      transport.counters.slowConsumers += 1
      close(
        transport.configuration.slowConsumerCode, reason: "too much is waiting to be written")
    case .broken, nil: drop()
    }
  }

  /// Notifies the application, once, that the WebSocket is no longer open.
  func didStopBeingOpen(_ reason: ClosingReason) {
    transport.connections.setPath(.closed, of: id)
    guard let application = takeApplication() else { return }
    application.connectionDidClose(self, reason)
    applicationByteCount = 0
  }

  /// Ends the connection whose socket is of no use; a stream continues without one.
  func dropSocket() {
    isStream ? loseReader() : drop()
  }

  /// Ends the connection whose socket is broken, as soon as a fan-out allows.
  func socketIsBroken() {
    isStream ? loseReader() : condemn(.broken)
  }

  /// Ends the connection immediately and frees all its resources.
  func drop() {
    if case .closed = stage { return }
    let wasOpen = isOpen
    abandonRequest()
    endEvents()
    let hasSocket = descriptor >= 0
    leaveAddress()
    stopBeingSheddable()
    enter(.closed)
    if wasOpen { didStopBeingOpen(.lost) }
    cancelTimer()
    stream.close(on: transport.loop)
    dropHeldInput()
    applicationByteCount = 0
    account()
    endpoint = nil
    transport.connections.remove(id)
    if hasSocket { transport.configuration.sockets?.budget(of: admission.pool).give() }
  }
}

/// The state of a WebSocket whose peer has ended its side.
struct Departure {
  let reason: ClosingReason
  /// The frame that answers the peer's close frame; empty if the peer sent none.
  let farewell: [UInt8]
}
