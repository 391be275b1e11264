import Streams
import Transport
import TestPeers

/// A server's certificate, made on the spot.
final class Certificate {
  /// What a listener with this certificate speaks.
  let security: Listener.Security
  /// A client that trusts this certificate.
  let client: TLSClientContext
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    let certificate = directory.path(of: "certificate.pem")
    let key = directory.path(of: "key.pem")
    try SelfSignedCertificate.write(certificate: certificate, key: key)
    security = .tls(
      try TLSServerContextHolder(certificatePath: certificate, privateKeyPath: key))
    client = try TLSClientContext(extraAuthoritiesPath: certificate)
  }
}
