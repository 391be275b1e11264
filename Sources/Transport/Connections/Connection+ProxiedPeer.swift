import Basics
package import HTTP
import Reactor

extension Connection {
  /// The address of the client: the one that trusted proxies forwarded, otherwise the peer's.
  ///
  /// Queries the kernel when no proxy has forwarded an address. `nil` when the connection is broken or
  /// is not an internet connection.
  package var clientAddress: PeerAddress? {
    if let events { return events.client }
    return proxiedPeer?.forwarded ?? proxiedAddress
  }

  /// The address in the PROXY header, otherwise the peer's.
  var proxiedAddress: PeerAddress? { proxiedPeer?.announced ?? peerAddress }

  /// The address of the peer.
  private var peerAddress: PeerAddress? {
    // The descriptor of a closed connection may already belong to another one.
    if case .closed = stage { return nil }
    guard let socket = try? SocketAddress(peerOf: descriptor) else { return nil }
    return PeerAddress(bytes: socket.hostBytes, port: socket.port)
  }

  /// Expects a PROXY header first.
  ///
  /// - Returns: Whether the peer is allowed to send one.
  func awaitProxyHeader(from trusted: [Network]) -> Bool {
    guard trusted.isEmpty || peerAddress.map(trusted.contains) == true else { return false }
    enter(.proxyHeader(ProxyHeaderParser()))
    return true
  }

  /// Removes the PROXY header from the front.
  ///
  /// - Returns: The bytes after the header; `nil` when the header is incomplete, or was invalid and
  ///   ended the connection.
  func receiveProxyHeader(
    _ bytes: UnsafeRawBufferPointer, _ parser: ProxyHeaderParser
  ) -> UnsafeRawBufferPointer? {
    var parser = parser
    do {
      let (consumed, header) = try parser.receive(bytes.assumingMemoryBound(to: UInt8.self).span)
      guard let header else {
        enter(.proxyHeader(parser))
        return nil
      }
      noteClient(of: header)
      return UnsafeRawBufferPointer(rebasing: bytes[consumed...])
    } catch {
      transport.delegate?.connection(self, lacksProxyHeader: "\(error)")
      drop()
      return nil
    }
  }

  private func noteClient(of header: ProxyHeader) {
    switch header {
    case .client(let address): note(ProxiedPeer(announced: address))
    case .itself: note(ProxiedPeer())
    }
    guard !dropIfRefused(enterAddress()) else { return }
    enter(Self.nextRequest(on: transport))
    // The time limit of the request restarts here, and so does the check for its first byte.
    awaitHead()
  }

  /// The hosts and schemes by which clients reach the trusted proxies that a request came through.
  package func forwardedSites(of head: HTTPRequestHead) -> ForwardedSites {
    guard let rules = transport.configuration.forwarding, let peer = proxiedAddress else {
      return ForwardedSites()
    }
    return rules.sites(of: head.fields, from: peer)
  }

  /// Records the client of a request: requests of several clients may share a proxy's connection.
  func trace(_ head: HTTPRequestHead) {
    guard let rules = transport.configuration.forwarding, let peer = proxiedAddress else {
      return
    }
    let client = rules.client(of: head.fields, from: peer)
    guard client != nil || proxiedPeer != nil else { return }
    let proxiedPeer = proxiedPeer ?? ProxiedPeer()
    proxiedPeer.forwarded = client
    note(proxiedPeer)
  }
}

/// The client addresses that proxies have forwarded for a connection.
///
/// A separate object, so that a connection without a proxy pays only one word for it.
final class ProxiedPeer {
  /// The address in the PROXY header; `nil` when it names none.
  var announced: PeerAddress?
  /// The address in the header fields of the current request; `nil` when they contain none.
  var forwarded: PeerAddress?

  init(announced: PeerAddress? = nil) {
    self.announced = announced
  }
}
