import Glibc
import Reactor

/// The directory that holds the database.
enum DataDirectory {
  /// Creates the directory (mode 0700) and the ones above it when missing.
  static func create(_ path: String) throws(StoreError) {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw .inaccessible(path: path, reason: "not a path")
    }
    guard Kernel.makeDirectory(path, 0o700) != 0 else { return try synchronize(parent(of: path)) }
    guard errno != EEXIST else { return try checkIsDirectory(path) }
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

  /// Makes a new entry outlive a loss of power, where the file system supports it.
  private static func synchronize(_ parent: String?) throws(StoreError) {
    let path = parent ?? "."
    let descriptor = Kernel.uninterrupted {
      Kernel.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    // A parent that may be written to need not be readable.
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

  private static func checkIsDirectory(_ path: String) throws(StoreError) {
    guard access(path + "/.", W_OK | X_OK) == 0 else {
      throw .inaccessible(path: path, reason: SystemError.last("access").reason)
    }
  }
}
