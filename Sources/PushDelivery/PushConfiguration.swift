package import Basics
package import Crypto
internal import Curl
package import LinkPreview
package import ParleyProtocol
package import Push
internal import Reactor

/// The ways by which pushes are sent, and the rules of sending.
package struct PushConfiguration: Sendable {
  /// Web Push; `nil` when browsers get none.
  package var web: Web?
  /// APNs; `nil` when Apple devices get no pushes by it.
  package var apple: Apple?
  /// FCM; `nil` when Android devices get no pushes by it.
  package var firebase: Firebase?
  /// The operator's own service, which has precedence for its types.
  package var service: Service?

  package var rules = PushRules()
  package var texts = PushTexts()
  package var budgets = PushBudgets.Limits()
  /// Whether a user's other devices get a push when the user reads on one.
  package var clearsOnRead = true
  /// Maximum number of concurrent requests, half of them to one host; at least 2.
  package var concurrency = 64
  /// `push.ttl_seconds`: the time for which services try to deliver.
  package var lifetime: Int64 = 86_400
  /// The maximum duration of one request, in milliseconds.
  package var timeout: Int64 = 10_000
  /// The time for requests in progress when the server stops, in milliseconds.
  package var endingTime: Int64 = 2_000
  /// Maximum number of pushes that wait in memory or are in progress; further jobs wait in the store.
  package var queueLimit = 10_000
  package var userAgent = "parley"
  /// A PEM file with certificate authorities that are trusted beside those of the system.
  package var certificateAuthorities: String?
  /// The Unix time in milliseconds, on the clock of the messages.
  package var clock: @Sendable () -> Int64 = { SystemClock.unixMilliseconds }
  /// Reads the machine's own addresses, which are refused as endpoints unless they are allowed.
  package var ownAddresses: @Sendable () -> Set<IPAddress> = OwnAddresses.ofInterfaces

  package init() {}

  /// The way by which devices of a type get pushes; `nil` if there is none.
  package func way(of type: PushTokenType) -> PushWay? {
    if service?.types.contains(type) == true { return .url }
    switch type {
    case .web: return web == nil ? nil : .web
    case .apns: return apple == nil ? nil : .apns
    case .gcm: return firebase == nil ? nil : .fcm
    case .huawei: return nil
    }
  }
}

extension PushConfiguration {
  /// Web Push with a key of ES256.
  package struct Web: Sendable {
    package var key: PrivateKey
    package var publicKey: P256Point
    /// `push.subject`.
    package var subject: String
    /// The addresses that endpoints may have.
    package var addresses = AddressPolicy()
    /// The ports that endpoints may have.
    package var ports = PortPolicy([443...443])

    /// - Returns: `nil` unless the key is on the curve P-256.
    package init?(key: PrivateKey, subject: String) {
      guard let publicKey = key.publicPoint.flatMap(P256Point.init) else { return nil }
      self.key = key
      self.publicKey = publicKey
      self.subject = subject
    }
  }

  /// APNs with a key of ES256.
  package struct Apple: Sendable {
    package var key: PrivateKey
    package var keyID: String
    package var teamID: String
    package var topic: String
    /// Without a slash at its end.
    package var url: String
    /// Whether answers over HTTP/1.1 are refused; only tests turn it off.
    var requiresHTTP2 = true

    package init(key: PrivateKey, keyID: String, teamID: String, topic: String, url: String) {
      self.key = key
      self.keyID = keyID
      self.teamID = teamID
      self.topic = topic
      self.url = url
    }
  }

  /// FCM by a service account with a key of RS256.
  package struct Firebase: Sendable {
    package var account: ServiceAccount
    package var key: PrivateKey
    /// Without a slash at its end.
    package var url: String
    package var style: FCMPayload.Style

    package init(
      account: ServiceAccount, key: PrivateKey, url: String, style: FCMPayload.Style = .notification
    ) {
      self.account = account
      self.key = key
      self.url = url
      self.style = style
    }
  }

  /// The operator's own service.
  package struct Service: Sendable {
    package var url: String
    /// The key that signs bodies.
    package var secret: [UInt8]
    package var types: Set<PushTokenType>

    package init(url: String, secret: [UInt8], types: Set<PushTokenType>) {
      self.url = url
      self.secret = secret
      self.types = types
    }
  }
}
