import Crypto
import Glibc
import Reactor

/// The file in the data directory that holds the first token of the Platform API.
enum APITokenFile {
  private static let name = "api-token"

  /// Reads the token.
  ///
  /// Creates the file with a new token when the gateway first starts.
  ///
  /// - Throws: A description of the problem for the operator.
  static func readOrMake(inDirectory directory: String) throws -> String {
    let path = directory + "/" + name
    try makeFile(path)
    return try readFile(path)
  }

  /// Creates the file with a new token, unless the file exists.
  private static func makeFile(_ path: String) throws(SystemError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      guard errno == EEXIST else { throw .last("open", on: path) }
      return
    }
    defer { close(descriptor) }
    let line = Array((SecureRandom.base64URL(byteCount: 24) + "\n").utf8)
    guard write(descriptor, line, line.count) == line.count, fsync(descriptor) == 0 else {
      let error = SystemError.last("write", on: path)
      unlink(path)
      throw error
    }
  }

  private static func readFile(_ path: String) throws -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError.last("open", on: path) }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: APITokens.maximumLength + 1)
    let count = read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { throw SystemError.last("read", on: path) }
    let token = bytes[..<count].split(whereSeparator: { $0 <= 0x20 })
    guard count <= APITokens.maximumLength, token.count == 1, let first = token.first,
      first.allSatisfy({ (0x21...0x7e).contains($0) })
    else {
      throw StartError(
        "\(path) does not hold one API token; delete it to have a new one made, or put one there")
    }
    return String(decoding: first, as: UTF8.self)
  }
}
