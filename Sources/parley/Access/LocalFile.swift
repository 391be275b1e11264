internal import Glibc
internal import Reactor

/// The files of the user that runs the command.
enum LocalFile {
  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Returns the text of a file; `nil` if it is not readable, not UTF-8 or has more bytes.
  static func text(at path: String, atMost limit: Int) -> String? {
    guard let bytes = try? FileContents.read(path, atMost: limit + 1), bytes.count <= limit else {
      return nil
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Returns a text without white space around it.
  static func trimmed(_ text: String) -> String {
    let rest = text.drop { $0.isWhitespace }
    return String(rest.reversed().drop { $0.isWhitespace }.reversed())
  }

  /// Replaces the contents of a file.
  static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
    let descriptor = Kernel.uninterrupted {
      Kernel.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    }
    guard descriptor >= 0 else { throw .last("open", on: path) }
    defer { Kernel.close(descriptor) }
    try Kernel.write(all: bytes, to: descriptor, named: path)
  }

  /// Creates a directory and its missing parents.
  static func makeDirectories(_ path: String) throws(SystemError) {
    var end = path.startIndex
    repeat {
      let next = path[end...].dropFirst().firstIndex(of: "/") ?? path.endIndex
      end = next
      let part = String(path[..<end])
      if Kernel.makeDirectory(part, 0o777) != 0, errno != EEXIST {
        throw .last("mkdir", on: part)
      }
    } while end < path.endIndex
  }

  /// Returns the home directory: from the environment, or else from the user's entry.
  static func homeDirectory(_ environment: [String: String]) -> String {
    if let home = environment["HOME"], !home.isEmpty { return home }
    return getpwuid(getuid()).map { String(cString: $0.pointee.pw_dir) } ?? "/"
  }
}
