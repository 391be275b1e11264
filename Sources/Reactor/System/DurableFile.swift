import Glibc

/// Files that are complete on disk before they are used.
package enum DurableFile {
  /// Writes a new file that only its owner may read.
  ///
  /// The file is durable on return, but its name may not be.
  ///
  /// - Throws: `EEXIST` when the path exists.
  package static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
    let file = try NewFile(at: path)
    try file.append(bytes)
    try file.synchronize()
  }

  /// Gives a file its final name atomically and durably, in place of an earlier one.
  ///
  /// - Parameter draft: The file, in the same directory.
  package static func publish(_ draft: String, at path: String) throws(SystemError) {
    guard Kernel.rename(draft, to: path) == 0 else { throw .last("rename", on: path) }
    try synchronizeDirectory(of: path)
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
