import Basics
import Crypto
import Glibc
import Reactor

/// Copies of files that never change: uploaded files under their ids, keys.
struct FileCopy {
  private static let stepByteCount = 1 << 20

  /// The files copied so far.
  private(set) var count = 0
  private(set) var byteCount: Int64 = 0
  /// The number of these files that are links to an earlier copy.
  private(set) var linkCount = 0

  /// Copies all files of a directory into another one.
  ///
  /// Files that are removed in the meantime are left out.
  ///
  /// - Parameter earlier: An earlier copy of the directory: files that have not changed since are linked
  ///   to it and take no additional space.
  mutating func copyAll(
    from source: String, to target: String, sharingWith earlier: String? = nil
  ) throws(SystemError) {
    guard FileStatus(source) != nil else { return }
    guard Kernel.makeDirectory(target, 0o700) == 0 || errno == EEXIST else {
      throw .last("mkdir", on: target)
    }
    for name in try Kernel.names(inDirectory: source) {
      let path = source + "/" + name
      guard let status = FileStatus(path), status.isRegular else { continue }
      let copy = target + "/" + name
      if FileStatus(copy) == nil {
        if let earlier, Self.link(earlier + "/" + name, to: copy, like: status) {
          linkCount += 1
        } else {
          guard try Self.copy(path, to: copy) else { continue }
        }
      }
      count += 1
      byteCount += status.byteCount
    }
    try Tree.synchronize(target)
  }

  /// Copies a file with its modification time, readable by its owner only; on disk once this returns.
  ///
  /// - Returns: Whether the file existed.
  static func copy(_ path: String, to target: String) throws(SystemError) -> Bool {
    let source: OpenFile
    do throws(SystemError) {
      source = try OpenFile(readingFrom: path)
    } catch {
      guard error.code == ENOENT else { throw error }
      return false
    }
    let copy = try NewFile(at: target)
    var offset: Int64 = 0
    while true {
      let bytes = try source.read(from: offset, atMost: stepByteCount)
      guard !bytes.isEmpty else { break }
      try copy.append(bytes)
      offset += Int64(bytes.count)
    }
    if let changed = FileStatus(path)?.changed {
      utimensat(AT_FDCWD, target, [changed, changed], 0)
    }
    try copy.synchronize()
    return true
  }

  /// The SHA-256 of a file, in hexadecimal digits.
  static func sha256(of path: String) throws(SystemError) -> String {
    let file = try OpenFile(readingFrom: path)
    let digest = RunningDigest(.sha256)
    var offset: Int64 = 0
    while true {
      let bytes = try file.read(from: offset, atMost: stepByteCount)
      guard !bytes.isEmpty else { break }
      digest.add(bytes)
      offset += Int64(bytes.count)
    }
    return Hexadecimal.encode(digest.end())
  }

  /// - Returns: Whether the file is a link to an earlier copy.
  private static func link(_ earlier: String, to copy: String, like status: FileStatus) -> Bool {
    guard let old = FileStatus(earlier), old.isLike(status) else { return false }
    return Glibc.link(earlier, copy) == 0
  }
}
