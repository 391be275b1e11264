import Glibc

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
