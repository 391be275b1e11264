internal import ClientTransport
internal import Foundation
#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

extension ConnectionFailure {
  /// The failure to reach a server; whether a retry may succeed depends on the error.
  init(opening error: any Error) {
    let error = error as NSError
    let words = error.localizedDescription
    guard error.domain == NSURLErrorDomain else {
      self.init(.temporary, words)
      return
    }
    self.init(
      Self.lastingCodes.contains(error.code) ? .lasting : .temporary, words,
      handshake: Self.refusingCodes.contains(error.code) ? .refused : nil)
  }

  /// The end of an open connection without a close frame.
  init(losing error: (any Error)?) {
    guard let error else {
      self.init(.lost, "the server ended the connection")
      return
    }
    self.init(receiving: error)
  }

  /// An error of an open connection.
  init(receiving error: any Error) {
    let error = error as NSError
    if error.domain == NSPOSIXErrorDomain, error.code == Int(EMSGSIZE) {
      self.init(.messageTooLarge, "a message is larger than the limit")
    } else {
      self.init(.lost, error.localizedDescription)
    }
  }

  /// The refusal of the opening handshake, whose body Foundation does not offer.
  init(refusedWith response: HTTPURLResponse) {
    let reason = "the server answered \(response.statusCode)"
    let wait = response.value(forHTTPHeaderField: "Retry-After")
    self.init(
      refusedWith: response.statusCode, retryAfter: wait.flatMap(ClientResponse.retryAfter), reason)
  }

  /// The errors of a server that was reached, and opens no WebSocket.
  private static let refusingCodes: Set<Int> = [
    NSURLErrorBadServerResponse, NSURLErrorNetworkConnectionLost,
  ]

  /// The errors that a retry would meet again; a failed TLS handshake without a verdict on the
  /// certificate is often the network's.
  private static let lastingCodes: Set<Int> = [
    NSURLErrorBadURL, NSURLErrorUnsupportedURL, NSURLErrorBadServerResponse,
    NSURLErrorServerCertificateHasBadDate,
    NSURLErrorServerCertificateUntrusted, NSURLErrorServerCertificateHasUnknownRoot,
    NSURLErrorServerCertificateNotYetValid, NSURLErrorClientCertificateRejected,
    NSURLErrorClientCertificateRequired,
    // App Transport Security does not allow the address; FoundationNetworking has no name for it.
    -1022,
  ]
}
