import Basics
package import HTTP1
import Reactor

extension Connection {
  /// The address of the client: the one that trusted proxies forwarded, else the peer's.
  ///
  /// Queries the kernel when no proxy has named one; `nil` when the connection is broken, or is not
  /// an internet connection.
  package var clientAddress: PeerAddress? {
    proxiedPeer?.forwarded ?? proxiedAddress
  }

  /// The address in the PROXY header, else the peer's.
  var proxiedAddress: PeerAddress? { proxiedPeer?.announced ?? peerAddress }

  /// The address of the peer.
  private var peerAddress: PeerAddress? {
    // The descriptor of a connection that is closed may be another's already.
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

  /// Takes the PROXY header off the front.
  ///
  /// - Returns: The bytes after it; `nil` when the header is not complete, or was wrong and ended the
  ///   connection.
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
    let proxiedPeer = ProxiedPeer()
    switch header {
    case .client(let address): proxiedPeer.announced = address
    case .itself: break
    }
    note(proxiedPeer)
    guard !dropIfRefused(enterAddress()) else { return }
    enter(Self.firstStage(of: transport))
    // The time for the request begins anew, and so does what counts as its first byte.
    awaitHead()
  }

  /// The hosts and schemes by which clients reach the trusted proxies that a request came through.
  package func forwardedSites(of head: HTTPRequestHead) -> ForwardedSites {
    guard let rules = transport.configuration.forwarding, let peer = proxiedAddress else {
      return ForwardedSites()
    }
    return rules.sites(of: head.fields, from: peer)
  }

  /// Notes the client of a request: requests of several clients may share a proxy's connection.
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

/// The client addresses that proxies have named for a connection.
///
/// An object, so that a connection without a proxy pays one word for it.
final class ProxiedPeer {
  /// The address in the PROXY header; `nil` when it names none.
  var announced: PeerAddress?
  /// The address in the fields of the present request; `nil` when they name none.
  var forwarded: PeerAddress?
}
