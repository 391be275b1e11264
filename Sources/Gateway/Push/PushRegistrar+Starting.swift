import Configuration
import Crypto
import Store

extension PushRegistrar {
  /// - Parameter store: The store of several servers, which have one key; `nil` on a single server.
  /// - Throws: A description of the problem for the operator.
  convenience init(_ settings: Settings, store: Store?) throws {
    let isWanted = settings.push.isWebOn
    self.init(
      settings.push, webKey: isWanted ? try Self.webKey(settings.dataDirectory, store) : nil)
  }

  private static func webKey(_ directory: String, _ store: Store?) throws -> PrivateKey {
    guard let store else { return try PushKeyFile.readOrMake(inDirectory: directory) }
    // A server that was alone before keeps its subscriptions.
    let own = try PushKeyFile.read(inDirectory: directory) ?? .generateP256()
    let pem = try store.performNow(PushKeyCreation(pem: own.pem))
    return try PushKeyFile.key(pem: pem, from: "the key of pushes in the database")
  }
}
