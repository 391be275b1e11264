import Basics
import Crypto
import ParleyProtocol
import Synchronization
import Testing

@testable import KeySets

@Suite("One provider of keys")
struct KeySetProviderTests {
  private let source = KeySetSource(TokenIssuer("https://id"), url: "https://id/keys")
  private let key = PrivateKey.generateP256()

  private func provider(keyed: Bool = true, at now: Int64 = 0) throws -> KeySetProvider {
    var provider = KeySetProvider(source, id: 1, staleTime: 1_000, at: now)
    guard keyed else { return provider }
    #expect(start(&provider.schedule, at: now))
    _ = provider.end(.success(try document(key, "1")), maxAge: 60, at: now, random: 0)
    return provider
  }

  private func document(
    _ key: PrivateKey, _ id: String, for issuer: TokenIssuer? = nil
  ) throws -> FetchedKeySet {
    try FetchedKeySet(ProviderText.set(key, id), for: issuer ?? source.issuer)
  }

  private func waiter(
    _ id: String, by key: PrivateKey? = nil,
    _ completion: @escaping @Sendable (KeySetAnswer) -> Void = { _ in }
  ) throws -> KeySetProvider.Waiter {
    let token = try ProviderText.token(key ?? self.key, id)
    return KeySetProvider.Waiter(
      check: KeySets.Check(try CompactToken(token), user: "jeff") { 100 }, completion: completion)
  }

  private func isRefused(_ miss: KeySetProvider.Miss, _ id: String) -> Bool {
    if case .answer(.refused(.unknownKey(id))) = miss { true } else { false }
  }

  @Test("tokens with an unknown key wait for one fetch, and those after it are refused")
  func misses() throws {
    var provider = try provider()
    let (keys, revision) = provider.usableKeys(at: 20_000)
    #expect(keys?.count == 1)
    let first = provider.miss(try waiter("2"), checkedWith: revision, hasKeys: true, at: 20_000)
    guard case .fetch(1) = first else { return #expect(Bool(false), "no fetch") }
    for _ in 0..<5 {
      let next = provider.miss(try waiter("2"), checkedWith: revision, hasKeys: true, at: 21_000)
      guard case .wait = next else { return #expect(Bool(false), "no wait") }
    }
    let waiting = provider.end(
      .success(try document(key, "2")), maxAge: nil, at: 22_000, random: 0)
    #expect(waiting.count == 6)
    #expect(provider.takeWaiters().isEmpty)
    let now = provider.usableKeys(at: 22_000)
    #expect(now.revision != revision)
    #expect(waiting.allSatisfy { $0.check.answer(now.keys) != nil })
    let late = provider.miss(try waiter("3"), checkedWith: now.revision, hasKeys: true, at: 23_000)
    #expect(isRefused(late, "3"))
  }

  @Test("a token that was checked before the keys changed is checked again")
  func changedMeanwhile() throws {
    var provider = try provider()
    let revision = provider.usableKeys(at: 0).revision
    #expect(start(&provider.schedule, at: 60_000))
    _ = provider.end(.success(try document(key, "2")), maxAge: 60, at: 60_000, random: 0)
    let miss = provider.miss(try waiter("2"), checkedWith: revision, hasKeys: true, at: 60_001)
    guard case .checkAgain(let keys) = miss else { return #expect(Bool(false), "not checked") }
    #expect(try waiter("2").check.answer(keys) != nil)
  }

  @Test("a bounded number of tokens waits")
  func bound() throws {
    var provider = try provider()
    let revision = provider.usableKeys(at: 0).revision
    let one = try waiter("2")
    _ = provider.miss(one, checkedWith: revision, hasKeys: true, at: 20_000)
    for _ in 1..<KeySetProvider.waiterLimit {
      _ = provider.miss(one, checkedWith: revision, hasKeys: true, at: 20_000)
    }
    #expect(
      isRefused(provider.miss(one, checkedWith: revision, hasKeys: true, at: 20_000), "2"))
    #expect(provider.takeWaiters().count == KeySetProvider.waiterLimit)
  }

  @Test("without keys the answer is when to try again")
  func noKeys() throws {
    var provider = try provider(keyed: false)
    #expect(start(&provider.schedule, at: 0))
    let failure = KeySetFailure(.status, "the server answers with status 500")
    _ = provider.end(.failure(failure), maxAge: nil, at: 100, random: 0)
    #expect(provider.usableKeys(at: 100).keys == nil)
    let miss = provider.miss(try waiter("1"), checkedWith: 0, hasKeys: false, at: 4_000)
    guard case .answer(.noKeys(6_000)) = miss else { return #expect(Bool(false), "\(miss)") }
    let figures = provider.figures(at: 4_000)
    #expect(figures.counts == [.status: 1])
    #expect(figures.age == nil)
    #expect(figures.keyCount == 0)
    #expect(figures.overdue == 4_000)
  }

  @Test("keys are gone after the stale time, and back after a fetch")
  func gone() throws {
    var provider = try provider()
    #expect(start(&provider.schedule, at: 60_000))
    let failure = KeySetFailure(.timedOut, "no answer")
    _ = provider.end(.failure(failure), maxAge: nil, at: 60_100, random: 0)
    #expect(provider.usableKeys(at: 60_900).keys != nil)
    #expect(provider.usableKeys(at: 61_000).keys == nil)
    #expect(start(&provider.schedule, at: 90_000))
    _ = provider.end(.success(try document(key, "1")), maxAge: nil, at: 90_000, random: 0)
    #expect(provider.usableKeys(at: 90_000).keys?.count == 1)
  }

  @Test("changed requirements hold for the keys in use, and for a fetch that began before")
  func changedIssuer() throws {
    var provider = try provider()
    let audience = TokenIssuer("https://id", audience: "chat")
    provider.adopt(audience)
    #expect(provider.usableKeys(at: 0).keys?.issuer == audience)
    #expect(
      try waiter("1").check.answer(provider.usableKeys(at: 0).keys) == .refused(.wrongAudience))
    #expect(start(&provider.schedule, at: 60_000))
    _ = provider.end(.success(try document(key, "1")), maxAge: nil, at: 60_000, random: 0)
    #expect(provider.usableKeys(at: 60_000).keys?.issuer == audience)
    provider.adopt(TokenIssuer("https://id", algorithms: [.rs256]))
    #expect(provider.usableKeys(at: 60_000).keys == nil)
  }
}

/// Documents and tokens of a provider.
enum ProviderText {
  static func set(_ key: PrivateKey, _ id: String) -> [UInt8] {
    let point = key.publicPoint ?? []
    let (x, y) = (Base64URL.encode(point[1..<33]), Base64URL.encode(point[33...]))
    let jwk = #"{"kty":"EC","crv":"P-256","kid":"\#(id)","x":"\#(x)","y":"\#(y)"}"#
    return Array(#"{"keys":[\#(jwk)]}"#.utf8)
  }

  static func token(_ key: PrivateKey, _ id: String) throws -> String {
    try #require(
      SignedToken.make(signedBy: key, keyID: id) {
        $0.member("iss", "https://id")
        $0.member("sub", "jeff")
        $0.member("exp", Int64(200))
      })
  }
}

/// As `startIfDue`, in a form that an expectation can call.
private func start(_ schedule: inout KeySetSchedule, at now: Int64) -> Bool {
  schedule.startIfDue(at: now)
}
