import Foundation
import Streams

/// A temporary directory with an authority and a server's certificate; removed at the end.
final class Workspace {
  let directory: URL
  let authority: Certificate

  init() throws {
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("parley-tls-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    authority = try Certificate(names: [])
    try authority.writeCertificate(to: path("authority.pem"))
    try install(Certificate(names: ["DNS:localhost", "IP:127.0.0.1"], issuer: authority))
  }

  deinit {
    try? FileManager.default.removeItem(at: directory)
  }

  func path(_ name: String) -> String {
    directory.appendingPathComponent(name).path
  }

  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: directory.appendingPathComponent(name))
  }

  /// Makes `certificate` the server's.
  func install(_ certificate: Certificate) throws {
    try certificate.writeCertificate(to: path("server.pem"), chain: [authority])
    try certificate.writeKey(to: path("server.key"))
  }

  func makeServerContext(alpn: [String] = ["http/1.1"]) throws -> TLSServerContext {
    try TLSServerContext(
      certificatePath: path("server.pem"), privateKeyPath: path("server.key"), alpn: alpn)
  }

  func makeClientContext(
    alpn: [String] = ["http/1.1"], maximumVersion: TLSVersion = .tls13
  ) throws -> TLSClientContext {
    try TLSClientContext(
      extraAuthoritiesPath: path("authority.pem"), alpn: alpn, maximumVersion: maximumVersion)
  }
}
