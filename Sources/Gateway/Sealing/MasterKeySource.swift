import Configuration
import Crypto
import Glibc
import Reactor

/// The source of the master keys.
enum MasterKeySource: Sendable, Hashable {
  case file(String)
  case command(String)

  init(_ settings: Settings) {
    self =
      settings.files.masterKeyCommand.map { .command($0) } ?? .file(settings.masterKeyPath)
  }

  /// The setting, for errors.
  var setting: String {
    switch self {
    case .file: "files.master_keys"
    case .command: "files.master_key_command"
    }
  }

  /// The file or the kind of place, for errors.
  var place: String {
    switch self {
    case .file(let path): path
    case .command: "the command"
    }
  }

  /// Reads the keys; `nil` when the file does not exist.
  ///
  /// - Throws: A description of the problem, without any key.
  func read() throws(StartError) -> MasterKeys? {
    switch self {
    case .file(let path): try Self.read(path)
    case .command(let command):
      try Self.keys(try MasterKeyCommand.run(command), "files.master_key_command")
    }
  }

  private static let byteLimit = 65_536

  private static func read(_ path: String) throws(StartError) -> MasterKeys? {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try FileContents.read(path, atMost: byteLimit)
    } catch {
      guard error.code != ENOENT else { return nil }
      throw StartError("files.master_keys: \(error)")
    }
    return try keys(bytes, "files.master_keys: \(path)")
  }

  private static func keys(_ bytes: [UInt8], _ place: String) throws(StartError) -> MasterKeys {
    do throws(MasterKeysError) {
      return try MasterKeys(text: String(decoding: bytes, as: UTF8.self))
    } catch {
      throw StartError("\(place): \(error)")
    }
  }

  /// Generates a key with a unique name.
  static func newKey() -> MasterKey { MasterKey(id: "k" + SecureRandom.hex(byteCount: 4)) }

  /// Writes a key file beside the file that it replaces.
  ///
  /// The new file is durable on return.
  ///
  /// - Returns: The path of the new file, which no other server uses.
  static func draft(_ keys: MasterKeys, for path: String) throws(StartError) -> String {
    do throws(SystemError) {
      let draft = path + ".new-" + keys.current.id
      try DurableFile.write(Array(keys.text.utf8), to: draft)
      return draft
    } catch {
      throw StartError("files.master_keys: \(error)")
    }
  }

  /// Replaces the key file atomically and durably.
  static func publish(_ draft: String, at path: String) throws(StartError) {
    do throws(SystemError) {
      try DurableFile.publish(draft, at: path)
    } catch {
      throw StartError("files.master_keys: \(error)")
    }
  }
}
