import Foundation
import TestPeers
import Testing

@testable import parley

@Suite("A file of profiles")
struct ProfileFileTests {
  @Test("names gateways, tokens and users")
  func profiles() throws {
    let profiles = try ProfileFile.parse(
      """
      default:
        server: http://a
        api_token_file: /t
      "live":
        user: ada
        token: secret
        api_token: 123
      """)
    #expect(profiles["default"] == Profile(server: "http://a", apiTokenFile: "/t"))
    #expect(profiles["live"] == Profile(apiToken: "123", user: "ada", token: "secret"))
    #expect(try ProfileFile.parse("").isEmpty)
  }

  @Test(
    "is refused with the fault in it",
    arguments: [
      ("a: {sever: x}", "sever is unknown"), ("a: 1", "a: server"), ("- a", "names of profiles"),
      ("a: {user: [x]}", "a.user"), ("a: [", "not valid YAML"),
      ("a: &x {user: u}\nb: *x", "aliases"),
    ])
  func refused(text: String, part: String) {
    let error = #expect(throws: ProfileError.self) { try ProfileFile.parse(text) }
    #expect(error?.description.contains(part) == true, "\(error?.description ?? "")")
  }

  @Test("is checked for its read permissions")
  func mode() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path(of: "profiles.yaml")
    try "".write(toFile: path, atomically: false, encoding: .utf8)
    chmod(path, 0o600)
    #expect(!ProfileFile.isReadableByOthers(path))
    chmod(path, 0o640)
    #expect(ProfileFile.isReadableByOthers(path))
  }
}
