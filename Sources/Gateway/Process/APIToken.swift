import Configuration
import Glibc
import Reactor
import Tokens

/// The first token of the Platform API, made when the gateway first starts.
enum APIToken {
  private static let fileName = "api-token"

  /// Makes sure that there is a token, for the operator to find.
  ///
  /// Nothing is written when the settings give one, and an existing file is left alone.
  static func prepare(_ settings: Settings) throws(SystemError) {
    guard settings.auth.apiToken == nil else { return }
    let path = settings.dataDirectory + "/" + fileName
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
}
