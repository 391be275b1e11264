/// A way by which pushes reach a device, as named in `push.register`.
package enum PushTokenType: String, Sendable, CaseIterable {
  /// A browser, by Web Push (RFC 8030).
  case web
  /// An Apple device, by APNs.
  case apns
  /// An Android device, by FCM.
  case gcm
  /// A Huawei device, by the operator's own service.
  case huawei
}

/// The subscription of a browser to Web Push, as its `PushSubscription` gives it.
package struct WebPushSubscription: Sendable, Hashable {
  /// The size of an uncompressed point of the curve P-256.
  package static let publicKeyByteCount = 65
  package static let secretByteCount = 16

  /// An `https` URL, to which messages are sent.
  package var endpoint: String
  /// The browser's public key (`p256dh`), 65 bytes.
  package var publicKey: [UInt8]
  /// The secret shared with the browser (`auth`), 16 bytes.
  package var secret: [UInt8]

  package init(endpoint: String, publicKey: [UInt8], secret: [UInt8]) {
    self.endpoint = endpoint
    self.publicKey = publicKey
    self.secret = secret
  }
}

/// The name of a device at the service that delivers its pushes.
package enum PushAddress: Sendable, Hashable {
  case token(String)
  case subscription(WebPushSubscription)

  /// The token, or the endpoint of a subscription.
  package var name: String {
    switch self {
    case .token(let token): token
    case .subscription(let subscription): subscription.endpoint
    }
  }
}

extension PushTokenType {
  /// The form in which a token is stored and compared.
  package func normalized(_ token: String) -> String {
    switch self {
    // Hexadecimal digits, in either case.
    case .apns: token.lowercased()
    case .web, .gcm, .huawei: token
    }
  }
}
