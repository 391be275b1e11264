import Crypto
import Foundation
import Logging
import ParleyProtocol
import Reactor
import Synchronization
import TestPeers
import TestSupport
import Testing

@testable import KeySets

@Suite("Key sets that are fetched")
struct KeySetsTests {
  private let directory: TemporaryDirectory
  private let key = PrivateKey.generateP256()
  private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  init() throws { directory = try TemporaryDirectory() }

  private func start(_ url: String, staleSeconds: Int64 = 86_400) throws -> KeySets {
    let source = KeySetSource(TokenIssuer("https://id"), url: url)
    return try KeySets(
      KeySets.Configuration(
        [source], staleSeconds: staleSeconds, directory: directory.path(of: "jwks"),
        userAgent: "test"), logger: logger)
  }

  private func answer(
    _ sets: KeySets, _ id: String, by key: PrivateKey? = nil
  ) throws
    -> KeySetAnswer
  {
    let token = try CompactToken(ProviderText.token(key ?? self.key, id))
    let found = Mutex<KeySetAnswer?>(nil)
    let isOurs = sets.verify(KeySets.Check(token, user: "jeff") { 100 }) { answer in
      found.withLock { $0 = answer }
    }
    #expect(isOurs)
    try Deadline.standard.wait(for: "an answer") { found.withLock { $0 != nil } }
    return try #require(found.withLock { $0 })
  }

  private func isAccepted(_ answer: KeySetAnswer) -> Bool {
    if case .accepted = answer { true } else { false }
  }

  @Test("a token that comes before the first set waits for it")
  func firstSet() throws {
    let server = try PageServer(page: String(decoding: ProviderText.set(key, "1"), as: UTF8.self))
    defer { server.stop() }
    let sets = try start(server.url("/keys"))
    defer { sets.shutDown() }
    #expect(isAccepted(try answer(sets, "1")))
    #expect(!sets.awaitsFirstSet)
    #expect(try answer(sets, "2") == .refused(.unknownKey("2")))
    let stranger = PrivateKey.generateP256()
    #expect(try answer(sets, "1", by: stranger) == .refused(.badSignature))
    #expect(server.requestedPaths == ["/keys"])
    let figures = try #require(sets.figures.first)
    #expect(figures.counts == [.fetched: 1])
    #expect(figures.keyCount == 1)
    #expect(figures.overdue == 0)
  }

  @Test("a restart uses the copy while the provider is down, but not for another URL")
  func copy() throws {
    let server = try PageServer(page: String(decoding: ProviderText.set(key, "1"), as: UTF8.self))
    let url = server.url("/keys")
    let first = try start(url)
    #expect(isAccepted(try answer(first, "1")))
    let path = KeySetCopy.path(
      of: KeySetSource(TokenIssuer("https://id"), url: url), in: directory.path(of: "jwks"))
    try Deadline.standard.wait(for: "the copy") { FileManager.default.fileExists(atPath: path) }
    #expect(!PrivateFile.isOpenToOthers(path))
    first.shutDown()
    server.stop()

    let second = try start(url)
    defer { second.shutDown() }
    #expect(!second.awaitsFirstSet)
    #expect(isAccepted(try answer(second, "1")))

    let third = try start(url + "2")
    defer { third.shutDown() }
    #expect(third.awaitsFirstSet)
    guard case .noKeys(let wait) = try answer(third, "1") else {
      return #expect(Bool(false), "there are keys")
    }
    #expect((1_000...10_000).contains(wait))
  }

  @Test("a copy that is damaged, or too old, is not used")
  func badCopies() throws {
    let source = KeySetSource(TokenIssuer("https://id"), url: "http://127.0.0.1:1/keys")
    let place = directory.path(of: "jwks")
    func keys(_ copy: KeySetCopy) throws -> Bool {
      try copy.write(for: source, in: place)
      let sets = try start(source.url, staleSeconds: 60)
      defer { sets.shutDown() }
      return !sets.awaitsFirstSet
    }
    let (now, document) = (SystemClock.unixMilliseconds, ProviderText.set(key, "1"))
    #expect(
      try keys(KeySetCopy(fetchedAt: now - 100_000, lifetimeSeconds: 60, document: document)))
    #expect(
      try !keys(KeySetCopy(fetchedAt: now - 130_000, lifetimeSeconds: 60, document: document)))
    #expect(try !keys(KeySetCopy(fetchedAt: now, lifetimeSeconds: 60, document: [0, 1])))
    let path = KeySetCopy.path(of: source, in: place)
    for text in ["", "{}", "\n", "{\"issuer\":\"https://id\"}\n{}", "{\n"] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      #expect(KeySetCopy(of: source, in: place) == nil)
    }
  }

  @Test("a page that is no key set leaves no keys, with the reason in the count")
  func noKeySet() throws {
    let server = try PageServer(page: "<html>")
    defer { server.stop() }
    let sets = try start(server.url("/keys"))
    defer { sets.shutDown() }
    guard case .noKeys = try answer(sets, "1") else {
      return #expect(Bool(false), "there are keys")
    }
    #expect(sets.figures.first?.counts == [.unusable: 1])
    #expect(sets.awaitsFirstSet)
  }

  @Test("tokens that wait are answered when fetching stops")
  func stop() throws {
    let server = try PageServer(page: "")
    defer { server.stop() }
    let sets = try start(server.url("/silent"))
    let found = Mutex<KeySetAnswer?>(nil)
    let token = try CompactToken(ProviderText.token(key, "1"))
    _ = sets.verify(KeySets.Check(token, user: "jeff") { 100 }) { answer in
      found.withLock { $0 = answer }
    }
    #expect(found.withLock { $0 } == nil)
    sets.shutDown()
    #expect(found.withLock { $0 } == .noKeys(retryAfter: 1_000))
  }

  @Test("tokens of other issuers are left to others")
  func others() throws {
    let sets = try start("http://127.0.0.1:1/keys")
    defer { sets.shutDown() }
    let token = try #require(
      SignedToken.make(signedBy: key) { $0.member("iss", "https://id/") })
    let isOurs = sets.verify(KeySets.Check(try CompactToken(token), user: "jeff") { 100 }) { _ in
      #expect(Bool(false), "answered")
    }
    #expect(!isOurs)
    sets.adopt([], staleSeconds: 1)
    #expect(!sets.awaitsFirstSet)
    #expect(sets.figures.isEmpty)
  }
}
