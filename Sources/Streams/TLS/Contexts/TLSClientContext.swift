internal import COpenSSL

/// A client's trusted certificates and settings, shared by all its TLS sessions on all threads.
package final class TLSClientContext: Sendable {
  let handle: ContextHandle

  /// Trusts the system's certificate authorities and those of one additional file.
  ///
  /// - Parameters:
  ///   - extraAuthoritiesPath: PEM certificates that are also trusted.
  ///   - alpn: The protocols to offer in order of preference; empty offers none.
  ///   - maximumVersion: The newest version to offer; the oldest is TLS 1.2.
  /// - Throws: ``TLSError/unusableFile(path:problem:)``, ``TLSError/invalidSetting(_:)`` or
  ///   ``TLSError/internalFailure(_:)``.
  package convenience init(
    extraAuthoritiesPath: String? = nil, alpn: [String] = ["http/1.1"],
    maximumVersion: TLSVersion = .tls13
  ) throws(TLSError) {
    let paths = extraAuthoritiesPath.map { [$0] } ?? []
    try self.init(
      trust: TLSTrust(authorityPaths: paths), alpn: alpn, maximumVersion: maximumVersion)
  }

  /// Trusts the given authorities; parameters and errors as above.
  package init(
    trust: TLSTrust, alpn: [String] = ["http/1.1"], maximumVersion: TLSVersion = .tls13
  ) throws(TLSError) {
    let names = try ALPNProtocols(alpn)
    handle = try ContextHandle(method: TLS_client_method(), maximum: maximumVersion)
    SSL_CTX_set_verify(
      handle.pointer, trust.verification == .full ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nil)
    guard SSL_CTX_set_default_verify_paths(handle.pointer) == 1,
      // This function returns 0 for success, unlike related OpenSSL functions.
      SSL_CTX_set_alpn_protos(handle.pointer, names.wire.baseAddress, UInt32(names.wire.count)) == 0
    else { throw .internalFailure(ErrorQueue.drainText()) }
    for path in trust.authorityPaths {
      try AuthorityFile.install(try AuthorityFile.read(path), in: handle.pointer)
    }
    for text in trust.authorityTexts {
      try AuthorityFile.install(try PEMFile(text: text), in: handle.pointer)
    }
  }
}

/// The authorities and names that a client trusts.
package struct TLSTrust: Sendable, Hashable {
  /// Whether the server's certificate is verified.
  package enum Verification: Sendable, Hashable {
    /// The certificate must be valid, trusted and issued for the server's name.
    case full
    /// Any certificate is accepted: only for experiments.
    case none
  }

  package var verification: Verification
  /// PEM files of authorities that are trusted in addition to the system's.
  package var authorityPaths: [String]
  /// PEM texts of authorities that are trusted in addition to the system's.
  package var authorityTexts: [String]

  package init(
    verification: Verification = .full, authorityPaths: [String] = [],
    authorityTexts: [String] = []
  ) {
    self.verification = verification
    self.authorityPaths = authorityPaths
    self.authorityTexts = authorityTexts
  }
}
