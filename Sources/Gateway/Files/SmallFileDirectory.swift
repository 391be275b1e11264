import Glibc
import Reactor

/// A directory of small files, each written at once, such as the pictures of previews.
enum SmallFileDirectory {
  /// Creates the directory if it is missing.
  ///
  /// - Returns: The names of the files in it, the oldest first.
  static func open(_ path: String) throws(SystemError) -> [String] {
    if Kernel.makeDirectory(path, 0o700) != 0, errno != EEXIST { throw .last("mkdir", on: path) }
    let files = try Kernel.names(inDirectory: path).map { name -> (name: String, age: Int) in
      var status = stat()
      return (name, stat(path + "/" + name, &status) == 0 ? status.st_mtim.tv_sec : 0)
    }
    return files.sorted { $0.age < $1.age }.map(\.name)
  }

  /// Writes a file atomically.
  static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
    let unfinished = path + "~"
    remove(unfinished)
    do throws(SystemError) {
      try NewFile(at: unfinished).append(bytes)
      guard Kernel.rename(unfinished, to: path) == 0 else { throw .last("rename", on: path) }
    } catch {
      remove(unfinished)
      throw error
    }
  }

  static func remove(_ path: String) { Kernel.unlink(path) }
}
