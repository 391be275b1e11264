import Basics
import Crypto
import LinkPreview
import ParleyProtocol
import Push

/// Makes the requests of pushes, and keeps the credentials of the ways; confined to the loop's thread.
struct PushSenders {
  /// The condition of a push before it is sent.
  enum Preparation {
    /// - `credential`: The credential in the request that expires, if it has one.
    case send(PushRequest, credential: String?)
    /// An access token is being requested; the request is to be started if there is one.
    case awaitToken(PushRequest?)
    /// The push cannot be sent.
    case end(PushOutcome)
  }

  private(set) var configuration: PushConfiguration
  private var vapid: VAPIDTokens?
  private var provider: APNsProviderToken?
  private var access = FCMAccess()
  private var isRequestingAccess = false

  init(_ configuration: PushConfiguration) {
    self.configuration = configuration
    vapid = configuration.web.map { VAPIDTokens(subject: $0.subject, publicKey: $0.publicKey) }
    provider = configuration.apple.map { APNsProviderToken(keyID: $0.keyID, teamID: $0.teamID) }
  }

  /// Applies other settings; credentials are kept where the keys are the same.
  mutating func adopt(_ new: PushConfiguration) {
    let old = configuration
    var senders = PushSenders(new)
    if new.apple?.isSameAccount(as: old.apple) == true { senders.provider = provider }
    if new.firebase?.account == old.firebase?.account {
      senders.access = access
      senders.isRequestingAccess = isRequestingAccess
    }
    self = senders
  }

  /// The host that a push goes to, with its scheme and port; `nil` when the way has been turned off or the
  /// endpoint is no URL.
  func host(of push: QueuedPush) -> String? {
    let url: String? =
      switch push.way {
      case .web: configuration.web == nil ? nil : push.targets.first?.token.address.name
      case .apns: configuration.apple?.url
      case .fcm: configuration.firebase?.url
      case .url: configuration.service?.url
      }
    guard let url, let parts = URLParts(url) else { return nil }
    return "\(parts.scheme)://\(parts.host.lowercased()):\(parts.port.map(String.init) ?? "")"
  }

  /// - Parameter now: Unix milliseconds.
  mutating func prepare(_ push: QueuedPush, at now: Int64) -> Preparation {
    let seconds = now / 1_000
    switch push.way {
    case .web: return prepareWeb(push, at: seconds)
    case .apns: return prepareAPNs(push, at: seconds)
    case .fcm: return prepareFCM(push, at: seconds)
    case .url: return prepareNotice(push)
    }
  }

  /// The meaning of an answer.
  ///
  /// - Parameter now: Unix milliseconds.
  func outcome(of answer: PushAnswer, to push: QueuedPush, at now: Int64) -> PushOutcome {
    switch push.way {
    case .web: WebPushAnswers.outcome(of: answer, at: now)
    case .apns:
      APNsAnswers.outcome(
        of: answer, registeredAt: push.targets.first?.token.createdAt ?? 0, at: now)
    case .fcm: FCMAnswers.outcome(of: answer, at: now)
    case .url: PushNoticeAnswers.outcome(of: answer, at: now)
    }
  }

  /// Notes that a credential was refused.
  ///
  /// - Parameter now: Unix milliseconds.
  /// - Returns: Whether a request with the next one may succeed.
  mutating func refuse(_ credential: String?, by way: PushWay, at now: Int64) -> Bool {
    guard let credential else { return false }
    switch way {
    case .apns: return provider?.refuse(credential, at: now / 1_000) ?? false
    case .fcm: return access.refuse(credential, at: now / 1_000)
    case .web, .url: return false
    }
  }

  /// Notes the answer to the request for an access token; `nil` for none.
  ///
  /// - Parameter now: Unix milliseconds.
  mutating func receiveAccess(_ answer: PushAnswer?, at now: Int64) -> PushFault? {
    isRequestingAccess = false
    let token = answer.flatMap {
      AccessToken(status: $0.status, body: $0.body, at: now / 1_000)
    }
    access.receive(token, at: now / 1_000)
    return token == nil ? PushFault(answer?.status ?? 0, "no access token of FCM") : nil
  }

  private static let off = Preparation.end(.failed(PushFault(0, "the way is turned off")))

  private mutating func prepareWeb(_ push: QueuedPush, at now: Int64) -> Preparation {
    guard let web = configuration.web, case .message(let notification, let target) = push.content,
      case .subscription(let subscription) = target.token.address
    else { return Self.off }
    if let reason = web.refusal(of: subscription.endpoint) {
      return .end(.failed(PushFault(0, reason)))
    }
    guard let receiver = try? WebPushReceiver(subscription),
      let authorization = vapid?.authorization(
        for: subscription.endpoint, at: now, signedBy: web.key)
    else { return .end(.failed(PushFault(0, "the subscription or the key is unusable"))) }
    let content: [UInt8]? =
      push.attempts.isWithoutBody
      ? nil
      : WebPushEncryption.encrypt(
        WebPayload.message(notification), to: receiver, key: Self.messageKey(),
        salt: SecureRandom.bytes(count: WebPushEncryption.saltByteCount))
    let request = WebPushService(lifetime: configuration.lifetime).message(
      content, to: subscription.endpoint, channelURL: notification.channelURL,
      authorization: authorization)
    return .send(request, credential: nil)
  }

  private static func messageKey() -> P256Secret {
    while true {
      if let key = P256Secret(SecureRandom.bytes(count: P256Secret.byteCount)) { return key }
    }
  }

  private mutating func prepareAPNs(_ push: QueuedPush, at now: Int64) -> Preparation {
    guard let apple = configuration.apple else { return Self.off }
    guard let bearer = provider?.value(at: now, signedBy: apple.key) else {
      return .end(.alarm(PushFault(0, "the key of APNs does not sign")))
    }
    let service = APNsService(
      url: apple.url, topic: apple.topic, lifetime: configuration.lifetime)
    switch push.content {
    case .message(let notification, let target):
      let name = target.token.address.name
      return .send(
        service.message(notification, to: name, bearer: bearer, at: now), credential: bearer)
    case .silent(let silent, let target):
      let name = target.token.address.name
      return .send(service.silent(silent, to: name, bearer: bearer, at: now), credential: bearer)
    case .notice: return Self.off
    }
  }

  private mutating func prepareFCM(_ push: QueuedPush, at now: Int64) -> Preparation {
    guard let firebase = configuration.firebase else { return Self.off }
    switch access.next(at: now) {
    case .use(let bearer): return send(push, firebase, bearer)
    case .request:
      let request = FCMAccess.request(for: firebase.account, at: now, signedBy: firebase.key)
      guard let request else {
        access.receive(nil, at: now)
        return .end(.alarm(PushFault(0, "the key of the service account does not sign")))
      }
      isRequestingAccess = true
      return .awaitToken(request)
    case .wait:
      return isRequestingAccess
        ? .awaitToken(nil) : .end(.unanswered("no access token of FCM"))
    }
  }

  private func send(
    _ push: QueuedPush, _ firebase: PushConfiguration.Firebase, _ bearer: String
  ) -> Preparation {
    let service = FCMService(
      url: firebase.url, projectID: firebase.account.projectID, style: firebase.style,
      lifetime: configuration.lifetime)
    switch push.content {
    case .message(let notification, let target):
      let name = target.token.address.name
      return .send(service.message(notification, to: name, bearer: bearer), credential: bearer)
    case .silent(let silent, let target):
      let name = target.token.address.name
      return .send(service.silent(silent, to: name, bearer: bearer), credential: bearer)
    case .notice: return Self.off
    }
  }

  private func prepareNotice(_ push: QueuedPush) -> Preparation {
    guard let service = configuration.service, case .notice(let notice, _) = push.content else {
      return Self.off
    }
    let body = notice.body
    guard let code = HMACSHA256.code(of: body, under: service.secret) else {
      return .end(.unanswered("no memory"))
    }
    let fields = [
      "content-type: application/json", "parley-signature: sha256=\(Hexadecimal.encode(code))",
      "parley-delivery: \(notice.id)",
    ]
    return .send(PushRequest(url: service.url, fields: fields, body: body), credential: nil)
  }
}

extension PushConfiguration.Web {
  /// The reason why an endpoint is not called, as far as its URL shows it.
  fileprivate func refusal(of endpoint: String) -> String? {
    guard let url = WebURL(endpoint), url.scheme == .https else {
      return "the endpoint is no URL of https"
    }
    guard ports.permits(url.port) else { return "the endpoint's port \(url.port) is not allowed" }
    guard case .address(let address) = url.host, !addresses.permits(address) else { return nil }
    return "the endpoint's address is not public"
  }
}

extension PushConfiguration.Apple {
  fileprivate func isSameAccount(as other: Self?) -> Bool {
    guard let other else { return false }
    return keyID == other.keyID && teamID == other.teamID && key.pem == other.key.pem
  }
}
