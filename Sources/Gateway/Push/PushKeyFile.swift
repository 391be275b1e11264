import Configuration
import Crypto
import Glibc
import Reactor

/// The file in the data directory that holds the key that signs pushes to browsers.
///
/// Browsers subscribe to pushes of this key only, so that another key ends all subscriptions.
enum PushKeyFile {
  static let name = "push-key"
  private static let byteLimit = 65_536

  /// Reads the key, or makes one.
  ///
  /// - Throws: A description of the problem for the operator.
  static func readOrMake(inDirectory directory: String) throws -> PrivateKey {
    if let key = try read(inDirectory: directory) { return key }
    let path = directory + "/" + name
    let key = PrivateKey.generateP256()
    let draft = path + ".new-" + SecureRandom.hex(byteCount: 4)
    try DurableFile.write(Array(key.pem.utf8), to: draft)
    try DurableFile.publish(draft, at: path)
    return key
  }

  /// Reads the key; `nil` if there is none.
  ///
  /// - Throws: A description of the problem for the operator.
  static func read(inDirectory directory: String) throws -> PrivateKey? {
    let path = directory + "/" + name
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try FileContents.read(path, atMost: byteLimit)
    } catch {
      guard error.code == ENOENT else { throw error }
      return nil
    }
    return try key(pem: String(decoding: bytes, as: UTF8.self), from: path)
  }

  /// Parses a key.
  ///
  /// - Parameter source: The place of the text, for errors.
  /// - Throws: A description of the problem for the operator.
  static func key(pem: String, from source: String) throws -> PrivateKey {
    let key = try PrivateKey(pem: pem, from: source)
    guard key.publicPoint != nil else {
      throw StartError("\(source) has to be a key on the curve P-256: pushes to browsers need one")
    }
    return key
  }
}
