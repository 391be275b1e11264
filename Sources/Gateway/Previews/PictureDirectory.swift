import Glibc
import Reactor

/// The directory of the pictures of previews.
enum PictureDirectory {
  /// Makes the directory if it is missing.
  ///
  /// - Returns: The names of the files in it, the oldest first.
  static func open(_ path: String) throws(SystemError) -> [String] {
    if mkdir(path, 0o700) != 0, errno != EEXIST { throw .last("mkdir", on: path) }
    guard let stream = opendir(path) else { throw .last("opendir", on: path) }
    defer { closedir(stream) }
    var files: [(name: String, age: Int)] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard name != ".", name != ".." else { continue }
      var status = stat()
      files.append((name, stat(path + "/" + name, &status) == 0 ? status.st_mtim.tv_sec : 0))
    }
    return files.sorted { $0.age < $1.age }.map(\.name)
  }

  /// Writes a file that appears as a whole.
  static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
    let unfinished = path + "~"
    remove(unfinished)
    do throws(SystemError) {
      try NewFile(at: unfinished).append(bytes)
      guard rename(unfinished, path) == 0 else { throw .last("rename", on: path) }
    } catch {
      remove(unfinished)
      throw error
    }
  }

  static func remove(_ path: String) { unlink(path) }
}
