import Configuration
import Crypto
import LinkPreview
import ParleyProtocol
import Push
import PushDelivery
import Reactor

extension PushConfiguration {
  /// Reads the files of credentials that the settings name.
  ///
  /// - Parameters:
  ///   - webKey: The key that signs pushes to browsers; `nil` when none are sent.
  ///   - clock: The clock of the messages.
  /// - Throws: A description of the problem for the operator.
  init(_ settings: PushSettings, webKey: PrivateKey?, clock: DeploymentClock) throws {
    self.init()
    web = try Web(settings, webKey)
    apple = try Apple(settings.apns)
    firebase = try Firebase(settings.fcm)
    if let url = settings.url, let secret = settings.secret {
      service = Service(
        url: url, secret: Array(secret.value.utf8), types: Set(settings.urlTypes))
    }
    rules.maximumAge = settings.maximumAgeSeconds * 1_000
    rules.pushesOpenChannelMentions = settings.pushesOpenChannelMentions
    texts = settings.texts
    budgets.perUser = settings.perUserMinute
    budgets.perSender = settings.perSenderMinute
    clearsOnRead = settings.clearsOnRead
    concurrency = max(2, settings.concurrency)
    lifetime = settings.lifetimeSeconds
    userAgent = "\(Release.name)/\(Release.number)"
    certificateAuthorities = settings.certificatesFile
    self.clock = { clock.now }
  }
}

extension PushConfiguration.Web {
  fileprivate init?(_ settings: PushSettings, _ key: PrivateKey?) throws(StartError) {
    guard let key, let subject = settings.subject else { return nil }
    self.init(key: key, subject: subject)
    addresses = AddressPolicy(allowing: settings.allowedNetworks)
    ports = PortPolicy(settings.allowedPorts)
  }
}

extension PushConfiguration.Apple {
  fileprivate init?(_ settings: APNsSettings) throws {
    guard let path = settings.keyFile, let keyID = settings.keyID, let teamID = settings.teamID,
      let topic = settings.topic
    else { return nil }
    let key = try PrivateKey(path: path)
    guard key.publicPoint != nil else {
      throw StartError("push.apns.key_file \(path) has to be a key on the curve P-256")
    }
    self.init(key: key, keyID: keyID, teamID: teamID, topic: topic, url: settings.url)
  }
}

extension PushConfiguration.Firebase {
  fileprivate init?(_ settings: FCMSettings) throws {
    guard let path = settings.serviceAccount else { return nil }
    let account: ServiceAccount
    do {
      let file = try FileContents.read(path, atMost: ServiceAccount.byteLimit + 1)
      account = try ServiceAccount(file)
    } catch {
      throw StartError("push.fcm.service_account \(path): \(error)")
    }
    let key = try PrivateKey(pem: account.privateKey, from: "the private_key in \(path)")
    guard key.algorithm == "RS256" else {
      throw StartError("push.fcm.service_account \(path): 'private_key' has to be an RSA key")
    }
    self.init(account: account, key: key, url: settings.url, style: settings.style)
  }
}
