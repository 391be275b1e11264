import Glibc

/// An error that makes a context unusable or ends a session.
///
/// Three families: a file that the operator configured, the peer, and this side.
package enum TLSError: Error, Equatable, Sendable {
  /// A certificate, key or trust file is unusable; the text contains the path and the reason.
  case unusableFile(path: String, problem: FileProblem)
  /// The private key does not belong to the certificate.
  case keyDoesNotMatch(certificatePath: String, privateKeyPath: String)
  /// A setting is wrong, such as an ALPN name of 0 or more than 255 bytes.
  case invalidSetting(String)

  /// The peer sent HTTP where TLS was expected.
  case plainHTTP
  /// The peer violated the protocol, or offered no acceptable parameters.
  case protocolViolation(reason: String)
  /// The peer ended the connection with a fatal alert, named as in RFC 8446 §6.2.
  case alertReceived(String)
  /// The peer's certificate is not trusted, not valid now, or issued for another name.
  case certificateRejected(reason: String)
  /// The transport ended without `close_notify`: the last message may be truncated (§6.1).
  case truncated

  /// A call was made before the handshake was complete, or after this side closed.
  case notEstablished
  /// OpenSSL failed internally, for example for lack of memory.
  case internalFailure(String)

  /// The problem of a file.
  package enum FileProblem: Equatable, Sendable {
    /// The system refused to open or read it, with the `errno`.
    case unreadable(errno: Int32)
    /// The file contains no PEM certificate.
    case noCertificate
    /// A PEM certificate after the first cannot be read.
    case damagedCertificate
    /// The file contains no PEM private key that is readable without a passphrase.
    case noPrivateKey
    /// OpenSSL refused its content, with the reason.
    case refused(String)
  }
}

extension TLSError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unusableFile(let path, let problem): "\(path): \(problem)"
    case .keyDoesNotMatch(let certificate, let key):
      "the private key \(key) does not belong to the certificate \(certificate)"
    case .invalidSetting(let text): text
    case .plainHTTP: "the peer sent plain HTTP to a TLS port"
    case .protocolViolation(let reason): "TLS failed: \(reason)"
    case .alertReceived(let alert): "the peer ended TLS with the alert: \(alert)"
    case .certificateRejected(let reason): "the peer's certificate was rejected: \(reason)"
    case .truncated: "the connection ended without close_notify"
    case .notEstablished: "TLS is not established"
    case .internalFailure(let reason): "OpenSSL failed: \(reason)"
    }
  }
}

extension TLSError.FileProblem: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unreadable(let code): String(cString: strerror(code))
    case .noCertificate: "contains no certificate in PEM form"
    case .damagedCertificate: "contains a certificate that cannot be read"
    case .noPrivateKey: "contains no unencrypted private key in PEM form"
    case .refused(let reason): reason
    }
  }
}
