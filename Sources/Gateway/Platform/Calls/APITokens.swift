import Configuration
import Crypto
import Glibc
import Reactor

/// Who may call the Platform API.
struct APITokens: Sendable {
  private static let fileName = "api-token"
  private static let maximumLength = 4_096

  /// How the first token goes by where others have an id; it can't be revoked by a call.
  static let firstID = "first"

  private let first: TokenDigest
  let issued: IssuedAPITokens

  /// Takes the first token from the settings, else from the file in the data directory, which is
  /// made when the gateway first starts.
  ///
  /// - Throws: What stands in the way, in words for the operator.
  init(_ settings: Settings, issued: IssuedAPITokens) throws {
    self.issued = issued
    if let token = settings.auth.apiToken {
      first = TokenDigest(of: token.value)
      return
    }
    let path = settings.dataDirectory + "/" + Self.fileName
    try Self.makeFile(path)
    first = TokenDigest(of: try Self.readFile(path))
  }

  /// The token of a request if it may pass; takes equally long for all wrong ones.
  func admit(_ token: String?) -> TokenDigest? {
    guard let token, token.utf8.count <= Self.maximumLength else { return nil }
    let digest = TokenDigest(of: token)
    let isIssued = issued.contains(digest)
    return digest == first || isIssued ? digest : nil
  }

  /// Makes the file with a new token, unless there is one.
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
    var bytes = [UInt8](repeating: 0, count: maximumLength + 1)
    let count = read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { throw SystemError.last("read", on: path) }
    let token = bytes[..<count].split(whereSeparator: { $0 <= 0x20 })
    guard count <= maximumLength, token.count == 1, let first = token.first,
      first.allSatisfy({ (0x21...0x7e).contains($0) })
    else {
      throw StartError(
        "\(path) does not hold one API token; delete it to have a new one made, or put one there")
    }
    return String(decoding: first, as: UTF8.self)
  }
}
