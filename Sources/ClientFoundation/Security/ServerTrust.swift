internal import ClientTransport
internal import Foundation
#if canImport(Security)
  internal import Security
#endif

/// The verification of a server by the settings of a client.
struct ServerTrust {
  private let settings: TLSSettings
  /// The certificates of additional authorities, each in DER.
  let authorities: [Data]

  /// - Throws: ``ConnectionFailure`` of the kind ``ConnectionFailure/Kind/lasting`` for a file that
  ///   can't be read, or a text without certificates.
  init(_ settings: TLSSettings) throws(ConnectionFailure) {
    self.settings = settings
    var authorities: [Data] = []
    for path in settings.authorityPaths {
      guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
        throw ConnectionFailure(.lasting, "\(path): can't be read")
      }
      authorities += try Self.certificates(in: text, of: path)
    }
    for text in settings.authorityTexts {
      authorities += try Self.certificates(in: text, of: "authorityTexts")
    }
    self.authorities = authorities
  }

  private static func certificates(
    in text: String, of source: String
  ) throws(ConnectionFailure) -> [Data] {
    guard let certificates = PEMCertificates.parse(text) else {
      throw ConnectionFailure(.lasting, "\(source): no certificate in PEM was found")
    }
    return certificates
  }
}

#if canImport(Security)
  extension ServerTrust {
    /// Returns the answer to a challenge by a server or proxy.
    func answer(
      _ challenge: URLAuthenticationChallenge, proxy: ProxyURL?
    ) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
      let space = challenge.protectionSpace
      if space.authenticationMethod == NSURLAuthenticationMethodServerTrust,
        let trust = space.serverTrust
      {
        return answer(trust)
      }
      if space.isProxy(), challenge.previousFailureCount == 0, let proxy,
        let user = proxy.userName, let password = proxy.password
      {
        return (
          .useCredential, URLCredential(user: user, password: password, persistence: .none)
        )
      }
      return (.performDefaultHandling, nil)
    }

    private func answer(
      _ trust: SecTrust
    ) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
      switch settings.verification {
      case .none: return (.useCredential, URLCredential(trust: trust))
      case .full:
        guard !authorities.isEmpty || settings.serverName != nil else {
          return (.performDefaultHandling, nil)
        }
      }
      if let name = settings.serverName {
        SecTrustSetPolicies(trust, SecPolicyCreateSSL(true, name as CFString))
      }
      if !authorities.isEmpty {
        let anchors = authorities.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
        SecTrustSetAnchorCertificates(trust, anchors as CFArray)
        // In addition to the system's authorities, not in place of them.
        SecTrustSetAnchorCertificatesOnly(trust, false)
      }
      guard SecTrustEvaluateWithError(trust, nil) else {
        return (.cancelAuthenticationChallenge, nil)
      }
      return (.useCredential, URLCredential(trust: trust))
    }
  }
#endif
