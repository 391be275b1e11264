import Configuration
import Crypto
import ParleyProtocol

/// The keys with which users open files that are stored encrypted.
final class UserFileKeys: Sendable {
  private let settings: Settings
  private let masterKeys: MasterKeyring
  let failures: FailedKeys
  private let counters: FileVaultCounters

  init(_ settings: Settings, _ masterKeys: MasterKeyring, _ counters: FileVaultCounters) {
    self.settings = settings
    self.masterKeys = masterKeys
    self.counters = counters
    failures = FailedKeys(perSecond: settings.limits.fileKeyFailuresPerSecond)
  }

  /// Whether users receive file keys once the server has master keys.
  var isOn: Bool { settings.limits.fileBytes > 0 }

  /// Whether users receive file keys.
  var givesKeys: Bool { isOn && masterKeys.current != nil }

  /// Issues a file key for a user; `nil` when files are off or there are no master keys.
  func key(of userID: String, since generation: Int64, at now: Int64) -> Event.FileKey? {
    guard isOn, let masters = masterKeys.current else { return nil }
    let expiry = now + settings.files.keySeconds * 1_000
    let key = FileAccessKey(
      userID: userID, generation: UInt64(clamping: generation), expiresAt: expiry)
    counters.add(.given)
    return Event.FileKey(key: key.text(with: masters), expiresAt: expiry)
  }

  /// The time before the expiry of a key at which a session receives a new one.
  var renewalTime: Int64 { min(3_600_000, settings.files.keySeconds * 500) }

  /// Checks the key of a request, without a store look-up.
  func judge(_ sent: SentFileKey, from address: FailedKeys.Address, at now: Int64) -> KeyJudgement {
    let key: FileAccessKey
    switch sent {
    case .none: return .missing
    case .several: return failure(from: address)
    case .one(let text):
      // Without master keys the key cannot be checked, and it may be valid on another server.
      guard let masters = masterKeys.current else { return .void }
      guard let read = FileAccessKey(text: text, keys: masters) else {
        return failure(from: address)
      }
      key = read
    }
    return key.expiresAt > now ? .good(key) : .void
  }

  private func failure(from address: FailedKeys.Address) -> KeyJudgement {
    guard failures.admit(address) else {
      counters.add(.slowed)
      return .slowed
    }
    counters.add(.refused)
    return .void
  }
}

/// The result of checking the key of a request.
enum KeyJudgement: Sendable {
  case missing
  case good(FileAccessKey)
  /// Invalid or expired, or the server has no master keys to check the key with.
  case void
  /// Too many invalid keys came from the address.
  case slowed
}
