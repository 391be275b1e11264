internal import ArgumentParser
internal import Foundation

/// How a gateway is connected to, over HTTP and WebSocket alike.
struct NetworkRoute: Equatable {
  /// A PEM file of authorities that are trusted beside the system's.
  var authorityFile: String?
  /// The URL of an HTTP proxy.
  var proxyURL: String?

  /// The way to an address.
  ///
  /// - Throws: `ValidationError` for a file without certificates and a proxy of another kind.
  init(
    to address: ServerAddress, authorityFile: String?,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws {
    do {
      proxyURL = try EnvironmentProxy.url(for: address, environment: environment)
    } catch {
      throw ValidationError(error.description)
    }
    self.authorityFile = authorityFile
    if let authorityFile { try Self.check(authorityFile) }
  }

  /// What is wrong with the file is told by its name, before anything is connected to.
  private static func check(_ path: String) throws {
    guard let text = try? Data(contentsOf: URL(fileURLWithPath: path)) else {
      throw ValidationError("the certificates in \(path) cannot be read")
    }
    guard text.range(of: Data("-----BEGIN CERTIFICATE-----".utf8)) != nil else {
      throw ValidationError("\(path) has no certificate in PEM form")
    }
  }
}
