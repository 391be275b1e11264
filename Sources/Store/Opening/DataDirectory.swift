import Glibc
import Reactor
import Synchronization

/// The directory that holds the database and a server's other private files.
package enum DataDirectory {
  /// Creates the directory (mode 0700) and its missing parents.
  ///
  /// - Throws: `StoreError.inaccessible`, also when the directory exists and is not writable.
  package static func create(_ path: String) throws(StoreError) {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw .inaccessible(path: path, reason: "not a path")
    }
    guard Kernel.makeDirectory(path, 0o700) != 0 else { return try synchronize(parent(of: path)) }
    guard errno != EEXIST else { return try check(path) }
    let error = SystemError.last("mkdir")
    guard error.code == ENOENT, let parent = parent(of: path) else {
      throw .inaccessible(path: path, reason: error.reason)
    }
    try create(parent)
    guard Kernel.makeDirectory(path, 0o700) == 0 || errno == EEXIST else {
      throw .inaccessible(path: path, reason: SystemError.last("mkdir").reason)
    }
    try synchronize(parent)
  }

  /// Makes a new entry survive a power failure, where the file system supports it.
  private static func synchronize(_ parent: String?) throws(StoreError) {
    let path = parent ?? "."
    let descriptor = Kernel.uninterrupted {
      Kernel.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    // A writable parent may not be readable.
    guard descriptor >= 0 else { return }
    defer { Kernel.close(descriptor) }
    guard Kernel.uninterrupted({ Kernel.synchronize(descriptor) }) == 0 || errno != EIO else {
      throw .inaccessible(path: path, reason: SystemError.last("fsync").reason)
    }
  }

  private static func parent(of path: String) -> String? {
    var trimmed = Substring(path)
    while trimmed.last == "/" { trimmed.removeLast() }
    guard let slash = trimmed.lastIndex(of: "/"), slash > trimmed.startIndex else { return nil }
    return String(trimmed[..<slash])
  }

  /// - Throws: `StoreError.inaccessible` unless the path is a writable directory.
  static func check(_ path: String) throws(StoreError) {
    guard access(path + "/.", W_OK | X_OK) == 0 else {
      throw .inaccessible(path: path, reason: SystemError.last("access").reason)
    }
  }
}

extension DataDirectory {
  private static let locksByteCount = 16_777_216

  /// The process that uses a directory, according to the kernel's list of locks; `nil` when none does.
  ///
  /// Does not take the lock itself, because that could prevent a server from starting.
  package static func owner(of directory: String) -> Int32? {
    var status = stat()
    guard stat(directory + "/lock", &status) == 0,
      let bytes = try? FileContents.read("/proc/locks", atMost: locksByteCount)
    else { return nil }
    // 1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count > 5, fields[1] == "FLOCK",
        fields[5].split(separator: ":").last == "\(status.st_ino)"
      else { continue }
      return Int32(fields[4])
    }
    return nil
  }
}

/// The exclusive use of a data directory, held until `release` or the end of the process.
///
/// The lock belongs to the kernel and ends with the process, so a crash leaves none behind; the process
/// number in the file only serves the error message.
final class DirectoryLock: Sendable {
  /// -1 once released.
  private let held: Atomic<Int32>

  /// - Throws: `StoreError.locked` when another process holds it, `.inaccessible` when the file cannot
  ///   be created.
  init(directory: String) throws(StoreError) {
    let path = directory + "/lock"
    let descriptor = Kernel.uninterrupted {
      Kernel.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    }
    guard descriptor >= 0 else {
      throw .inaccessible(path: path, reason: SystemError.last("open").reason)
    }
    guard Kernel.uninterrupted({ Kernel.lock(descriptor, LOCK_EX | LOCK_NB) }) == 0 else {
      let error = SystemError.last("flock")
      let owner = Self.readProcessID(descriptor)
      Kernel.close(descriptor)
      guard error.code == EWOULDBLOCK else {
        throw .inaccessible(path: path, reason: error.reason)
      }
      throw .locked(directory: directory, processID: owner)
    }
    held = Atomic(descriptor)
    Self.writeProcessID(descriptor)
  }

  deinit {
    release()
  }

  /// Lets another process use the directory; releasing again does nothing.
  func release() {
    let descriptor = held.exchange(-1, ordering: .acquiringAndReleasing)
    guard descriptor >= 0 else { return }
    // A child between fork and exec still has the file open, and with it the lock.
    _ = Kernel.lock(descriptor, LOCK_UN)
    Kernel.close(descriptor)
  }

  private static func writeProcessID(_ descriptor: Int32) {
    let text = Array("\(getpid())\n".utf8)
    Kernel.truncate(descriptor, to: 0)
    _ = Kernel.write(descriptor, text, text.count)
  }

  private static func readProcessID(_ descriptor: Int32) -> Int32 {
    var buffer = [UInt8](repeating: 0, count: 16)
    let count = Kernel.read(descriptor, &buffer, buffer.count, from: 0)
    let digits = buffer.prefix(max(0, count)).prefix { $0 >= 0x30 && $0 <= 0x39 }
    return Int32(String(decoding: digits, as: UTF8.self)) ?? 0
  }
}
