import Crypto
import Glibc
import Reactor

/// The directories of files on disk.
///
///     data_dir/files/0123456789abcdef0123456789abcdef    those that messages have
///     data_dir/uploads/…                                 those that are still coming
///
/// Both are on one file system, so that a file becomes one of the first by its name alone.
struct FileDirectory: Sendable {
  private let kept: String
  private let incoming: String

  /// Names the places below a data directory.
  init(dataDirectory: String) {
    kept = dataDirectory + "/files"
    incoming = dataDirectory + "/uploads"
  }

  /// Makes the places, and removes what an earlier process was receiving when it ended.
  func prepare() throws(StoreError) {
    try DataDirectory.create(kept)
    try DataDirectory.create(incoming)
    for name in Self.names(in: incoming) { Kernel.unlink(incoming + "/" + name) }
  }

  func path(of id: String) -> String { kept + "/" + id }

  func incomingPath(of id: String) -> String { incoming + "/" + id }

  /// Every file that is there now.
  func ids() -> [String] { Self.names(in: kept).filter(FileID.isValid) }

  /// Removes a file; one that is not there is removed already.
  func remove(_ id: String) {
    Kernel.unlink(path(of: id))
  }

  /// Moves a complete file to those that are kept, for good once this returns; removes it when that
  /// fails.
  func keep(_ id: String) throws(SystemError) {
    guard Kernel.rename(incomingPath(of: id), to: path(of: id)) == 0 else {
      throw .last("rename", on: incomingPath(of: id))
    }
    do throws(SystemError) { try synchronize() } catch {
      remove(id)
      throw error
    }
  }

  private func synchronize() throws(SystemError) {
    let descriptor = Kernel.uninterrupted {
      Kernel.open(kept, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    guard descriptor >= 0 else { throw .last("open", on: kept) }
    defer { Kernel.close(descriptor) }
    guard Kernel.uninterrupted({ Kernel.synchronize(descriptor) }) == 0 else {
      throw .last("fsync", on: kept)
    }
  }

  private static func names(in directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}

/// The name of a file in the store: 128 random bits, which nobody guesses.
package enum FileID {
  /// Makes a new one.
  static func make() -> String {
    SecureRandom.hex(byteCount: 16)
  }

  /// Whether a text could be one; no other may become part of a path.
  package static func isValid(_ text: String) -> Bool {
    text.utf8.count == 32
      && text.utf8.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
  }
}
