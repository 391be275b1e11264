import Configuration
import Crypto
import Glibc
import Reactor
import SealedFiles

/// The place that master keys are read from.
enum MasterKeySource: Sendable {
  case file(String)
  case command(String)

  init(_ settings: Settings) {
    let files = settings.files
    self =
      files.masterKeyCommand.map { .command($0) }
      ?? .file(files.masterKeys ?? settings.dataDirectory + "/file-keys")
  }

  /// The setting, for errors.
  var setting: String {
    switch self {
    case .file: "files.master_keys"
    case .command: "files.master_key_command"
    }
  }

  /// Reads the keys; `nil` when there is no such file.
  ///
  /// - Throws: The obstacle in words, without any key.
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

  /// A key with a name that no other has.
  static func newKey() -> MasterKey { MasterKey(id: "k" + SecureRandom.hex(byteCount: 4)) }

  /// Replaces the file as a whole, for good.
  static func write(_ keys: MasterKeys, to path: String) throws(StartError) {
    do throws(SystemError) {
      let draft = path + ".new"
      _ = Kernel.unlink(draft)
      let file = try NewFile(at: draft)
      try file.append(Array(keys.text.utf8))
      try file.synchronize()
      guard Kernel.rename(draft, to: path) == 0 else { throw SystemError.last("rename", on: path) }
      try synchronizeDirectory(of: path)
    } catch {
      throw StartError("files.master_keys: \(error)")
    }
  }

  private static func synchronizeDirectory(of path: String) throws(SystemError) {
    let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let descriptor = Kernel.open(
      directory.isEmpty ? "/" : directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .last("open", on: directory) }
    defer { Kernel.close(descriptor) }
    guard Kernel.uninterrupted({ Kernel.synchronize(descriptor) }) == 0 else {
      throw .last("fsync", on: directory)
    }
  }
}

/// A command that prints the master keys, for a vault or a service of keys.
enum MasterKeyCommand {
  private static let timeLimit: Int64 = 10_000
  private static let byteLimit = 65_536

  /// Runs a command of the shell, and returns what it prints.
  ///
  /// Blocks for ten seconds at most.
  static func run(_ command: String) throws(StartError) -> [UInt8] {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw failure("there is no pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A group of its own, so that all of it can be ended.
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
    var child: pid_t = 0
    var arguments: [UnsafeMutablePointer<CChar>?] = []
    for text in ["/bin/sh", "-c", command] { arguments.append(strdup(text)) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    let result = posix_spawn(&child, "/bin/sh", &actions, &attributes, &arguments, environ)
    close(ends[1])
    guard result == 0 else { throw failure("/bin/sh does not start") }
    let bytes = read(ends[0])
    if bytes == nil { kill(-child, SIGKILL) }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    guard let bytes else { throw failure("it prints too much, or takes more than 10 seconds") }
    guard status == 0 else { throw failure("it fails (wait status \(status))") }
    return bytes
  }

  private static func read(_ descriptor: Int32) -> [UInt8]? {
    let end = SystemClock.monotonicMilliseconds + timeLimit
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while bytes.count <= byteLimit {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let rest = end - SystemClock.monotonicMilliseconds
      guard rest > 0 else { return nil }
      guard poll(&entry, 1, Int32(rest)) > 0 else { continue }
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count == 0 { return bytes }
      if count > 0 { bytes += buffer[..<count] }
    }
    return nil
  }

  private static func failure(_ reason: String) -> StartError {
    StartError("files.master_key_command: \(reason)")
  }
}
