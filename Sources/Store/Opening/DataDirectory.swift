import Glibc

/// The directory that holds the database.
enum DataDirectory {
  /// Creates the directory (mode 0700) and the ones above it when missing.
  static func create(_ path: String) throws(StoreError) {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw .inaccessible(path: path, reason: "not a path")
    }
    guard mkdir(path, 0o700) != 0 else { return synchronize(parent(of: path)) }
    guard errno != EEXIST else { return try checkIsDirectory(path) }
    let reason = errno
    guard reason == ENOENT, let parent = parent(of: path) else {
      throw .inaccessible(path: path, reason: String(cString: strerror(reason)))
    }
    try create(parent)
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw .inaccessible(path: path, reason: String(cString: strerror(errno)))
    }
    synchronize(parent)
  }

  /// Makes a new entry outlive a loss of power, where the file system can be asked to.
  private static func synchronize(_ parent: String?) {
    let descriptor = open(parent ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  private static func parent(of path: String) -> String? {
    var trimmed = Substring(path)
    while trimmed.last == "/" { trimmed.removeLast() }
    guard let slash = trimmed.lastIndex(of: "/"), slash > trimmed.startIndex else { return nil }
    return String(trimmed[..<slash])
  }

  private static func checkIsDirectory(_ path: String) throws(StoreError) {
    guard access(path + "/.", W_OK | X_OK) == 0 else {
      throw .inaccessible(path: path, reason: String(cString: strerror(errno)))
    }
  }
}
